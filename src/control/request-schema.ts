import { FAULTS } from '../mock/fault.ts';
import { HINTS } from '../mock/reason.ts';

const REASONS = Object.keys(HINTS);
const text = (description: string) => ({ type: ['string', 'null'], description }) as const;
const texts = (description: string) => {
  const value = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };
  return { type: 'object', description, additionalProperties: value } as const;
};
const whole = (description: string, minimum: number, maximum?: number) => {
  return { type: 'integer', description, minimum, ...(maximum && { maximum }) } as const;
};

const ENTRY = {
  id: whole('Counts up in order of arrival, from 1.', 1),
  time: { type: 'string', format: 'date-time', description: 'When it arrived.' },
  tls: text(
    'The TLS mode that the connection began in; a request under another than normal shows that the client does not verify. null without TLS.',
  ),
  account: text('Whose key it was: an id, never the key. null where there was no good key.'),
  method: text('null for a connection that never became a request.'),
  path: text("Text that is in no operation's path is left out (…): it may be a key."),
  operation: text('The operation that was asked for, such as GET /momo/balance.'),
  query: texts('A parameter that came several times is a list. Keys are taken out.'),
  headers: texts('Names in lower case. Keys and other secrets are taken out.'),
  body: { type: 'string', description: 'Its first 65,536 bytes. Keys are taken out.' },
  status: { type: ['integer', 'null'], description: 'null while there is no answer.' },
  source: text('What the answer was taken from.'),
  file: text('The fixture file of the answer.'),
  variant: text('The variant of the fixture file.'),
  fault: { ...text('How the answer was broken.'), enum: [...FAULTS, null] },
  reason: { ...text('Why it was refused.'), enum: [...REASONS, null] },
  hint: text('One line for a person on how to mend that.'),
  duration: { type: ['number', 'null'], description: 'In ms; null while it is in flight.' },
  aborted: { type: 'boolean', description: 'The client went away before it had the answer.' },
} as const;

/** The schema of what the journal holds of a request. */
export const REQUEST_SCHEMA = {
  $id: 'Request',
  type: 'object',
  required: Object.keys(ENTRY),
  properties: ENTRY,
} as const;

/** The schema of what can be asked of the journal, in the query. */
export const FILTER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    status: whole('With this status of the answer.', 100, 599),
    reason: { type: 'string', enum: REASONS, description: 'Refused for this reason.' },
    path: { type: 'string', description: 'At this path, as asked for or as the operation has it.' },
    since: whole('After the one with this id.', 0),
    limit: whole('At most so many, the newest.', 0),
    waitFor: { ...whole('Wait until so many have arrived.', 0), default: 0 },
    timeout: { ...whole('Wait no longer, in ms.', 0, 600_000), default: 5000 },
  },
} as const;
