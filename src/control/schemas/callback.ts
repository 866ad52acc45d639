import * as Type from 'typebox';
import {
  CALLBACK_HINTS,
  type CallbackEntry,
  type CallbackReason,
} from '../../mock/callbacks/callback-record.ts';
import { define } from '../../mock/define.ts';
import type { Definition } from '../../mock/definition.ts';
import { nullable, text, texts } from './journal.ts';

/** The definition of an attempt of a callback. */
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
      account: text('The id of the account whose handler queued it.'),
      url: Type.String({ description: 'Without the fragment. Secrets are [redacted].' }),
      method: Type.String(),
      headers: texts('The names are in lower case. Secrets are [redacted].'),
      body: Type.String({ description: 'The first 65,536 bytes. Secrets are [redacted].' }),
      attempt: Type.Integer({ description: 'The number of the attempt, from 1.', minimum: 1 }),
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
