import * as Type from 'typebox';
import type { Filter, RequestFields, WebhookFields } from '../journal/filter.ts';
import { REQUEST_FIELDS, WEBHOOK_FIELDS } from '../journal/filter-schema.ts';
import { closedObject, define, integer, jsonValue, withRule } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { MAX_EXPECTATIONS, MAX_TIMES, MAX_WAIT_MS } from '../limits.ts';

/** The requests that a test expects. A request matches if it matches all given fields. */
export interface RequestExpectation extends RequestFields {
  /** Query parameters. The query may have more. A repeated parameter is a list. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Request headers. The request may have more. Letter case in names does not matter. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * JSON, fields of a form, or text that the body contains. Objects may have additional fields; lists
   * must have the same items in the same order. Numbers match by their decimal value, also a text of a
   * form; a whole number beyond 2^53 must be a bigint.
   */
  readonly body?: unknown;
  /**
   * The number of matching requests: exactly this number, or a range. 0 means never.
   *
   * @default at least one
   */
  readonly times?: number | ExpectedTimes;
}

/** A range for the number of requests. */
export interface ExpectedTimes {
  /** @default 0 */
  readonly min?: number;
  /** @default no limit */
  readonly max?: number;
}

/** One request in a list of expected requests, or several equal requests in a row. */
export interface ExpectedRequest extends Omit<RequestExpectation, 'times'> {
  /** The number of equal requests in a row. @default 1 */
  readonly times?: number;
}

/** Exactly these requests, in this order, and no others. */
export interface ExactRequests {
  readonly exactly: readonly ExpectedRequest[];
}

/**
 * What a test verifies: one expectation, a list of requests in this order (other requests may come
 * in between), or exactly these requests and no others.
 */
export type ExpectedRequests = RequestExpectation | readonly ExpectedRequest[] | ExactRequests;

/**
 * The webhooks that a test expects. An attempt matches if it matches all given fields. `times`
 * counts attempts.
 */
export interface WebhookExpectation
  extends WebhookFields,
    Pick<RequestExpectation, 'headers' | 'body' | 'times'> {}

/** Which webhook a script means: what is known of it before it is sent. */
export type WebhookMatch = Pick<WebhookExpectation, 'url' | 'method' | 'headers' | 'body'>;

/** One webhook in a list of expected webhooks, or several equal webhooks in a row. */
export interface ExpectedWebhook extends Omit<WebhookExpectation, 'times'> {
  /** The number of equal webhooks in a row. @default 1 */
  readonly times?: number;
}

/** Exactly these webhooks, in this order, and no others. */
export interface ExactWebhooks {
  readonly exactly: readonly ExpectedWebhook[];
}

/**
 * What a test verifies: one expectation, a list of webhooks in this order (others may come in
 * between), or exactly these webhooks and no others.
 */
export type ExpectedWebhooks = WebhookExpectation | readonly ExpectedWebhook[] | ExactWebhooks;

export interface AnyExpectation
  extends Omit<Filter, 'account' | 'since' | 'limit'>,
    Pick<RequestExpectation, 'query' | 'headers' | 'body' | 'times'> {}

export type AnyExpected =
  | AnyExpectation
  | readonly AnyExpectation[]
  | { readonly exactly: readonly AnyExpectation[] };

const texts = (description: string) =>
  Type.Optional(
    Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Immutable(Type.Array(Type.String()))], {
        title: 'text or a list of texts',
      }),
      { description, title: 'an object of names and texts' },
    ),
  );
const number = (minimum: number, options: object = {}) =>
  Type.Integer({ minimum, maximum: MAX_TIMES, ...options });

const CONTENT_FIELDS = {
  headers: texts('Headers with these values. There may be more. Use a list for a repeated header.'),
  body: Type.Optional(
    jsonValue({
      description:
        'JSON, fields of a form, or text that the body contains. Objects may have more fields. Lists must have the same items in the same order.',
    }),
  ),
};

const TIMES = Type.Optional(
  Type.Union(
    [
      number(0),
      withRule(
        closedObject({ min: Type.Optional(number(0)), max: Type.Optional(number(0)) }),
        ({ min = 0, max = Infinity }) => (min <= max ? undefined : ['min', 'must be at most max']),
      ),
    ],
    {
      description:
        'How many match: a number, 0 for never, or { min, max }. The default is at least one.',
      title: `a whole number from 0 to ${MAX_TIMES}, or an object with some of min, max`,
    },
  ),
);

const STEP_TIMES = Type.Optional(number(1, { default: 1 }));

const REQUEST = {
  ...REQUEST_FIELDS,
  query: texts(
    'Query parameters with these values. There may be more. Use a list for a repeated parameter.',
  ),
  ...CONTENT_FIELDS,
};
const WEBHOOK = { ...WEBHOOK_FIELDS, ...CONTENT_FIELDS };

export const EXPECTATION: Definition<RequestExpectation> = define(
  closedObject(
    { ...REQUEST, times: TIMES },
    { $id: 'Expectation', examples: [{ path: '/momo/balance', status: 200, times: 2 }] },
  ),
);

export const EXPECTED_STEP: Definition<ExpectedRequest> = define(
  closedObject({ ...REQUEST, times: STEP_TIMES }, { $id: 'ExpectedStep' }),
);

export const WEBHOOK_EXPECTATION: Definition<WebhookExpectation> = define(
  closedObject(
    { ...WEBHOOK, times: TIMES },
    {
      $id: 'WebhookExpectation',
      examples: [{ url: 'http://localhost:3000/hook', status: 200, times: 1 }],
    },
  ),
);

export const EXPECTED_WEBHOOK: Definition<ExpectedWebhook> = define(
  closedObject({ ...WEBHOOK, times: STEP_TIMES }, { $id: 'ExpectedWebhook' }),
);

export const WEBHOOK_MATCH: Definition<WebhookMatch> = define(
  closedObject(
    { url: WEBHOOK_FIELDS.url, method: WEBHOOK_FIELDS.method, ...CONTENT_FIELDS },
    {
      description:
        'Which webhook it is for, with fields of an expectation. The default is any webhook.',
    },
  ),
);

/** A list of steps in order, or the same list as `exactly`. */
const steps = <Step>(step: Definition<Step>) => {
  const list = Type.Immutable(
    Type.Array(step as Definition<Step> & Type.TSchema, { maxItems: MAX_EXPECTATIONS }),
  );
  return [list, closedObject({ exactly: list })] as const;
};

export const EXPECTED: Definition<ExpectedRequests> = define(
  Type.Union([EXPECTATION, ...steps(EXPECTED_STEP)], {
    $id: 'Expected',
    title: 'an expectation, a list of requests in order, or { exactly: [...] }',
    examples: [
      { path: '/momo/balance', status: 200, times: 2 },
      [{ status: 503 }, { status: 200 }],
      { exactly: [{ operation: 'GET /momo/balance' }] },
    ],
  }),
);

export const EXPECTED_WEBHOOKS: Definition<ExpectedWebhooks> = define(
  Type.Union([WEBHOOK_EXPECTATION, ...steps(EXPECTED_WEBHOOK)], {
    $id: 'ExpectedWebhooks',
    title: 'an expectation, a list of webhooks in order, or { exactly: [...] }',
    examples: [
      { body: { status: 'success' }, status: 200 },
      [
        { attempt: 1, status: 500 },
        { attempt: 2, status: 200 },
      ],
    ],
  }),
);

/** How long to wait until the expectation is met. */
export interface MomoVerifyOptions {
  /** The maximum time to wait until the requests match, in ms. @default 0 */
  readonly timeout?: number;
}

/** The request for which `finish` waits. It matches if it matches all given fields. */
export type FinishedRequest = Omit<RequestExpectation, 'times'>;

/** How long `finish` waits, and for how many requests. */
export interface MomoFinishOptions {
  /** Wait until this many requests match, with those that arrived before. @default 1 */
  readonly waitFor?: number;
  /**
   * The maximum time to wait, in ms. The default is less than the 5 s after which vitest and jest end
   * a test.
   *
   * @default 4000
   */
  readonly timeout?: number;
}

export const FINISHED: Definition<FinishedRequest> = define(
  closedObject(REQUEST, {
    $id: 'Finished',
    examples: [{ operation: 'POST /momo/deposit' }],
  }),
);

export const FINISH_TIMEOUT = 4000;

export const FINISH_OPTIONS: Definition<MomoFinishOptions> = define(
  closedObject(
    {
      waitFor: integer('Wait until this many requests match, with those that arrived before.', {
        minimum: 1,
        maximum: MAX_TIMES,
        default: 1,
      }),
      timeout: integer('How long to wait, in ms.', {
        maximum: MAX_WAIT_MS,
        default: FINISH_TIMEOUT,
      }),
    },
    { $id: 'FinishOptions' },
  ),
);

export const VERIFY_OPTIONS: Definition<MomoVerifyOptions> = define(
  closedObject(
    {
      timeout: integer('How long to wait until everything is as expected, in ms.', {
        maximum: MAX_WAIT_MS,
        default: 0,
      }),
    },
    { $id: 'VerifyOptions' },
  ),
);

export function stepsOf(expected: AnyExpected): readonly AnyExpectation[] {
  if ('exactly' in expected) return expected.exactly;
  return Array.isArray(expected) ? expected : [expected as AnyExpectation];
}
