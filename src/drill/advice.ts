import { FAILURES } from './failures.ts';
import type { DrillWrong } from './result.ts';
import type { StageOptions } from './stage.ts';

/** What to do about something that is wrong in the same way whatever failed. */
const BY_KIND: Readonly<Partial<Record<DrillWrong, string>>> = {
  'wrong-amount':
    'Send the amount of the order, in the unit that the provider expects, without rounding it.',
  'wrong-currency': 'Send the currency of the order.',
  'wrong-party': 'Send the phone number of the order: none that is built in or kept from another.',
  'wrong-order': 'Send the id of the order with each of its payments.',
  'given-back':
    'Give back only what was taken: read the state of the payment before you refund it.',
  crashed:
    'Handle the errors of each request: a crash loses what the application knew of its orders.',
  forgotten: 'Save the order before you send the request: its payment may be taken already.',
  hangs:
    'Set a timeout for the connection and for the response, and treat it as an unknown outcome.',
  unfulfilled: 'Fulfill an order when it becomes paid, in the same transaction.',
  'fulfilled-unpaid': 'Fulfill an order when it becomes paid, in the same transaction.',
};
/** The failure whose advice helps, whatever failed. */
const LIKE: Readonly<Partial<Record<DrillWrong, string>>> = {
  'fulfilled-twice': 'webhook-twice',
  underpaid: 'webhook-amount',
};
/** Advice on a lost response is how not to pay again. It does not help an application that did not. */
const AFTER_LOST = ['failed-charged', 'paid-uncharged', 'pending-charged'];

/**
 * One line on what to do: what the provider's `drill.js` says, or else the drill.
 *
 * @param adviceOf another failure whose advice helps
 */
export function advise(
  kind: DrillWrong,
  { failure, provider: { advice } }: Pick<StageOptions, 'failure' | 'provider'>,
  adviceOf?: string,
): string {
  const general = BY_KIND[kind];
  if (general !== undefined) return general;
  const isUnsure = failure.right === 'found-out' && AFTER_LOST.includes(kind);
  const name = LIKE[kind] ?? adviceOf ?? (isUnsure ? 'pending-forever' : failure.name);
  const like = FAILURES.find((one) => one.name === name) ?? failure;
  return advice?.[`payment:${name}`] ?? advice?.[name] ?? like.advice;
}
