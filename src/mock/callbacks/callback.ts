import * as Type from 'typebox';
import { define } from '../define.ts';
import type { Definition } from '../definition.ts';
import { LONGEST_ATTEMPT, LONGEST_DELAY, MOST_RETRIES } from '../limits.ts';
import { CALLBACK_HEADERS, SET_HEADER_NAME } from '../response-headers.ts';
import { jsonValue } from '../scripted-response.ts';

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
export const CALLBACK_TIMEOUT = 10_000;

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
export const CALLBACK: Definition<Callback> = define(
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
