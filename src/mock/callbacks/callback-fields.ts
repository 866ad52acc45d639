import * as Type from 'typebox';
import { count, text } from '../journal/request-fields.ts';
import { CALLBACK_HINTS, type CallbackReason } from './callback-record.ts';

/** The definitions of `CallbackFields`, apart from the type, whose declaration must not import TypeBox. */
export const CALLBACK_FIELDS = {
  url: text('Attempts with this URL, with or without its query.'),
  method: text('Attempts with this method.'),
  status: count('Attempts whose response has this status.', { minimum: 100, maximum: 599 }),
  reason: Type.Optional(
    Type.Enum(Object.keys(CALLBACK_HINTS) as CallbackReason[], {
      description: 'Attempts that have no status for this reason.',
    }),
  ),
  attempt: count('Attempts with this number, from 1.', { minimum: 1 }),
};
