import * as Type from 'typebox';
import type { Answer } from './answer.ts';
import { define } from './check.ts';
import type { Definition } from './definition.ts';
import { DELAY, type Delay, readDelay } from './delay.ts';
import { FAULT, type Fault, type ReadFault, readFault } from './fault.ts';
import { BALANCE } from './operation.ts';
import { RESPONSE_HEADERS } from './response-headers.ts';

/** What a test scripts the service to say, in place of what it would. */
export interface ScriptedResponse {
  /**
   * The operation that it is for, as `GET /health` of the control API lists them.
   *
   * @default 'GET /momo/balance'
   */
  readonly operation?: string;
  /**
   * HTTP status, 200 to 599. From 400 on, without a `body`, the body is that of `errors/<status>`.
   *
   * @default that of the answer there would be
   */
  readonly status?: number;
  /** More headers, or others in place of those there would be; a list is sent several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * The body: text as it is, anything else as JSON.
   *
   * @default that of the answer there would be
   */
  readonly body?: unknown;
  /**
   * How long the answer waits, in ms.
   *
   * @default 0
   */
  readonly delay?: Delay;
  /** How the answer is broken on the wire. */
  readonly fault?: Fault;
  /**
   * For how many requests; `always` is for every one.
   *
   * @default 1
   */
  readonly times?: number | 'always';
  /**
   * Answer so before the key is looked at. For the whole service only.
   *
   * @default false
   */
  readonly beforeKeyCheck?: boolean;
}

/** What a file `.response.json` of the fixture tree can say. */
export type ResponseFile = Pick<
  ScriptedResponse,
  'status' | 'headers' | 'body' | 'delay' | 'fault'
>;

/** What a scripted response does to the answer there would be. */
export interface ScriptedAnswer {
  readonly status: number | undefined;
  readonly headers: Answer['headers'];
  readonly body: Buffer | undefined;
  readonly fault: ReadFault | undefined;
  /** The delay of the next answer, in ms. */
  readonly delay: () => number;
}

/** A scripted response, read: what is left of it, and what it does. */
export interface Script extends ScriptedAnswer {
  /** As it was given. */
  readonly given: ScriptedResponse;
  readonly operation: string;
  readonly beforeKeyCheck: boolean;
  /** For how many more requests. */
  left: number;
}

const AS_JSON = 'something that can be written as JSON';

/** The definition of a value that can be written as JSON. */
export function jsonValue(options: { description: string; $id?: string }): Definition<unknown> {
  return define(Type.Refine(Type.Unknown({ title: AS_JSON, ...options }), isJson));
}

/** The definition of a balance that a test sets. */
export const BALANCE_BODY: Definition<unknown> = jsonValue({
  $id: 'Balance',
  description: 'The whole body that is served.',
});

/** The fields that say how a response is. */
const ANSWER_FIELDS = {
  status: Type.Optional(
    Type.Integer({
      description: 'From 400 on, without a body, the body is that of the fixture errors/<status>.',
      minimum: 200,
      maximum: 599,
    }),
  ),
  headers: Type.Optional(RESPONSE_HEADERS),
  body: Type.Optional(jsonValue({ description: 'Text is sent as it is, anything else as JSON.' })),
  delay: Type.Optional(DELAY),
  fault: Type.Optional(FAULT),
};

/** The definition of a file `.response.json`. */
export const RESPONSE_FILE: Definition<ResponseFile> = define(
  Type.Object(ANSWER_FIELDS, { $id: 'Response', additionalProperties: false }),
);

/** The definition of a scripted response. */
export const RESPONSE: Definition<ScriptedResponse> = define(
  Type.Refine(
    Type.Object(
      {
        operation: Type.Optional(
          Type.String({
            description: 'The operation that it is for, as GET /health lists them.',
            default: BALANCE,
          }),
        ),
        ...ANSWER_FIELDS,
        times: Type.Optional(
          Type.Union([Type.Integer({ minimum: 1, maximum: 1e9 }), Type.Literal('always')], {
            description: 'For how many requests.',
            default: 1,
          }),
        ),
        beforeKeyCheck: Type.Optional(
          Type.Boolean({
            description: 'Answer before the key is checked. For the whole service only.',
            default: false,
          }),
        ),
      },
      {
        $id: 'Response',
        additionalProperties: false,
        examples: [
          { status: 503, headers: { 'retry-after': '1' }, times: 2 },
          { delay: { min: 100, max: 400, seed: 7 }, times: 'always' },
          { fault: { type: 'dribble', duration: 500 } },
        ],
      },
    ),
    // Left out by mistake, most likely: another field that is undefined is as if it was left out.
    (response) => !('body' in response && response.body === undefined),
    () => `body: must be ${AS_JSON}`,
  ),
);

/** How many scripted responses a scope has at most. */
export const MOST_RESPONSES = 10_000;

/** The definition of what is scripted in one go. */
export const RESPONSES: Definition<ScriptedResponse | readonly ScriptedResponse[]> = define(
  Type.Union([RESPONSE, Type.Immutable(Type.Array(RESPONSE, { maxItems: MOST_RESPONSES }))], {
    $id: 'Responses',
    title: 'a response or a list of responses',
    examples: [{ status: 503, times: 2 }, [{ delay: 200 }, { fault: 'reset' }]],
  }),
);

/** Reads a scripted response that was checked. */
export function readScript(given: ScriptedResponse): Script {
  const { operation = BALANCE, beforeKeyCheck = false, times = 1 } = given;
  const left = times === 'always' ? Infinity : times;
  return { given, operation, beforeKeyCheck, ...readScriptedAnswer(given), left };
}

/** Reads how a scripted response is. It was checked. */
export function readScriptedAnswer(given: ResponseFile): ScriptedAnswer {
  const { status, headers = {}, body, delay = 0, fault } = given;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = `${typeof body === 'string' ? 'text/plain' : 'application/json'}; charset=utf-8`;
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    status,
    headers: {
      ...(body !== undefined && { 'content-type': type }),
      ...Object.fromEntries(lowerCase),
    },
    body: text === undefined ? undefined : Buffer.from(text),
    fault: fault && readFault(fault),
    delay: readDelay(delay),
  };
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
