import * as Type from 'typebox';
import { define } from '../../mock/check.ts';
import type { Definition } from '../../mock/definition.ts';
import { FAULTS } from '../../mock/fault.ts';
import type { JournalEntry } from '../../mock/journal-record.ts';
import { HINTS, type Reason } from '../../mock/reason.ts';

const nullable = <Schema extends Type.TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
const text = (description: string) => nullable(Type.String(), description);
const texts = (description: string) => {
  const list = Type.Immutable(Type.Array(Type.String()));
  return Type.Record(Type.String(), Type.Union([Type.String(), list]), { description });
};

/** An entry of the journal, as it is shown. */
export const REQUEST: Definition<JournalEntry> = define(
  Type.Object(
    {
      id: Type.Integer({ description: 'Counts up in order of arrival, from 1.', minimum: 1 }),
      time: Type.String({ format: 'date-time', description: 'When it arrived.' }),
      tls: text(
        'The TLS mode that the connection began in; a request under another than normal shows that the client does not verify. null without TLS.',
      ),
      account: text('Whose key it was: an id, never the key. null where there was no good key.'),
      method: text('null for a connection that never became a request.'),
      path: text(
        'Of a path that is no operation, segments that look like words stay: letters, dot, dash and underscore, at most 24 characters, or a version such as v2. Every other segment is …, because it may be a key.',
      ),
      operation: text('The operation that was asked for, such as GET /momo/balance.'),
      query: texts('A parameter that came several times is a list. Secrets are [redacted].'),
      headers: texts('Names in lower case. Secrets are [redacted].'),
      body: Type.String({ description: 'Its first 65,536 bytes. Secrets are [redacted].' }),
      status: nullable(
        Type.Integer(),
        'null while there is no answer, and where the client never got one.',
      ),
      source: nullable(
        Type.Enum(['fixture', 'script', 'override', 'error', 'preflight']),
        'What the answer was taken from.',
      ),
      file: text('The fixture file of the answer.'),
      variant: text('The variant of the fixture file.'),
      fault: nullable(Type.Enum([...FAULTS]), 'How the answer was broken.'),
      reason: nullable(Type.Enum(Object.keys(HINTS) as Reason[]), 'Why it was refused.'),
      hint: text('One line for a person on how to fix that.'),
      duration: nullable(Type.Number(), 'In ms; null while it is in flight.'),
      aborted: Type.Boolean({ description: 'The client went away before it had the answer.' }),
    },
    { $id: 'Request' },
  ),
);
