import * as Type from 'typebox';
import {
  AS_JSON,
  closedObject,
  define,
  flag,
  integer,
  jsonValue,
  withRule,
} from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { MAX_SCRIPTED_RESPONSES } from '../limits.ts';
import type { MomoOperation } from '../operations/operation-name.ts';
import type { RequestReason } from '../requests/reason.ts';
import { REASON } from '../requests/reason-schema.ts';
import {
  contentOf,
  isSent,
  type PreparedWebhook,
  prepareWebhook,
  WEBHOOKS,
  type Webhook,
} from '../webhooks/webhook.ts';
import { DELAY, type ResponseDelay, readDelay } from './delay.ts';
import { FAULT, type PreparedFault, prepareFault, type ResponseFault } from './fault.ts';
import type { HttpResponse } from './http-response.ts';
import { RESPONSE_HEADERS } from './response-headers.ts';

/** A response that a test scripts, to use instead of the normal one. */
export interface ScriptedResponse {
  /** The location of its JSON Schema, for editors. It changes nothing. */
  readonly $schema?: string;
  /**
   * The name of the operation, as `GET /health` of the control API lists it. A `body` with a status
   * below 300, or without a status, needs it, unless the mock has only one operation.
   *
   * @default the next request to any operation
   */
  readonly operation?: MomoOperation;
  /**
   * HTTP status, 200 to 599. A status of 400 or more without a `body` uses the body of
   * `errors/<status>`.
   *
   * @default the status of the normal response
   */
  readonly status?: number;
  /**
   * Headers to add to the normal response, or to replace in it. A list is sent as several headers.
   */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * The body. Text is sent unchanged, anything else as JSON, and a bigint as its digits.
   *
   * @default the body of the normal response
   */
  readonly body?: unknown;
  /** The delay of the response, in ms. @default 0 */
  readonly delay?: ResponseDelay;
  /** How to break the response on the wire. */
  readonly fault?: ResponseFault;
  /**
   * Whether a handler runs before `status` and `body` replace its response: the payment is taken,
   * and the client gets a 502. Its state, timers and webhooks stay. If it fails, its 500 is sent.
   * Instead of a handler's, the webhooks of a `.response.json` file are sent. For any other response,
   * it changes nothing.
   *
   * @default false: a handler runs only if neither `status` nor `body` is set
   */
  readonly afterHandler?: boolean;
  /**
   * Webhooks to send to the application under test after the response has left, or with `before`
   * before it. If a fault prevents the response, they are sent when the response would have left.
   */
  readonly webhook?: Webhook | readonly Webhook[];
  /** How many requests it responds to, or `always`. @default 1 */
  readonly times?: number | 'always';
  /** Whether to respond before the key check. Only for all accounts. @default false */
  readonly beforeKeyCheck?: boolean;
}

/** The content of a fixture file: a response without the conditions of a scripted one. */
export type ResponseFile = Pick<
  ScriptedResponse,
  '$schema' | 'status' | 'headers' | 'body' | 'delay' | 'fault' | 'webhook' | 'afterHandler'
>;

export interface PreparedResponse {
  readonly status: number | undefined;
  readonly headers: HttpResponse['headers'];
  readonly body: Buffer | undefined;
  readonly fault: PreparedFault | undefined;
  readonly afterHandler: boolean;
  readonly webhooks: readonly PreparedWebhook[];
  readonly delay: () => number;
}

export interface Script extends PreparedResponse {
  /** It is as the test sent it. */
  readonly given: ScriptedResponse;
  /** It is `undefined` for any operation. */
  readonly operation: MomoOperation | undefined;
  readonly beforeKeyCheck: boolean;
  /** How many more requests it responds to. */
  left: number;
  /** How many requests it has responded to. */
  used: number;
}

export const SCHEMA_OF_EDITOR: Definition<string> = define(
  Type.String({ description: 'The JSON Schema for editors. The mock ignores it.' }),
);

const RESPONSE_FIELDS = {
  status: integer(
    'The HTTP status. From 400 on, a response without a body gets the body of errors/NNN. Default: the normal status.',
    { minimum: 200, maximum: 599 },
  ),
  headers: Type.Optional(RESPONSE_HEADERS),
  body: Type.Optional(
    jsonValue({
      description:
        'The body. A string is sent unchanged, anything else as JSON. A 2xx body must satisfy the schema of the operation. Default: the normal body.',
    }),
  ),
  delay: Type.Optional(DELAY),
  fault: Type.Optional(FAULT),
  afterHandler: flag('Whether a handler runs before status and body replace its response.', {
    default: false,
  }),
  webhook: Type.Optional(WEBHOOKS),
  $schema: Type.Optional(SCHEMA_OF_EDITOR),
};

export const RESPONSE_FILE: Definition<ResponseFile> = define(
  closedObject(RESPONSE_FIELDS, { $id: 'Response' }),
);

/** What the response of a handler says of a refused request. */
export interface Refusal {
  /**
   * Why the request is refused, in kebab-case, such as `wrong-pin`: the journal, `verify` and the log
   * have it. Only with a status of 400 or more. Text of your own, not of the request.
   */
  readonly reason?: RequestReason;
  /** How to fix the problem: one line of at most 300 characters. Only with a `reason`. */
  readonly hint?: string;
}

export const HANDLER_RESPONSE: Definition<ResponseFile & Refusal> = define(
  withRule(
    closedObject(
      {
        ...RESPONSE_FIELDS,
        reason: Type.Optional(REASON('Why the request is refused.')),
        hint: Type.Optional(
          Type.String({
            title: 'one line of at most 300 characters',
            pattern: '^[^\\x00-\\x1f\\x7f]+$',
            maxLength: 300,
          }),
        ),
      },
      { $id: 'Response' },
    ),
    ({ status = 200, reason, hint }) => {
      if (reason !== undefined && status < 400) {
        return ['reason', 'must be left out with a status below 400'];
      }
      return hint === undefined || reason !== undefined ? undefined : ['hint', 'needs a reason'];
    },
  ),
);

export const RESPONSE: Definition<ScriptedResponse> = define(
  withRule(
    closedObject(
      {
        operation: Type.Optional(
          Type.Unsafe<MomoOperation>(
            Type.String({
              description:
                'The operation, as in GET /operations. Default: the next request to any operation. A 2xx body needs it, unless there is only one operation.',
            }),
          ),
        ),
        ...RESPONSE_FIELDS,
        times: Type.Optional(
          Type.Union([Type.Integer({ minimum: 1, maximum: 1e9 }), Type.Literal('always')], {
            description: 'How many requests it responds to.',
            default: 1,
          }),
        ),
        beforeKeyCheck: flag('Whether to respond before the key check. Only for all accounts.', {
          default: false,
        }),
      },
      {
        $id: 'Response',
        examples: [
          { status: 503, headers: { 'retry-after': '1' }, times: 2 },
          { delay: { min: 100, max: 400, seed: 7 }, times: 'always' },
          { fault: { type: 'dribble', duration: 500 } },
          { fault: 'reset', webhook: { url: 'http://localhost:3000/webhooks', body: { id: 1 } } },
        ],
      },
    ),
    (response) => {
      // An undefined body is most likely a mistake. Other undefined fields count as missing.
      if ('body' in response && response.body === undefined) return ['body', `must be ${AS_JSON}`];
      if (response.afterHandler && response.beforeKeyCheck) {
        return [
          'afterHandler',
          'must be false before the key check, because a handler needs a key',
        ];
      }
      return undefined;
    },
  ),
);

export const RESPONSES: Definition<ScriptedResponse | readonly ScriptedResponse[]> = define(
  Type.Union(
    [RESPONSE, Type.Immutable(Type.Array(RESPONSE, { maxItems: MAX_SCRIPTED_RESPONSES }))],
    {
      $id: 'Responses',
      title: 'a response or a list of responses',
      examples: [{ status: 503, times: 2 }, [{ delay: 200 }, { fault: 'reset' }]],
    },
  ),
);

/** Only handlers can give bytes. They may use the same memory again, so this is a copy. */
function bodyOf(body: unknown): { type: string; bytes: Buffer } {
  if (!ArrayBuffer.isView(body)) return contentOf(body);
  const { buffer, byteOffset, byteLength } = body;
  const bytes = Buffer.from(Buffer.from(buffer, byteOffset, byteLength));
  return { type: 'application/octet-stream', bytes };
}

export function prepareResponse(response: ResponseFile, used = 0): PreparedResponse {
  const {
    status,
    headers = {},
    body,
    delay = 0,
    fault,
    afterHandler = false,
    webhook = [],
  } = response;
  const given = body === undefined ? undefined : bodyOf(body);
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    status,
    headers: {
      ...(given && { 'content-type': given.type }),
      ...Object.fromEntries(lowerCase),
    },
    body: given?.bytes,
    fault: fault && prepareFault(fault),
    afterHandler,
    webhooks: [webhook].flat().filter(isSent).map(prepareWebhook),
    delay: readDelay(delay, used),
  };
}
