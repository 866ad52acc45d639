import type { LedgerEntry } from '../mock/ledger/momo-drill.ts';
import {
  evidence,
  type Facts,
  gotResponse,
  money,
  type OrderEntry,
  refusalIn,
  seconds,
} from './facts.ts';
import { isSameParty } from './party.ts';
import type { DrillWrong } from './result.ts';

/** What is wrong with the money. */
export interface Wrong {
  readonly kind: DrillWrong;
  readonly sentence: string;
  /** Whether nothing that comes later makes it right. */
  readonly isFinal: boolean;
}

/** What a failure has to lead to, by name, in words for people. */
export const RIGHT = {
  paid: 'charged once, and paid',
  refused: 'not charged, and failed',
  'found-out':
    'charged once at most; never failed while charged, never paid without a charge; pending where the provider has no way to find out',
  either: 'charged once and paid, or not charged and failed or pending',
  pending: 'pending, and charged once at most',
  untouched: 'not charged, and not paid',
  underpaid: 'not paid',
} as const;
export type Right = keyof typeof RIGHT;

/** What is wrong, if anything is. */
export function wrongWith(right: Right, facts: Facts): Wrong | undefined {
  return wrongInEvery(right, facts) ?? wrongAfter(right, facts);
}

/** What is wrong in every failure, whatever comes later. */
export function wrongInEvery(right: Right, facts: Facts): Wrong | undefined {
  const { order, charges, taken, backs } = facts;
  const paid = charges.filter(({ state }) => state === 'success');
  const [charge = order] = taken;
  const sum = money(charge);
  const price = money(order);
  const attempts = evidence(facts.starts);
  const wrong = (kind: DrillWrong, sentence: string): Wrong => {
    return { kind, sentence: `${sentence}.`, isFinal: true };
  };

  const misplaced = charges.map((entry) => misplacement(entry, facts)).find((one) => one);
  if (misplaced !== undefined) return wrong(misplaced.kind, `${misplaced.text}${attempts}`);
  if (taken.length > 1) {
    const times = taken.length === 2 ? 'twice' : `${taken.length} times`;
    const sums = new Set(taken.map(money));
    const all = sums.size === 1 ? `${taken.length} × ${sum}` : [...sums].join(' and ');
    return wrong(
      'charged-twice',
      `The customer was charged ${times}: ${all} for one order${attempts}`,
    );
  }
  const reversed = charges.filter(({ state }) => state === 'reversed');
  const once = [...paid, ...reversed];
  const givenBack = totalOf(backs.filter(({ state }) => state !== 'failed'));
  if (givenBack > totalOf(once)) {
    const what = once.length === 0 ? 'nothing was taken' : `only ${sum} was taken`;
    const back = money({ amount: givenBack, currency: backs[0]?.currency ?? '' });
    return wrong('given-back', `The customer got back ${back}, but ${what}`);
  }
  const { state, fulfilled = state === 'paid' ? 1 : 0 } = facts.outcome;
  if (right === 'underpaid') {
    if (charge.amount >= order.amount) return undefined;
    const what = `but the customer paid ${sum} of ${price}`;
    if (state === 'paid') return wrong('underpaid', `The application says paid, ${what}`);
    return fulfilled > 0 ? wrong('underpaid', `The order was fulfilled, ${what}`) : undefined;
  }
  const isAmount = charge.amount === order.amount;
  if (!isAmount || charge.currency !== order.currency) {
    const text = `The customer was charged ${sum} for an order of ${price}${attempts}`;
    return wrong(isAmount ? 'wrong-currency' : 'wrong-amount', text);
  }
  // An application that was paid learns only later that the payment was reversed.
  if (state === 'paid' && once.length === 0) {
    const why = taken.length > 0 ? 'the payment is still pending' : 'the customer was not charged';
    return wrong('paid-uncharged', `The application says paid, but ${why}${attempts}`);
  }
  if (facts.isForgotten && taken.length > 0) {
    const what = paid.length > 0 ? `paid ${sum}` : `may still pay ${sum}`;
    return wrong(
      'forgotten',
      `The application does not know the order, but the customer ${what}${attempts}`,
    );
  }
  if (state === 'failed' && taken.length > 0) {
    const what = paid.length > 0 ? `paid ${sum}` : `may still pay ${sum}: the payment was taken`;
    return wrong(
      'failed-charged',
      `The application says failed, but the customer ${what}${attempts}`,
    );
  }
  if (fulfilled > 1) {
    const text = `The order was fulfilled ${fulfilled} times for one payment of ${sum}`;
    return wrong('fulfilled-twice', text);
  }
  if (fulfilled > 0 && state !== 'paid') {
    return wrong('fulfilled-unpaid', `The order was fulfilled, but the application says ${state}`);
  }
  return undefined;
}

/** What is wrong with the end of one failure. Here, the application and the ledger do not contradict each other. */
function wrongAfter(right: Right, facts: Facts): Wrong | undefined {
  const { charges, taken, outcome, patience, calm, requests, questions } = facts;
  const { state, fulfilled } = outcome;
  const isPaid = charges.some(({ state }) => state === 'success');
  const [charge = facts.order] = taken;
  const sum = money(charge);
  const attempts = evidence(facts.starts);
  const after =
    calm >= patience
      ? `within ${seconds(patience)}. Set patience to wait longer`
      : `after ${seconds(facts.elapsed)}`;
  const wrong = (kind: DrillWrong, sentence: string, isFinal = false): Wrong => {
    const isAbout = kind === 'not-started' || kind === 'pending-failed';
    const refusal = isAbout ? wordsOfRefusal(facts) : '';
    return { kind, sentence: `${sentence}.${refusal}`, isFinal };
  };

  if (right === 'underpaid') return undefined;
  if (state === 'paid' && fulfilled === 0) {
    const text = `The customer paid ${sum}, but the order is not fulfilled ${after}`;
    return wrong('unfulfilled', text);
  }
  if (state === 'paid') {
    if (right !== 'refused' && right !== 'pending' && right !== 'untouched') return undefined;
    const text = `The application says paid, which should not be possible${attempts}`;
    return wrong('paid-uncharged', text, true);
  }
  if (right === 'untouched' && taken.length > 0) {
    return wrong(
      'not-started',
      `The payment of ${sum} should not have been taken${attempts}`,
      true,
    );
  }
  if (isPaid) {
    if (right === 'found-out' && couldNotKnow(facts)) return undefined;
    const how = questions.length === 0 ? ' It never asked for the state.' : '';
    const text = `The customer paid ${sum}, but the application still says pending${attempts} ${after}`;
    const { kind, sentence, isFinal } = wrong('pending-charged', text);
    return { kind, sentence: `${sentence}${how}`, isFinal };
  }
  if (taken.length > 0) {
    if (right === 'pending') return undefined;
    return wrong('pending-charged', `The payment of ${sum} has not ended${attempts} ${after}`);
  }
  switch (right) {
    // What was not taken could not be lost: then the failure has not happened.
    case 'found-out':
    case 'either':
    case 'untouched':
      return undefined;
    case 'refused': {
      if (charges.length > 0 && state === 'failed') return undefined;
      const text =
        charges.length === 0
          ? `The application has not started a payment${attempts} ${after}`
          : `The provider refused the payment, but the application still says pending${evidence(questions)} ${after}`;
      return wrong(charges.length === 0 ? 'not-started' : 'pending-failed', text);
    }
    default: {
      const unheard = requests.length === 0 ? '. No request reached the provider' : '';
      const text = `The customer was not charged: the application says ${state}, and no payment was taken${attempts} ${after}${unheard}`;
      return wrong('not-started', text);
    }
  }
}

/** What the journal says of a payment that the provider refused, after a sentence. */
export function wordsOfRefusal(facts: Facts): string {
  const { operation, reason, hint } =
    (facts.charges.length === 0 ? refusalIn(facts) : undefined) ?? {};
  if (reason === undefined) return '';
  return ` The provider refused ${operation ?? 'a request'}: ${reason}.${hint === null ? '' : ` ${hint}`}`;
}

/** Whether the application had no way to learn how the payment ended. */
function couldNotKnow(facts: Facts): boolean {
  const { flow, isTold, taken } = facts;
  if (flow.status.length === 0 && !isTold) return true;
  if (gotResponse(facts)) return false;
  const hasId = taken.every(({ order }) => order !== null);
  return flow.lost === 'unknown' || (flow.lost === 'webhook' && (!isTold || !hasId));
}

function misplacement(entry: OrderEntry, { order, sendsOrder }: Facts) {
  const { party, misplaced } = entry;
  const isParty = party === '' || isSameParty(party, order.phone);
  const sum = money(entry);
  if (misplaced === 'wrong-party' || (misplaced === undefined && !isParty)) {
    const text = `Another customer was asked to pay: ${sum} from ${party} for the order of ${order.phone}`;
    return { kind: 'wrong-party', text } as const;
  }
  if (misplaced === 'wrong-order' || (sendsOrder && !entry.order?.includes(order.order))) {
    const text = `The payment of ${sum} has the id of another order: ${entry.order ?? 'none'} for ${order.order}`;
    return { kind: 'wrong-order', text } as const;
  }
  return undefined;
}

function totalOf(entries: readonly LedgerEntry[]): number {
  return entries.reduce((sum, { amount }) => sum + amount, 0);
}

/** Whether both the application and the provider are done, so that nothing is left to wait for. */
export function isSettled({ outcome, charges }: Facts): boolean {
  if (charges.length === 0 || charges.some(({ state }) => state === 'pending')) return false;
  const isCharged = charges.some(({ state }) => state === 'success');
  return outcome.state === (isCharged ? 'paid' : 'failed');
}
