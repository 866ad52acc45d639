import * as Type from 'typebox';
import { invalid } from '../../errors.ts';
import { check, unlessMistyped } from '../json/check.ts';
import {
  closedObject,
  define,
  type FieldProblem,
  integer,
  jsonValue,
  text,
  withRule,
} from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { writeJson } from '../json/exact-json.ts';
import { jsonOf } from '../json/json-of.ts';
import {
  DEFAULT_ATTEMPT_MS,
  MAX_ATTEMPT_MS,
  MAX_BEFORE_MS,
  MAX_FIELDS,
  MAX_GIVEN_BYTES,
  MAX_PAYLOAD_BYTES,
  MAX_RETRIES,
  MAX_URL_BYTES,
  MAX_WEBHOOK_DELAY_MS,
  MAX_WEBHOOK_HEADER_BYTES,
  MAX_WEBHOOKS_OF_RESPONSE,
} from '../limits.ts';
import { REDACTED } from '../redaction/redaction.ts';
import type { WebhookReason } from '../requests/reason.ts';
import { inAnyCase, isHeaderValue, WEBHOOK_HEADERS } from '../responses/response-headers.ts';
import { givenWebhook } from './given-webhook.ts';
import { SIGNATURE } from './signature.ts';
import {
  filledLengths,
  templatesOf,
  uses,
  type WebhookForgery,
  type WebhookSignature,
} from './signing.ts';

/** A call of the mock to the application under test. */
export interface Webhook {
  /** `http://` or `https://`. A handler's webhook with an empty URL is not sent. */
  readonly url: string;
  /** @default 'POST' */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent unchanged, anything else as JSON, and a bigint as its digits. */
  readonly body?: unknown;
  /** The fields of a form, instead of `body`. */
  readonly form?: Readonly<Record<string, string>>;
  /**
   * The delay of the first attempt after the response, in ms by the account's clock, at most a day.
   * A webhook sent on demand does not wait.
   *
   * @default 0
   */
  readonly delay?: number;
  /**
   * The time before each retry, in ms, from the end of the previous attempt, at most a day each.
   *
   * @default no retries
   */
  readonly retry?: readonly number[];
  /** The statuses that count as accepted. @default 200 to 299 */
  readonly accept?: readonly number[];
  /** The time limit of an attempt, in ms, at most 60000. @default 10000 */
  readonly timeout?: number;
  /** Signs each attempt. @default unsigned */
  readonly sign?: WebhookSignature;
  /**
   * Whether it arrives before its response, which waits until the first attempt has ended, at most for
   * `timeout`. A number is the longest wait once the attempt is sent, in ms, at most 10000; then the
   * attempt continues after the response. `before` changes nothing once the response has left, or for a
   * webhook sent on demand.
   *
   * @default false
   */
  readonly before?: boolean | number;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const list = (minimum: number, maximum: number, maxItems: number, options: object) =>
  Type.Optional(
    Type.Unsafe<readonly number[]>(
      Type.Array(Type.Integer({ minimum, maximum }), {
        title: `a list of whole numbers from ${minimum} to ${maximum}`,
        maxItems,
        ...options,
      }),
    ),
  );

/**
 * Whether a webhook arrives before its response.
 *
 * @internal
 */
export const beforeResponse = (description: string) =>
  Type.Optional(
    Type.Union([Type.Boolean(), Type.Integer({ minimum: 1, maximum: MAX_BEFORE_MS })], {
      description,
      default: false,
    }),
  );

export const WEBHOOK: Definition<Webhook> = define(
  withRule(
    closedObject(
      {
        url: Type.String({
          title: 'text, such as http://localhost:3000/webhooks',
          description: 'The URL of your application.',
          minLength: 1,
        }),
        method: Type.Optional(
          Type.String({
            title: 'GET, POST, PUT, PATCH or DELETE',
            pattern: `^(${METHODS.map(inAnyCase).join('|')})$`,
            default: 'POST',
          }),
        ),
        headers: Type.Optional(WEBHOOK_HEADERS),
        body: Type.Optional(
          jsonValue({ description: 'A string is sent unchanged, anything else as JSON.' }),
        ),
        form: Type.Optional(
          Type.Unsafe<Readonly<Record<string, string>>>(
            Type.Record(Type.String(), Type.String(), {
              title: 'an object of names and texts',
              description: 'The fields of a form, instead of a body.',
            }),
          ),
        ),
        delay: integer(
          "The delay after the response, in ms by the account's clock. A webhook sent on demand does not wait.",
          { maximum: MAX_WEBHOOK_DELAY_MS, default: 0 },
        ),
        retry: list(0, MAX_WEBHOOK_DELAY_MS, MAX_RETRIES, {
          description:
            'Waits before further attempts, in ms, each from the end of the previous attempt: [1000, 5000].',
        }),
        accept: list(100, 599, 500, {
          description: 'Statuses that end the attempts. The default is 200 to 299.',
        }),
        timeout: integer('The time limit of an attempt, in ms.', {
          minimum: 1,
          maximum: MAX_ATTEMPT_MS,
          default: DEFAULT_ATTEMPT_MS,
        }),
        sign: Type.Optional(SIGNATURE),
        before: beforeResponse(
          'Whether it arrives before its response, which waits until the first attempt has ended, at most for timeout. A number is the longest wait once the attempt is sent, in ms.',
        ),
      },
      {
        $id: 'Webhook',
        examples: [{ url: 'http://localhost:3000/webhooks', body: { status: 'SUCCESS' } }],
      },
    ),
    webhookProblem,
  ),
);

/** What differs in a webhook that is sent like another one. */
export type WebhookChange = Partial<Pick<Webhook, 'url' | 'headers' | 'body'>>;

export const WEBHOOK_CHANGE: Definition<WebhookChange> = define(
  closedObject(
    {
      url: text('Another URL.', { minLength: 1 }),
      headers: Type.Optional(WEBHOOK_HEADERS),
      body: Type.Optional(jsonValue({ description: 'Another body, as in POST /webhooks.' })),
    },
    { $id: 'WebhookChange', examples: [{ body: { id: 1 } }] },
  ),
);

export const WEBHOOKS: Definition<Webhook | readonly Webhook[]> = define(
  Type.Union(
    [WEBHOOK, Type.Immutable(Type.Array(WEBHOOK, { maxItems: MAX_WEBHOOKS_OF_RESPONSE }))],
    {
      title: 'a webhook or a list of webhooks',
      description:
        'Webhooks to send after the response has left, or would have left, or with before: before it.',
    },
  ),
);

function webhookProblem(webhook: Webhook): FieldProblem | undefined {
  const { url, headers = {}, body, form, sign } = webhook;
  if (body !== undefined && form !== undefined)
    return ['form', 'must be left out if there is a body'];
  const urlProblem = problemOfUrl(url);
  if (urlProblem !== undefined) return urlProblem;
  const { bytes } = bodyOf(webhook);
  if (bytes.length > MAX_GIVEN_BYTES) return [form ? 'form' : 'body', 'must be at most 1 MiB'];
  const plain = Object.entries(headers).flat().join('').length;
  const kib = MAX_WEBHOOK_HEADER_BYTES / 1024;
  if (plain > MAX_WEBHOOK_HEADER_BYTES) return ['headers', `must be at most ${kib} KiB`];
  if (sign === undefined) return undefined;
  const filled = filledLengths(sign, bytes);
  if (filled.payload > MAX_PAYLOAD_BYTES) {
    const mib = MAX_PAYLOAD_BYTES / 1_048_576;
    return ['sign.payload', `must be at most ${mib} MiB with its placeholders filled`];
  }
  if (plain + filled.headers > MAX_WEBHOOK_HEADER_BYTES) {
    const name = sign.headers === undefined ? 'header' : 'headers';
    const most = `at most ${kib} KiB with their placeholders filled, with all other headers`;
    return [`sign.${name}`, `must be ${most}`];
  }
  return uses(Object.values(templatesOf(sign)), 'body') && !isHeaderValue(bytes.toString())
    ? ['sign', 'sends the body in a header, so the body must be one line of text']
    : undefined;
}

function problemOfUrl(url: string): FieldProblem | undefined {
  if (Buffer.byteLength(url) > MAX_URL_BYTES) {
    return ['url', `must be at most ${MAX_URL_BYTES / 1024} KiB`];
  }
  const hasFew = url.split('&', MAX_FIELDS + 1).length <= MAX_FIELDS;
  return hasFew ? undefined : ['url', `must have at most ${MAX_FIELDS} fields`];
}

/** How the application responded to a webhook that a handler sent with `sendWebhook`. */
export interface WebhookResponse {
  /** It is `null` if there was no response. */
  readonly status: number | null;
  /** Why there was no response; `null` if there was one. */
  readonly reason: WebhookReason | null;
  /** The body as text, at most its first 16 KiB; empty without a response. */
  readonly body: string;
}

type Defaulted = 'url' | 'method' | 'headers' | 'delay' | 'retry' | 'timeout';

/**
 * A webhook with its defaults, and the bytes to send. The names of its headers, which lack the
 * signature, are in lower case.
 */
export interface PreparedWebhook extends Required<Pick<Webhook, Defaulted>> {
  readonly body: Buffer;
  readonly sign?: WebhookSignature | undefined;
  readonly accept?: readonly number[] | undefined;
  readonly before?: boolean | number | undefined;
}

/** Both are the same for all its attempts. */
export interface OutgoingWebhook extends PreparedWebhook {
  readonly id: string;
  readonly forge?: WebhookForgery | undefined;
}

/** Replaces a URL that a handler has left empty: there is nothing to send. */
const NOWHERE = 'nowhere:';
/** Replaces a URL over a limit: its attempts are `bad-url`. */
const TOO_LONG = 'too-long';

/**
 * Handlers take the URL from requests, in which it is often optional. No request may make a handler
 * or its timers fail, so the journal reports a URL over a limit.
 */
export function withUrl<Given>(given: Given): Given {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const url = (given as Partial<Webhook>).url ?? '';
  if (url === '') return { ...given, url: NOWHERE };
  const isTooLong = typeof url === 'string' && problemOfUrl(url) !== undefined;
  return isTooLong ? { ...given, url: TOO_LONG } : given;
}

export function isSent({ url }: Webhook): boolean {
  return url !== NOWHERE;
}

/** @returns `undefined` if its `url` is empty or left out */
export function handledWebhook(given: Webhook): PreparedWebhook | undefined {
  const webhook = check(WEBHOOK, withUrl(given), unlessMistyped);
  return isSent(webhook) ? prepareWebhook(webhook) : undefined;
}

export function prepareWebhook(webhook: Webhook): PreparedWebhook {
  const { url, method = 'POST', headers = {}, delay = 0, retry = [], accept, timeout } = webhook;
  const { type, bytes } = bodyOf(webhook);
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const hasBody = bytes.length > 0 || !/^(get|delete)$/i.test(method);
  return {
    url,
    method: method.toUpperCase(),
    headers: {
      'user-agent': 'momo-mock',
      ...(type !== undefined && { 'content-type': type }),
      ...Object.fromEntries(lowerCase),
      ...(hasBody && { 'content-length': `${bytes.length}` }),
    },
    body: bytes,
    sign: webhook.sign,
    delay,
    retry: [...retry],
    accept,
    timeout: timeout ?? DEFAULT_ATTEMPT_MS,
    before: webhook.before,
  };
}

/** Another webhook with the same signature, retries and headers, apart from what changes. */
export function changedWebhook(webhook: PreparedWebhook, change: WebhookChange): PreparedWebhook {
  // Nobody knows what the journal does not show.
  if (jsonOf(change)?.includes(REDACTED)) {
    throw invalid('the webhook', `must not contain ${REDACTED}, which the application would get`);
  }
  const given = givenWebhook(webhook);
  const others = Object.entries(change.headers ?? {});
  const lowerCase = others.map(([name, value]) => [name.toLowerCase(), value]);
  const headers = { ...given.headers, ...Object.fromEntries(lowerCase) };
  return prepareWebhook(check(WEBHOOK, { ...given, ...change, headers }, unlessMistyped));
}

function bodyOf({ body, form }: Webhook): { type?: string; bytes: Buffer } {
  if (form !== undefined) {
    const text = new URLSearchParams(form).toString();
    return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(text) };
  }
  return body === undefined ? { bytes: Buffer.alloc(0) } : contentOf(body);
}

/** Text as it is, and anything else as JSON. */
export function contentOf(body: unknown): { type: string; bytes: Buffer } {
  return typeof body === 'string'
    ? { type: 'text/plain; charset=utf-8', bytes: Buffer.from(body) }
    : { type: 'application/json; charset=utf-8', bytes: Buffer.from(writeJson(body)) };
}
