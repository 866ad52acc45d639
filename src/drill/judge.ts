import { evidence, type Facts, money, paymentsIn, questionsIn, seconds, takenIn } from './facts.ts';

/** What is wrong with the money. */
export interface Wrong {
  readonly sentence: string;
  /** Whether nothing that comes later makes it right. */
  readonly isFinal: boolean;
  /** The failure whose advice helps, if it is another one. */
  readonly like?: string | undefined;
}

/**
 * What a failure has to lead to.
 *
 * - `paid`: charged once, and paid
 * - `refused`: not charged, and failed
 * - `found-out`: the payment was taken, and the application has to find out, if the provider has a way
 * - `either`: charged once and paid, or not charged and not paid
 * - `pending`: charged once at most, and pending
 * - `untouched`: not charged, and not paid
 * - `underpaid`: not paid, although the payer paid something
 */
export type Right =
  | 'paid'
  | 'refused'
  | 'found-out'
  | 'either'
  | 'pending'
  | 'untouched'
  | 'underpaid';

/** The same in words, for people. */
export const RIGHT: Readonly<Record<Right, string>> = {
  paid: 'charged once, and paid',
  refused: 'not charged, and failed',
  'found-out':
    'charged once at most; never failed while charged, never paid without a charge; pending where the provider has no way to find out',
  either: 'charged once and paid, or not charged and failed or pending',
  pending: 'pending, and charged once at most',
  untouched: 'not charged, and not paid',
  underpaid: 'not paid',
};

/** What is wrong, if anything is. */
export function wrongWith(right: Right, facts: Facts): Wrong | undefined {
  const { outcome, charges, provider, hasWebhook } = facts;
  const taken = takenIn(facts);
  const paid = charges.filter(({ state }) => state === 'success');
  const [charge = provider] = taken;
  const sum = money(charge);
  const attempts = evidence(paymentsIn(facts));
  const asked = questionsIn(facts);
  const after = `after ${seconds(facts.elapsed)}`;
  const wrong = (sentence: string, isFinal = false, like?: string): Wrong => {
    return { sentence, isFinal, like };
  };
  // Advice on a lost response is how not to pay again.
  const unsure = right === 'found-out' ? 'pending-for-ever' : undefined;

  if (taken.length > 1) {
    const times = taken.length === 2 ? 'twice' : `${taken.length} times`;
    const text = `The customer was charged ${times}: ${taken.length} × ${sum} for one order`;
    return wrong(`${text}${attempts}.`, true);
  }
  const isPrice = charge.amount === provider.amount && charge.currency === provider.currency;
  if (right !== 'underpaid' && !isPrice) {
    const text = `The customer was charged ${sum} for an order of ${money(provider)}`;
    return wrong(`${text}${attempts}.`, true);
  }
  const { state, fulfilled = state === 'paid' ? 1 : 0 } = outcome;
  if (state === 'paid' && paid.length === 0) {
    const why = taken.length > 0 ? 'the payment is still pending' : 'the customer was not charged';
    return wrong(`The application says paid, but ${why}${attempts}.`, true, unsure);
  }
  if (right === 'underpaid') {
    if (state !== 'paid' || charge.amount >= provider.amount) return undefined;
    const price = money(provider);
    return wrong(`The application says paid, but the customer paid ${sum} of ${price}.`, true);
  }
  if (state === 'failed' && taken.length > 0) {
    const what = paid.length > 0 ? `paid ${sum}` : `may still pay ${sum}: the payment was taken`;
    const text = `The application says failed, but the customer ${what}${attempts}.`;
    return wrong(text, true, unsure);
  }
  if (fulfilled > 1) {
    const text = `The order was fulfilled ${fulfilled} times for one payment of ${sum}.`;
    return wrong(text, true, 'webhook-twice');
  }
  if (fulfilled > 0 && state !== 'paid') {
    return wrong(`The order was fulfilled, but the application says ${state}.`, true);
  }
  if (state === 'paid' && fulfilled === 0) {
    return wrong(`The customer paid ${sum}, but the order is not fulfilled ${after}.`);
  }
  // From here on, the application and the ledger do not contradict each other.
  if (state === 'paid') {
    if (right === 'refused' || right === 'pending' || right === 'untouched')
      return wrong(`The application says paid, which should not be possible${attempts}.`, true);
    return undefined;
  }
  if (paid.length > 0) {
    const isUnknowable =
      provider.lostPayment === 'unknown' || (provider.lostPayment === 'webhook' && !hasWebhook);
    if (right === 'found-out' && isUnknowable) return undefined;
    const how = asked.length === 0 ? ' It never asked for the state.' : '';
    const text = `The customer paid ${sum}, but the application still says pending ${after}`;
    return wrong(`${text}${attempts}.${how}`, false, unsure);
  }
  if (taken.length > 0) {
    if (right === 'pending') return undefined;
    return wrong(`The payment of ${sum} has not ended ${after}${attempts}.`);
  }
  switch (right) {
    case 'either':
    case 'untouched':
      return undefined;
    case 'refused':
      if (charges.length > 0 && state === 'failed') return undefined;
      return charges.length === 0
        ? wrong(`The application has not started a payment ${after}${attempts}.`)
        : wrong(
            `The provider refused the payment, but the application still says pending ${after}${evidence(asked)}.`,
          );
    default: {
      const unheard = facts.requests.length === 0 ? ' No request reached the provider.' : '';
      return wrong(
        `The customer was not charged: the application says ${state}, and no payment was taken ${after}${attempts}.${unheard}`,
      );
    }
  }
}

/** Whether both the application and the provider are done, so that nothing is left to wait for. */
export function isSettled({ outcome, charges }: Facts): boolean {
  if (charges.length === 0 || charges.some(({ state }) => state === 'pending')) return false;
  const isCharged = charges.some(({ state }) => state === 'success');
  return outcome.state === (isCharged ? 'paid' : 'failed');
}
