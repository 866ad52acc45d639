import * as Type from 'typebox';
import { closedObject, define, flag, integer, oneOf, text } from '../json/define.ts';
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
  status: integer('Attempts whose response has this status.', { minimum: 100, maximum: 599 }),
  reason: oneOf(
    Object.keys(WEBHOOK_HINTS) as WebhookReason[],
    'Attempts without a status, for this reason.',
  ),
  attempt: integer('Attempts with this number, from 1.', { minimum: 1 }),
};

/** @param what such as `requests match` */
export const waitFields = (what: string) => ({
  waitFor: integer(`Wait until this many ${what}, then return them.`, { default: 0 }),
  timeout: integer('How long to wait, in ms. After that, the response is a 422.', {
    maximum: MAX_WAIT_MS,
    default: DEFAULT_TIMEOUT_MS,
  }),
});

const pageFields = (noun: 'requests' | 'attempts') => ({
  since: integer(`${noun === 'requests' ? 'Requests' : 'Attempts'} after the one with this id.`),
  limit: integer(
    `Return at most this many, the newest ones. The default is ${DEFAULT_LIMIT}, or waitFor if that is more.`,
  ),
  ...waitFields(`${noun} ${noun === 'requests' ? 'match' : 'have ended'}`),
});

export const REQUESTS_OPTIONS: Definition<RequestsOptions> = define(
  closedObject({ ...REQUEST_FIELDS, ...pageFields('requests') }, { $id: 'Filter' }),
);

export const WEBHOOKS_OPTIONS: Definition<WebhooksOptions> = define(
  closedObject({ ...WEBHOOK_FIELDS, ...pageFields('attempts') }, { $id: 'WebhookFilter' }),
);
