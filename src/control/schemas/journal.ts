import * as Type from 'typebox';
import { define } from '../../mock/define.ts';
import type { Definition } from '../../mock/definition.ts';
import { FAULTS } from '../../mock/fault.ts';
import type { JournalEntry, RequestDetails } from '../../mock/journal/journal-entry.ts';
import { HINTS, type Reason } from '../../mock/reason.ts';

/** The definition of a value that may be `null`. */
export const nullable = <Schema extends Type.TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
/** The definition of a text that may be `null`. */
export const text = (description: string) => nullable(Type.String(), description);
/** The definition of names and values, such as headers. */
export const texts = (description: string) => {
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
  fault: nullable(Type.Enum([...FAULTS]), 'The fault that was injected.'),
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

/** The definition of a journal entry. */
export const REQUEST: Definition<JournalEntry> = define(Type.Object(FIELDS, { $id: 'Request' }));

/** The definition of a journal entry with its response. */
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
