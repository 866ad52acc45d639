import { createHmac } from 'node:crypto';
import * as Type from 'typebox';
import { invalid } from '../../errors.ts';
import { check } from '../check.ts';
import { define } from '../define.ts';
import type { Definition } from '../definition.ts';
import {
  LONGEST_ATTEMPT,
  LONGEST_DELAY,
  LONGEST_GIVEN,
  LONGEST_URL,
  MOST_FIELDS,
  MOST_RETRIES,
} from '../limits.ts';
import { CALLBACK_HEADERS, SET_HEADER_NAME } from '../response-headers.ts';
import { jsonValue } from '../scripted-response.ts';
import { unlessMistyped } from '../unknown-field.ts';

/** A call of the mock to the application under test. */
export interface Callback {
  /** `http://` or `https://`; if it is empty, nothing is sent. */
  readonly url: string;
  /** @default 'POST' */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** The fields of a form, instead of `body`. */
  readonly form?: Readonly<Record<string, string>>;
  /**
   * The time to wait before each further attempt, in ms, from the end of the previous attempt.
   *
   * @default no further attempt
   */
  readonly retry?: readonly number[];
  /** The statuses with which the application accepts it. @default 200 to 299 */
  readonly accept?: readonly number[];
  /** The time limit of an attempt, in ms, at most 60000. @default 10000 */
  readonly timeout?: number;
  /** Signs the body: a header with its HMAC in hexadecimal digits. */
  readonly sign?: CallbackSignature;
}

/** How a callback is signed. */
export interface CallbackSignature {
  /** The name of the header. */
  readonly header: string;
  /** The shared secret. */
  readonly secret: string;
  /** @default 'sha256' */
  readonly algorithm?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
}

/** How long an attempt may take by default, in ms. */
const CALLBACK_TIMEOUT = 10_000;

const METHOD = /^(GET|POST|PUT|PATCH|DELETE)$/i;

const list = (minimum: number, maximum: number, maxItems: number) =>
  Type.Optional(
    Type.Unsafe<readonly number[]>(
      Type.Array(Type.Integer({ minimum, maximum }), {
        title: `a list of whole numbers from ${minimum} to ${maximum}`,
        maxItems,
      }),
    ),
  );

/** The definition of a callback. */
const CALLBACK: Definition<Callback> = define(
  Type.Refine(
    Type.Object(
      {
        url: Type.String(),
        method: Type.Optional(
          Type.Refine(Type.String({ title: 'GET, POST, PUT, PATCH or DELETE' }), (method) =>
            METHOD.test(method),
          ),
        ),
        headers: Type.Optional(CALLBACK_HEADERS),
        body: Type.Optional(
          jsonValue({ description: 'Text is sent as it is, anything else as JSON.' }),
        ),
        form: Type.Optional(
          Type.Unsafe<Readonly<Record<string, string>>>(
            Type.Record(Type.String(), Type.String(), { title: 'an object of names and texts' }),
          ),
        ),
        retry: list(0, LONGEST_DELAY, MOST_RETRIES),
        accept: list(100, 599, 500),
        timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: LONGEST_ATTEMPT })),
        sign: Type.Optional(
          Type.Object(
            {
              header: SET_HEADER_NAME,
              secret: Type.String(),
              algorithm: Type.Optional(Type.Enum(['sha1', 'sha256', 'sha384', 'sha512'])),
            },
            { additionalProperties: false },
          ),
        ),
      },
      { $id: 'Callback', additionalProperties: false },
    ),
    ({ body, form }) => body === undefined || form === undefined,
    () => 'form: must be left out if there is a body',
  ),
);

/** A callback that is ready to send. */
export interface PreparedCallback {
  readonly url: string;
  readonly method: string;
  /** The headers of each attempt, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes to send. */
  readonly body: Buffer;
  /** The time to wait before each further attempt, in ms. */
  readonly retry: readonly number[];
  /** Whether a status means that the application accepts it. */
  readonly accepts: (status: number) => boolean;
  /** How long an attempt may take, in ms. */
  readonly timeout: number;
}

/**
 * Checks and prepares a callback.
 *
 * @returns `undefined` if its `url` is empty or left out: there is nothing to do
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function prepareCallback(given: Callback): PreparedCallback | undefined {
  const callback = check(CALLBACK, withUrl(given), unlessMistyped);
  if (callback.url === '') return undefined;
  const { method = 'POST', headers = {}, retry = [], accept, timeout, sign } = callback;
  checkUrl(callback.url);
  const { type, body } = bodyOf(callback);
  if (body.length > LONGEST_GIVEN) throw invalid('body', 'must be at most 1 MiB');
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const hasBody = body.length > 0 || !/^(get|delete)$/i.test(method);
  return {
    url: callback.url,
    method: method.toUpperCase(),
    headers: {
      'user-agent': 'momo-mock',
      ...(type !== undefined && { 'content-type': type }),
      ...Object.fromEntries(lowerCase),
      ...(hasBody && { 'content-length': `${body.length}` }),
      ...(sign !== undefined && {
        [sign.header.toLowerCase()]: createHmac(sign.algorithm ?? 'sha256', sign.secret)
          .update(body)
          .digest('hex'),
      }),
    },
    body,
    retry: [...retry],
    accepts: (status) => accept?.includes(status) ?? (status >= 200 && status < 300),
    timeout: timeout ?? CALLBACK_TIMEOUT,
  };
}

function checkUrl(url: string): void {
  if (Buffer.byteLength(url) > LONGEST_URL) {
    throw invalid('url', `must be at most ${LONGEST_URL / 1024} KiB`);
  }
  if (url.split('&', MOST_FIELDS + 1).length > MOST_FIELDS) {
    throw invalid('url', `must have at most ${MOST_FIELDS} fields`);
  }
}

/** Handlers take the URL from requests, in which it is often optional. */
function withUrl(given: Partial<Callback>): unknown {
  const hasNone = typeof given === 'object' && given !== null && (given.url ?? null) === null;
  return hasNone ? { ...given, url: '' } : given;
}

function bodyOf({ body, form }: Callback): { type?: string; body: Buffer } {
  if (form !== undefined) {
    const text = new URLSearchParams(form).toString();
    return { type: 'application/x-www-form-urlencoded', body: Buffer.from(text) };
  }
  if (body === undefined) return { body: Buffer.alloc(0) };
  if (typeof body === 'string') {
    return { type: 'text/plain; charset=utf-8', body: Buffer.from(body) };
  }
  return { type: 'application/json; charset=utf-8', body: Buffer.from(JSON.stringify(body)) };
}
