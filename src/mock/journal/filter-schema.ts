import * as Type from 'typebox';
import { define } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { MAX_WAIT_MS } from '../limits.ts';
import type { MomoOperation } from '../operations/operation-name.ts';
import { WEBHOOK_HINTS, type WebhookReason } from '../requests/reason.ts';
import { REASON } from '../requests/reason-schema.ts';
import { FAULT_TYPES } from '../responses/fault.ts';
import {
  DEFAULT_LIMIT,
  DEFAULT_TIMEOUT_MS,
  type RequestsOptions,
  type WebhooksOptions,
} from './filter.ts';

const count = (description: string, options: object = {}) =>
  Type.Optional(
    Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...options }),
  );

const oneOf = <const Value extends string>(values: Value[], description: string) =>
  Type.Optional(Type.Enum(values, { description }));

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

const text = (description: string) => Type.Optional(Type.String({ description }));

/** Not beside its type `RequestFields`, whose declaration must not import TypeBox. */
export const REQUEST_FIELDS = {
  method: text('Requests with this method.'),
  path: text(
    'Requests with this path, without the query: as requested, or as in the operation, such as /momo/status/:reference.',
  ),
  operation: Type.Optional(
    Type.Unsafe<MomoOperation>(
      Type.String({ description: 'Requests for this operation, such as GET /momo/balance.' }),
    ),
  ),
  status: Type.Optional(
    Type.Union([Type.Integer({ minimum: 100, maximum: 599 }), Type.Null()], {
      title: 'a whole number from 100 to 599, or null',
      description:
        'Requests whose response has this status. null: requests that ended without a status line.',
    }),
  ),
  reason: Type.Optional(REASON('Requests refused for this reason.')),
  fault: oneOf(FAULT_TYPES, 'Requests whose response had this fault.'),
  aborted: flag('true: requests whose client left before it received the whole response.'),
  ended: flag('true: requests that have ended. With waitFor, this waits for their end.'),
};

/** Not beside its type `WebhookFields`, whose declaration must not import TypeBox. */
export const WEBHOOK_FIELDS = {
  url: text('Attempts with this URL, with or without its query.'),
  method: text('Attempts with this method.'),
  status: count('Attempts whose response has this status.', { minimum: 100, maximum: 599 }),
  reason: oneOf(
    Object.keys(WEBHOOK_HINTS) as WebhookReason[],
    'Attempts without a status, for this reason.',
  ),
  attempt: count('Attempts with this number, from 1.', { minimum: 1 }),
};

const pageFields = (noun: 'requests' | 'attempts') => ({
  since: count(`${noun === 'requests' ? 'Requests' : 'Attempts'} after the one with this id.`),
  limit: count(
    `Return at most this many, the newest ones. The default is ${DEFAULT_LIMIT}, or waitFor if that is more.`,
  ),
  waitFor: count(
    `Wait until this many ${noun} ${noun === 'requests' ? 'match' : 'have ended'}, then return them.`,
    { default: 0 },
  ),
  timeout: count('How long to wait, in ms. After that, the response is a 422.', {
    maximum: MAX_WAIT_MS,
    default: DEFAULT_TIMEOUT_MS,
  }),
});

export const REQUESTS_OPTIONS: Definition<RequestsOptions> = define(
  Type.Object(
    { ...REQUEST_FIELDS, ...pageFields('requests') },
    { $id: 'Filter', additionalProperties: false },
  ),
);

export const WEBHOOKS_OPTIONS: Definition<WebhooksOptions> = define(
  Type.Object(
    { ...WEBHOOK_FIELDS, ...pageFields('attempts') },
    { $id: 'WebhookFilter', additionalProperties: false },
  ),
);
