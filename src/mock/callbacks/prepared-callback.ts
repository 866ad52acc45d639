import { createHmac } from 'node:crypto';
import { invalid } from '../../errors.ts';
import { check } from '../check.ts';
import { LONGEST_GIVEN, LONGEST_URL, MOST_FIELDS } from '../limits.ts';
import { unlessMistyped } from '../unknown-field.ts';
import { CALLBACK, CALLBACK_TIMEOUT, type Callback } from './callback.ts';

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
