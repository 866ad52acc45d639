import * as Type from 'typebox';
import { BALANCE } from '../mock/contract.ts';
import { define } from '../mock/define.ts';
import type { Definition } from '../mock/definition.ts';
import { FAULT_TYPES } from '../mock/fault.ts';
import type { CallbackEntry, JournalEntry, RequestDetails } from '../mock/journal/entry.ts';
import { CALLBACK_HINTS, type CallbackReason, HINTS, type Reason } from '../mock/reason.ts';
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
          message: 'Failed to read responses[0].staus: unknown field. Did you mean "status"?',
        },
      },
    ],
  },
);

const nullable = <Schema extends Type.TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
const text = (description: string) => nullable(Type.String(), description);
const texts = (description: string) => {
  const list = Type.Immutable(Type.Array(Type.String()));
  return Type.Record(Type.String(), Type.Union([Type.String(), list]), { description });
};

const FIELDS = {
  id: Type.Integer({ description: 'Counts up in order of arrival, from 1.', minimum: 1 }),
  time: Type.String({ format: 'date-time', description: 'The time of arrival.' }),
  tls: text(
    'The TLS mode when the connection was made. A request in a mode other than normal shows that the client does not verify certificates. null without TLS.',
  ),
  account: text('The id of the account of the key. null without a valid key.'),
  method: text('null for a connection that sent no request.'),
  path: text(
    'In an unknown path, only segments that look like words are shown: letters, dot, dash and underscore, at most 24 characters, or a version such as v2. Every other segment is …, because it may be a key.',
  ),
  operation: text('The requested operation, such as GET /momo/balance.'),
  query: texts('A repeated parameter is a list. Secrets are [redacted].'),
  headers: texts('The names are in lower case. Secrets are [redacted].'),
  body: Type.String({ description: 'The first 65,536 bytes. Secrets are [redacted].' }),
  status: nullable(
    Type.Integer(),
    'null if no response was sent, or the client did not receive it.',
  ),
  source: nullable(
    Type.Enum(['fixture', 'handler', 'script', 'override', 'error', 'preflight']),
    'The source of the response.',
  ),
  file: text('The fixture file of the response.'),
  variant: text('The variant of the fixture file.'),
  fault: nullable(Type.Enum(FAULT_TYPES), 'The fault that was injected.'),
  reason: nullable(
    Type.Enum(Object.keys(HINTS) as Reason[]),
    'The reason if the request was refused.',
  ),
  hint: text('One line that says how to fix the problem.'),
  duration: nullable(Type.Number(), 'In ms. null while the request is in flight.'),
  ended: Type.Boolean({
    description:
      'Whether the request has ended: its response was sent or prevented, or its client has left.',
  }),
  aborted: Type.Boolean({
    description: 'Whether the client left before it had the whole response.',
  }),
};

export const REQUEST: Definition<JournalEntry> = define(Type.Object(FIELDS, { $id: 'Request' }));

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
        'null until the response is decided, and for a connection without a request.',
      ),
    },
    { description: 'The request and its response.' },
  ),
);

export const ATTEMPT: Definition<CallbackEntry> = define(
  Type.Object(
    {
      id: Type.Integer({
        description: 'Counts up in the order of the attempts, from 1.',
        minimum: 1,
      }),
      time: Type.String({
        format: 'date-time',
        description: 'The time of the attempt by the clock of the account.',
      }),
      account: text('The id of the account that it is sent for. null for the whole service.'),
      url: Type.String({ description: 'Without the fragment. Secrets are [redacted].' }),
      method: Type.String(),
      headers: texts('The names are in lower case. Secrets are [redacted].'),
      body: Type.String({ description: 'The first 65,536 bytes. Secrets are [redacted].' }),
      attempt: Type.Integer({ description: 'The number of the attempt, from 1.', minimum: 1 }),
      forge: nullable(
        Type.Enum(['signature', 'timestamp', 'body', 'missing']),
        'How it is forged. null if it is genuine.',
      ),
      status: nullable(Type.Integer(), 'The status of the response. null if there was none.'),
      reason: nullable(
        Type.Enum(Object.keys(CALLBACK_HINTS) as CallbackReason[]),
        'The reason if there is no status.',
      ),
      hint: text('One line that says how to fix the problem.'),
      duration: nullable(Type.Number(), 'In ms. null while the attempt is in flight.'),
    },
    { $id: 'Attempt' },
  ),
);

/**
 * The journal entries that match a filter.
 *
 * @param name the name of the field with the entries
 */
export function foundEntries(name: 'requests' | 'callbacks', entry: object) {
  return Type.Object(
    {
      [name]: Type.Array(entry as Type.TSchema),
      dropped: Type.Integer({
        description:
          'The number of entries of all accounts that were removed to make room for newer ones.',
        minimum: 0,
      }),
      total: Type.Integer({
        description: 'The number of entries that match, regardless of the limit.',
        minimum: 0,
      }),
    },
    {
      description: `The ${name} that match the filter.`,
      examples: [{ [name]: [], dropped: 0, total: 0 }],
    },
  );
}

export type Overview = Type.Static<typeof OVERVIEW>;

export const OVERVIEW = Type.Object(
  {
    version: Type.String(),
    startedAt: Type.String({ format: 'date-time', description: 'The time of the start.' }),
    url: Type.String({ format: 'uri', description: 'Base URL of the service.' }),
    certificate: Type.Object({
      expiresAt: Type.String({ format: 'date-time', description: 'The end of its validity.' }),
      names: Type.Array(Type.String(), {
        description: 'The host names and addresses that it is valid for.',
      }),
      file: Type.Union([Type.String(), Type.Null()], {
        description: 'The path of the file to trust. null if the certificate is in memory only.',
      }),
    }),
    key: Type.Object(
      {
        query: Type.Record(Type.String(), Type.String()),
        headers: Type.Record(Type.String(), Type.String()),
        user: Type.Union([Type.String(), Type.Null()], {
          description: 'The user name of Basic authentication.',
        }),
      },
      {
        description:
          'The parts of a request that carry a key. The key is [redacted], unless none is configured.',
      },
    ),
    settings: Type.Array(
      Type.Object({
        name: Type.String(),
        value: Type.Union([Type.String(), Type.Null()], {
          description: 'null if it has none. Secrets are [redacted].',
        }),
      }),
    ),
  },
  {
    description: 'The mock, its certificate and its settings.',
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
        settings: [{ name: 'MOMO_MOCK_PORT', value: '8443' }],
      },
    ],
  },
);

export type Health = Type.Static<typeof HEALTH>;

export const HEALTH = Type.Object(
  {
    ready: Type.Literal(true, { description: 'The service answers requests.' }),
    version: Type.String(),
    url: Type.String({ format: 'uri', description: 'Base URL of the service.' }),
    operations: Type.Array(Type.String(), {
      description: 'The operations of the service, such as GET /momo/balance.',
    }),
    openOperations: Type.Array(Type.String(), {
      description: 'The operations that respond without a key, because their handlers say so.',
    }),
    certificate: Type.Object({
      expiresAt: Type.String({
        format: 'date-time',
        description: 'The end of its validity, ISO 8601.',
      }),
    }),
    uncaughtErrors: Type.Integer({
      minimum: 0,
      description:
        'The number of errors of handlers that nothing caught, such as those of promises that are not awaited. Each is in the log.',
    }),
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
