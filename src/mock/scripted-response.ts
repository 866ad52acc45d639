import type { Answer } from './answer.ts';
import { type Delay, readDelay } from './delay.ts';
import { type Fault, type ReadFault, readFault } from './fault.ts';
import { fieldsOf, invalid, numberIn } from './invalid.ts';

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
   * For how many requests; `always` is for good.
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

/** A scripted response, read: what is left of it, and what it does. */
export interface Script {
  /** As it was given. */
  readonly given: ScriptedResponse;
  readonly operation: string;
  readonly beforeKeyCheck: boolean;
  readonly status: number | undefined;
  readonly headers: Answer['headers'];
  readonly body: Buffer | undefined;
  readonly fault: ReadFault | undefined;
  /** The delay of the next answer, in ms. */
  readonly delay: () => number;
  /** For how many more requests. */
  left: number;
}

const FIELDS = [
  'operation',
  'status',
  'headers',
  'body',
  'delay',
  'fault',
  'times',
  'beforeKeyCheck',
];
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const VALUE = /^[\t -~\x80-\xff]*$/;
/** What frames a message is not for a script to say: faults break framing on purpose. */
export const FRAMING = ['content-length', 'transfer-encoding', 'connection', 'date', 'trailer'];

/**
 * Checks a scripted response.
 *
 * @param operation the default operation
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, naming the field
 */
export function readScript(given: unknown, operation: string): Script {
  const fields = fieldsOf(given, 'a response', FIELDS);
  const { status, times = 1, beforeKeyCheck = false, delay = 0, fault } = fields;
  const { operation: named = operation, headers: more = {} } = fields;
  const body = 'body' in fields ? bytesOf(fields.body) : undefined;
  if (typeof beforeKeyCheck !== 'boolean') throw invalid('beforeKeyCheck', 'true or false');
  if (typeof named !== 'string') throw invalid('operation', 'a method and a path');
  const headers = readHeaders(more);
  return {
    given: given as ScriptedResponse,
    operation: named,
    beforeKeyCheck,
    status:
      status === undefined ? undefined : numberIn(status, 'status', 200, 599, { whole: true }),
    headers: body === undefined ? headers : { 'content-type': typeOf(fields.body), ...headers },
    body,
    fault: fault === undefined ? undefined : readFault(fault),
    delay: readDelay(delay),
    left: times === 'always' ? Infinity : numberIn(times, 'times', 1, 1e9, { whole: true }),
  };
}

/**
 * The bytes of a body that was given as a value.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function bytesOf(body: unknown): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  return jsonBytes(body, 'body');
}

/**
 * The bytes of a value as JSON.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function jsonBytes(value: unknown, field: string): Buffer {
  try {
    // `undefined`, a function: JSON.stringify gives no string, and Buffer.from throws.
    return Buffer.from(JSON.stringify(value));
  } catch {
    throw invalid(field, 'something that can be written as JSON');
  }
}

function typeOf(body: unknown): string {
  return `${typeof body === 'string' ? 'text/plain' : 'application/json'}; charset=utf-8`;
}

function readHeaders(headers: unknown): Answer['headers'] {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
    throw invalid('headers', 'an object of header names and values');
  }
  const read = Object.entries(headers).map(([given, value]) => {
    const name = given.toLowerCase();
    if (!NAME.test(name) || FRAMING.includes(name)) {
      throw invalid('headers', `names of headers, none of ${FRAMING.join(', ')}`);
    }
    const values: unknown[] = [value].flat();
    if (!values.every((one) => typeof one === 'string' && VALUE.test(one))) {
      throw invalid('a value in headers', 'text, or a list of texts, on one line each');
    }
    return [name, value];
  });
  return Object.fromEntries(read);
}
