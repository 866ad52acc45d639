import * as Type from 'typebox';
import { BALANCE } from '../mock/contract.ts';
import type { RequestDetails, RequestEntry, WebhookEntry } from '../mock/journal/entry.ts';
import { define } from '../mock/json/define.ts';
import type { Definition } from '../mock/json/definition.ts';
import type { MomoOperation } from '../mock/operations/operation-name.ts';
import {
  HINTS,
  type RequestReason,
  WEBHOOK_HINTS,
  type WebhookReason,
} from '../mock/requests/reason.ts';
import { FAULT_TYPES } from '../mock/responses/fault.ts';
import { STATUSES } from './control-error.ts';

export const ERROR = Type.Object(
  {
    error: Type.Object({
      code: Type.Enum(Object.keys(STATUSES), { description: 'The kind of error.' }),
      message: Type.String({ description: 'The error and its fix: Failed to X: cause. Do Y.' }),
    }),
  },
  {
    $id: 'Error',
    examples: [
      {
        error: {
          code: 'MOMO_MOCK_REQUEST_INVALID',
          message: 'Unknown field "responses[0].staus". Did you mean "status"?',
        },
      },
    ],
  },
);

/** A result that is not JSON. */
export const textResult = (type: string, description: string, example: string) => ({
  description,
  content: { [type]: { schema: Type.String({ examples: [example] }) } },
});
export const nullable = <Schema extends Type.TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
export const nullableText = (description?: string) => nullable(Type.String(), description);
export const time = (description: string) => Type.String({ format: 'date-time', description });
export const count = (description: string, minimum = 0) => Type.Integer({ description, minimum });
export const texts = (description?: string) => {
  const list = Type.Immutable(Type.Array(Type.String()));
  const options = description === undefined ? {} : { description };
  return Type.Record(Type.String(), Type.Union([Type.String(), list]), options);
};

/** With a list of what is scripted. */
export const IDS = Type.Immutable(
  Type.Array(Type.Integer(), {
    description: 'The id of each, in the same order. It stays the same while others are used.',
  }),
);

const FIELDS = {
  id: count('The number of the request, in order of arrival.', 1),
  time: time('The time of arrival.'),
  tls: nullableText(
    'The TLS mode of the connection. A request in a mode other than normal shows that the client does not verify certificates. null without TLS.',
  ),
  account: nullableText('The id of the account. null without a valid key.'),
  method: nullableText('The HTTP method. null for a connection that sent no request.'),
  path: nullableText(
    'The path. In an unknown path, … replaces each segment that could be a key, unless the key is in a header.',
  ),
  operation: nullable(
    Type.Unsafe<MomoOperation>(Type.String()),
    'The operation, such as GET /momo/balance. null if there is none.',
  ),
  query: texts('The query. A repeated parameter is a list. Secrets are [redacted].'),
  headers: texts('The headers, with names in lower case. Secrets are [redacted].'),
  body: Type.String({ description: 'The first 65,536 bytes of the body. Secrets are [redacted].' }),
  status: nullable(
    Type.Integer(),
    'The status of the response. null while the request is in flight, and if the client received no status line.',
  ),
  source: nullable(
    Type.Enum(['fixture', 'handler', 'script', 'balance', 'error', 'preflight']),
    'Where the response comes from: fixture, handler, script, balance (one that a test set), error or preflight. null until it is decided.',
  ),
  file: nullableText(
    'The fixture file of the response. For a scripted response, the handler that ran before it. null without one.',
  ),
  variant: nullableText('The variant of the fixture file. null for the default file.'),
  fault: nullable(Type.Enum(FAULT_TYPES), 'The injected fault. null without one.'),
  reason: nullable(
    Type.Unsafe<RequestReason>(Type.Union([Type.Enum(Object.keys(HINTS)), Type.String()])),
    'Why the request was refused: a reason of the mock, or of a handler. null if it was not.',
  ),
  hint: nullableText('One line that says how to fix the problem.'),
  duration: nullable(Type.Number(), 'The duration, in ms. null while the request is in flight.'),
  ended: Type.Boolean({
    description:
      'Whether the request has ended: the response was sent or prevented, or the client has left.',
  }),
  aborted: Type.Boolean({
    description: 'Whether the client left before it received the whole response.',
  }),
};

export const REQUEST: Definition<RequestEntry> = define(Type.Object(FIELDS, { $id: 'Request' }));

export const DETAILS: Definition<RequestDetails> = define(
  Type.Object(
    {
      ...FIELDS,
      response: nullable(
        Type.Object({
          status: Type.Integer(),
          headers: texts('The names are in lower case. Secrets are [redacted].'),
          body: Type.String({ description: 'The first 65,536 bytes. Secrets are [redacted].' }),
        }),
        'The response that the mock decided on. null until then, and for a connection without a request.',
      ),
    },
    { description: 'The request and its response.' },
  ),
);

export const ATTEMPT: Definition<WebhookEntry> = define(
  Type.Object(
    {
      id: count('The number of the entry, in order.', 1),
      time: time("The time of the attempt by the account's clock."),
      account: nullableText('The id of the account. null for all accounts.'),
      url: Type.String({ description: 'The URL without its fragment. Secrets are [redacted].' }),
      method: Type.String({ description: 'The HTTP method.' }),
      headers: FIELDS.headers,
      body: FIELDS.body,
      webhookId: Type.String({
        description: 'The same for all attempts of a webhook. A signature has it as {id}.',
      }),
      attempt: count('The number of the attempt, from 1.', 1),
      forge: nullable(
        Type.Enum(['signature', 'timestamp', 'body', 'missing']),
        'How the webhook is forged: signature, timestamp, body or missing. null if it is genuine.',
      ),
      status: nullable(Type.Integer(), 'The status of the response. null if there was none.'),
      accepted: nullable(
        Type.Boolean(),
        'Whether the status counts as accepted. null while the attempt is in flight.',
      ),
      reason: nullable(
        Type.Enum(Object.keys(WEBHOOK_HINTS) as WebhookReason[]),
        'Why there is no status. null if there is one, or while the attempt is in flight.',
      ),
      hint: FIELDS.hint,
      duration: nullable(
        Type.Number(),
        'The duration, in ms. null while the attempt is in flight.',
      ),
    },
    { $id: 'Attempt', description: 'The attempt.' },
  ),
);

export function matchingEntries(name: 'requests' | 'webhooks', entry: object) {
  const noun = name === 'requests' ? name : 'attempts';
  return Type.Object(
    {
      [name]: Type.Array(entry as Type.TSchema, { description: `The ${noun}, in order.` }),
      dropped: count(
        'Entries of the account dropped because the journal was full. They may have matched. 0 if all of them are older than since.',
      ),
      total: count('How many entries match, including those beyond limit.'),
    },
    {
      description: `The ${noun} that match all filters.`,
      examples: [{ [name]: [], dropped: 0, total: 0 }],
    },
  );
}

export const TOO_FEW = 'fewer than waitFor match within timeout';

/** @param what is not as it should be */
export function notVerified(
  noun: 'requests' | 'attempts',
  entry: object,
  what = 'something is not as expected, or the journal cannot tell',
) {
  const unknown =
    noun === 'requests'
      ? ' MOMO_MOCK_OPERATION_UNKNOWN: an expected operation has no fixture file.'
      : '';
  return Type.Object(
    {
      ...ERROR.properties,
      closest: Type.Optional(
        Type.Array(entry as Type.TSchema, {
          description: `The ${noun} that come closest to the missing one, closest first.`,
        }),
      ),
    },
    {
      description: `MOMO_MOCK_NOT_VERIFIED: ${what}.${unknown}`,
    },
  );
}

export type Overview = Type.Static<typeof OVERVIEW>;

export const OVERVIEW = Type.Object(
  {
    version: Type.String(),
    startedAt: time('When the mock started.'),
    url: Type.String({ format: 'uri', description: 'Base URL of the service.' }),
    certificate: Type.Object({
      expiresAt: time('The end of its validity.'),
      names: Type.Array(Type.String(), {
        description: 'The host names and addresses of the certificate.',
      }),
      file: nullableText('The file to trust. null if the certificate is in memory only.'),
    }),
    key: Type.Object(
      {
        query: Type.Record(Type.String(), Type.String()),
        headers: Type.Record(Type.String(), Type.String()),
        user: nullableText('The user name of Basic authentication.'),
      },
      {
        description:
          'The parts of a request that carry a key. The key is [redacted], unless none is configured.',
      },
    ),
    example: nullableText('A request to try, such as GET /momo/balance. null without operations.'),
    settings: Type.Array(
      Type.Object({
        name: Type.String(),
        value: nullableText('The value. null if there is none. Secrets are [redacted].'),
      }),
    ),
  },
  {
    description: 'The version, the certificate and the settings.',
    examples: [
      {
        version: '0.1.0',
        startedAt: '2026-11-22T12:00:00.000Z',
        url: 'https://localhost:8443',
        certificate: {
          expiresAt: '2027-01-31T00:00:00.000Z',
          names: ['localhost', '127.0.0.1', '::1'],
          file: '/app/certs/momo-mock.pem',
        },
        key: { query: { apikey: '[redacted]' }, headers: {}, user: null },
        example: 'GET /momo/balance',
        settings: [{ name: 'MOMO_MOCK_PORT', value: '8443' }],
      },
    ],
  },
);

export type Health = Type.Static<typeof HEALTH>;

export const HEALTH = Type.Object(
  {
    ready: Type.Literal(true, { description: 'The service is ready.' }),
    version: Type.String(),
    url: Type.String({ format: 'uri', description: 'Base URL of the service.' }),
    operations: Type.Array(Type.String(), {
      description: 'The operations of the service, such as GET /momo/balance.',
    }),
    openOperations: Type.Array(Type.String(), {
      description: 'The operations that respond without a key, because their handlers say so.',
    }),
    certificate: Type.Object({
      expiresAt: time('The end of its validity, ISO 8601.'),
    }),
    uncaughtErrors: count(
      'How many errors of handlers nothing caught, for example in a promise that is not awaited. The log has each of them.',
    ),
  },
  {
    description: 'The mock is ready.',
    examples: [
      {
        ready: true,
        version: '0.1.0',
        url: 'https://localhost:8443',
        operations: [BALANCE],
        openOperations: [],
        certificate: { expiresAt: '2027-01-31T00:00:00.000Z' },
        uncaughtErrors: 0,
      },
    ],
  },
);
