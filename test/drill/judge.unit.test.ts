import { describe, expect, it } from 'vitest';
import type { Facts, OrderEntry } from '../../src/drill/facts.ts';
import { type Right, wrongInEvery, wrongWith } from '../../src/drill/judge.ts';
import { gaveUp } from '../../src/drill/missed.ts';
import type { DrillWrong } from '../../src/drill/result.ts';
import type { RequestEntry } from '../../src/mock/journal/entry.ts';
import type { DrillFlow } from '../../src/mock/ledger/momo-drill.ts';

const ORDER = {
  ...{ order: 'd1', amount: 1000, currency: 'XOF', phone: '22990000001' },
  provider: { url: '', ca: '', apiKey: '', webhookSecret: '', credentials: {} },
};
const FLOW: DrillFlow = {
  start: ['POST /pay'],
  status: ['GET /pay/:id'],
  amounts: { XOF: [1000] },
  ends: { success: { phone: ORDER.phone } },
  lost: 'status',
};
const PATIENCE = 60_000;

function entry(given: Partial<OrderEntry> = {}): OrderEntry {
  return {
    ...{ id: 'r1', kind: 'payment', of: null, amount: 1000, currency: 'XOF' },
    ...{ party: ORDER.phone, order: ORDER.order, state: 'success' },
    time: '2026-11-27T12:00:00.000Z',
    ...given,
  };
}

function request(given: Partial<RequestEntry>): RequestEntry {
  return {
    ...{ id: 1, time: '2026-11-27T12:00:00.120Z', account: 'a', tls: 'normal', method: 'POST' },
    ...{ path: '/pay', operation: 'POST /pay', query: {}, headers: {}, body: '', status: 200 },
    ...{ source: 'handler', file: null, variant: null, fault: null, reason: null, hint: null },
    ...{ duration: 20, ended: true, aborted: false },
    ...given,
  };
}

const ASKED = request({ id: 2, operation: 'GET /pay/:id', method: 'GET' });

type Given = Partial<Omit<Facts, 'outcome'>> & {
  readonly outcome?: Facts['outcome'] | Facts['outcome']['state'];
};

function factsOf({ outcome = 'pending', charges = [], ...given }: Given): Facts {
  const { requests = [request({})] } = given;
  return {
    ...{ order: ORDER, charges, backs: [], note: undefined, isForgotten: false, askedAt: 0 },
    taken: charges.filter(({ state }) => ['pending', 'success'].includes(state)),
    outcome: typeof outcome === 'string' ? { state: outcome } : outcome,
    ...{ requests, webhooks: [], isBack: true, elapsed: 5000, calm: 5000 },
    starts: requests.filter(({ operation }) => operation === 'POST /pay'),
    questions: requests.filter(({ operation }) => operation === 'GET /pay/:id'),
    ...{ tokenCalls: [], patience: PATIENCE, flow: FLOW, sendsOrder: true, isTold: false },
    ...given,
  };
}

interface Row extends Given {
  readonly what: string;
  /** @default 'paid' */
  readonly right?: Right;
  /** What is wrong, if anything is. */
  readonly kind?: DrillWrong;
  readonly says?: RegExp;
}

const PENDING = [entry({ state: 'pending' })];
const FAILED = [entry({ state: 'failed' })];
const payout = (amount: number, given: Partial<OrderEntry> = {}) =>
  entry({ id: 'b1', kind: 'payout', amount, order: null, ...given });

/** These hold for every failure in which somebody may be charged. */
const IN_EVERY: readonly Row[] = [
  { what: 'one payment, and paid', charges: [entry()], outcome: 'paid' },
  {
    what: 'one payment after one that failed',
    charges: [...FAILED, entry({ id: 'r2' })],
    outcome: { state: 'paid', fulfilled: 1 },
  },
  {
    what: 'two payments',
    charges: [entry(), entry({ id: 'r2' })],
    outcome: 'paid',
    kind: 'charged-twice',
    says: /^The customer was charged twice: 2 × 1,000 XOF for one order \(POST \/pay at 12:00:00\.120\)\.$/,
  },
  {
    what: 'a payment, and one that is pending',
    charges: [entry(), entry({ id: 'r2', state: 'pending' })],
    outcome: 'paid',
    kind: 'charged-twice',
  },
  {
    what: 'three payments of two amounts',
    charges: [entry(), entry({ id: 'r2' }), entry({ id: 'r3', amount: 990 })],
    outcome: 'paid',
    kind: 'charged-twice',
    says: /charged 3 times: 1,000 XOF and 990 XOF for one order/,
  },
  {
    what: 'another amount',
    charges: [entry({ amount: 900 })],
    outcome: 'paid',
    kind: 'wrong-amount',
    says: /^The customer was charged 900 XOF for an order of 1,000 XOF /,
  },
  {
    what: 'another currency',
    charges: [entry({ currency: 'XAF' })],
    outcome: 'paid',
    kind: 'wrong-currency',
  },
  {
    what: 'another phone',
    charges: [entry({ party: '22597000000' })],
    outcome: 'paid',
    kind: 'wrong-party',
    says: /^Another customer was asked to pay: 1,000 XOF from 22597000000 for the order of 22990000001/,
  },
  {
    what: 'another phone that is asked in vain',
    charges: [entry({ party: '22990000002', state: 'failed' })],
    outcome: 'failed',
    kind: 'wrong-party',
  },
  {
    what: 'the same phone, written otherwise',
    charges: [entry({ party: '+229 01 90 00 00 01' })],
    outcome: 'paid',
  },
  { what: 'no phone', charges: [entry({ party: '' })], outcome: 'paid' },
  {
    what: 'an entry whose id and phone name two orders, of this id',
    charges: [entry({ misplaced: 'wrong-party' })],
    outcome: 'paid',
    kind: 'wrong-party',
  },
  {
    what: 'an entry whose id and phone name two orders, of this phone',
    charges: [entry({ order: 'd2', misplaced: 'wrong-order' })],
    outcome: 'paid',
    kind: 'wrong-order',
    says: /^The payment of 1,000 XOF has the id of another order: d2 for d1/,
  },
  {
    what: 'an id that does not contain that of the order, which success had',
    charges: [entry({ order: 'x' })],
    outcome: 'paid',
    kind: 'wrong-order',
  },
  {
    what: 'no id, which success had',
    charges: [entry({ order: null })],
    outcome: 'paid',
    kind: 'wrong-order',
    says: /has the id of another order: none for d1/,
  },
  {
    what: 'an id of its own, as in success',
    charges: [entry({ order: 'x' })],
    sendsOrder: false,
    outcome: 'paid',
  },
  {
    what: 'no id, as in success',
    charges: [entry({ order: null })],
    sendsOrder: false,
    outcome: 'paid',
  },
  {
    what: 'an id that contains that of the order',
    charges: [entry({ order: 'shop-d1-2' })],
    outcome: 'paid',
  },
  {
    what: 'paid without a payment',
    outcome: 'paid',
    kind: 'paid-uncharged',
    says: /^The application says paid, but the customer was not charged /,
  },
  { what: 'paid after a refusal', charges: FAILED, outcome: 'paid', kind: 'paid-uncharged' },
  {
    what: 'paid while the payment is pending',
    charges: PENDING,
    outcome: 'paid',
    kind: 'paid-uncharged',
    says: /^The application says paid, but the payment is still pending /,
  },
  { what: 'paid, and reversed later', charges: [entry({ state: 'reversed' })], outcome: 'paid' },
  {
    what: 'failed after a payment',
    charges: [entry()],
    outcome: 'failed',
    kind: 'failed-charged',
    says: /^The application says failed, but the customer paid 1,000 XOF /,
  },
  {
    what: 'failed while the payment is pending',
    charges: PENDING,
    outcome: 'failed',
    kind: 'failed-charged',
    says: /^The application says failed, but the customer may still pay 1,000 XOF: /,
  },
  {
    what: 'an order that it does not know, and that is paid',
    charges: [entry()],
    outcome: 'failed',
    isForgotten: true,
    kind: 'forgotten',
    says: /^The application does not know the order, but the customer paid 1,000 XOF /,
  },
  {
    what: 'an order that it does not know, and that may be paid',
    charges: PENDING,
    outcome: 'failed',
    isForgotten: true,
    kind: 'forgotten',
    says: /but the customer may still pay 1,000 XOF/,
  },
  {
    what: 'goods twice',
    charges: [entry()],
    outcome: { state: 'paid', fulfilled: 2 },
    kind: 'fulfilled-twice',
    says: /^The order was fulfilled 2 times for one payment of 1,000 XOF\.$/,
  },
  {
    what: 'goods for an order that is pending',
    charges: PENDING,
    outcome: { state: 'pending', fulfilled: 1 },
    kind: 'fulfilled-unpaid',
    says: /^The order was fulfilled, but the application says pending\.$/,
  },
  {
    what: 'money back for a payment that was refused',
    charges: FAILED,
    backs: [payout(1000)],
    outcome: 'failed',
    kind: 'given-back',
    says: /^The customer got back 1,000 XOF, but nothing was taken\.$/,
  },
  {
    what: 'money back that is still on its way',
    backs: [payout(1000, { state: 'pending' })],
    kind: 'given-back',
  },
  {
    what: 'a refund of more than was taken',
    charges: [entry()],
    backs: [payout(1001, { kind: 'refund', of: 'r1' })],
    outcome: 'paid',
    kind: 'given-back',
    says: /^The customer got back 1,001 XOF, but only 1,000 XOF was taken\.$/,
  },
  {
    what: 'two refunds of more than was taken, together',
    charges: [entry()],
    backs: [payout(600), payout(600, { id: 'b2', kind: 'refund', of: 'r1' })],
    outcome: 'paid',
    kind: 'given-back',
  },
  {
    what: 'a payout that failed',
    charges: FAILED,
    backs: [payout(1000, { state: 'failed' })],
    outcome: 'failed',
    right: 'refused',
  },
  {
    what: 'a refund of a payment that is reversed by it',
    charges: [entry({ state: 'reversed' })],
    backs: [payout(1000, { kind: 'refund', of: 'r1' })],
    outcome: 'failed',
    right: 'either',
  },
];

const AFTER: readonly Row[] = [
  { what: 'a refusal, and failed', right: 'refused', charges: FAILED, outcome: 'failed' },
  {
    what: 'a refusal, and pending',
    right: 'refused',
    charges: FAILED,
    requests: [request({}), ASKED],
    kind: 'pending-failed',
    says: /^The provider refused the payment, but the application still says pending \(GET \/pay\/:id at .* after 5 s\.$/,
  },
  { what: 'failed without an attempt', right: 'refused', outcome: 'failed', kind: 'not-started' },
  {
    what: 'a payment that is found, and nobody asked',
    charges: [entry()],
    kind: 'pending-charged',
    says: /still says pending \(POST \/pay at 12:00:00\.120\) after 5 s\. It never asked for the state\.$/,
  },
  {
    what: 'a payment that is found only after more than the patience',
    charges: [entry()],
    requests: [request({}), ASKED],
    calm: PATIENCE,
    kind: 'pending-charged',
    says: / within 60 s\. Set patience to wait longer\.$/,
  },
  {
    what: 'a payment that has not ended',
    charges: PENDING,
    kind: 'pending-charged',
    says: /^The payment of 1,000 XOF has not ended/,
  },
  {
    what: 'goods that do not come',
    charges: [entry()],
    outcome: { state: 'paid', fulfilled: 0 },
    kind: 'unfulfilled',
    says: /^The customer paid 1,000 XOF, but the order is not fulfilled after 5 s\.$/,
  },
  {
    what: 'no payment',
    kind: 'not-started',
    says: /^The customer was not charged: the application says pending, and no payment was taken/,
  },
  {
    what: 'no request',
    requests: [],
    kind: 'not-started',
    says: /\. No request reached the provider\.$/,
  },
  {
    what: 'a request that the provider refused',
    requests: [request({ status: 400, reason: 'body-invalid', hint: 'Send an amount.' })],
    kind: 'not-started',
    says: / The provider refused POST \/pay: body-invalid\. Send an amount\.$/,
  },
  { what: 'nothing, and pending, where either is right', right: 'either' },
  { what: 'nothing, and failed, where either is right', right: 'either', outcome: 'failed' },
  {
    what: 'a payment, and pending, where either is right',
    right: 'either',
    charges: [entry()],
    kind: 'pending-charged',
  },
  { what: 'a payment without an end', right: 'pending', charges: PENDING },
  {
    what: 'paid without an end',
    right: 'pending',
    charges: [entry()],
    outcome: 'paid',
    kind: 'paid-uncharged',
    says: /which should not be possible/,
  },
  { what: 'nothing', right: 'untouched' },
  { what: 'an attempt', right: 'untouched', charges: PENDING, kind: 'not-started' },
  {
    what: 'less, and pending',
    right: 'underpaid',
    charges: [entry({ amount: 500 })],
  },
  {
    what: 'less, and failed',
    right: 'underpaid',
    charges: [entry({ amount: 500 })],
    outcome: 'failed',
  },
  {
    what: 'less, and paid',
    right: 'underpaid',
    charges: [entry({ amount: 500 })],
    outcome: 'paid',
    kind: 'underpaid',
    says: /^The application says paid, but the customer paid 500 XOF of 1,000 XOF\.$/,
  },
  {
    what: 'less, and fulfilled',
    right: 'underpaid',
    charges: [entry({ amount: 500 })],
    outcome: { state: 'pending', fulfilled: 1 },
    kind: 'underpaid',
    says: /^The order was fulfilled, but the customer paid 500 XOF of 1,000 XOF\.$/,
  },
  {
    what: 'less, which is given back',
    right: 'underpaid',
    charges: [entry({ amount: 500 })],
    backs: [payout(500)],
    outcome: 'failed',
  },
  {
    what: 'less, and more is given back',
    right: 'underpaid',
    charges: [entry({ amount: 500 })],
    backs: [payout(1000)],
    outcome: 'failed',
    kind: 'given-back',
    says: /^The customer got back 1,000 XOF, but only 500 XOF was taken\.$/,
  },
];

/** A payment whose response was lost is paid, and the application says pending. */
interface Lost {
  readonly what: string;
  readonly lost: DrillFlow['lost'];
  readonly canAsk?: boolean;
  readonly isTold?: boolean;
  readonly hasId?: boolean;
  readonly isWhole?: boolean;
  readonly couldKnow: boolean;
}

const LOST: readonly Lost[] = [
  { what: 'asking tells it', lost: 'status', couldKnow: true },
  { what: 'a webhook told it', lost: 'webhook', isTold: true, couldKnow: true },
  { what: 'no webhook told it', lost: 'webhook', couldKnow: false },
  {
    what: 'a webhook told it, and it sent no id to find it by',
    lost: 'webhook',
    isTold: true,
    hasId: false,
    couldKnow: false,
  },
  { what: 'nothing tells it', lost: 'unknown', isTold: true, couldKnow: false },
  { what: 'it got the response', lost: 'unknown', isWhole: true, couldKnow: true },
  {
    what: 'nobody can ask, and no webhook told it',
    lost: 'status',
    canAsk: false,
    isWhole: true,
    couldKnow: false,
  },
  {
    what: 'nobody can ask, and a webhook told it',
    lost: 'status',
    canAsk: false,
    isTold: true,
    couldKnow: true,
  },
];

const shown = (rows: readonly Row[]) =>
  rows.map((row) => ({ ...row, verdict: row.kind ?? 'nothing is wrong' }));

describe('the judge', () => {
  it.each(shown([...IN_EVERY, ...AFTER]))('of $what says: $verdict', (row) => {
    const { kind, says, right = 'paid', ...given } = row;
    const wrong = wrongWith(right, factsOf(given));
    expect(wrong?.kind).toBe(kind);
    if (says !== undefined) expect(wrong?.sentence).toMatch(says);
  });

  it.each(shown(IN_EVERY))('of $what says the same in every failure: $verdict', (row) => {
    for (const right of ['paid', 'refused', 'found-out', 'either', 'pending'] as const) {
      expect(wrongInEvery(right, factsOf(row))?.kind).toBe(row.kind);
    }
  });

  it.each(AFTER)('of $what says nothing in every failure, unless it is certain', (row) => {
    const certain = ['underpaid', 'given-back'].find((kind) => kind === row.kind);
    expect(wrongInEvery(row.right ?? 'paid', factsOf(row))?.kind).toBe(certain);
  });

  it.each(LOST)('takes pending for right, or not, where $what', (row) => {
    const { lost, canAsk = true, isTold = false, hasId = true, isWhole = false } = row;
    const flow = { ...FLOW, lost, status: canAsk ? FLOW.status : [] };
    const fault = isWhole ? null : 'reset';
    const facts = factsOf({
      charges: [entry({ order: hasId ? ORDER.order : null })],
      requests: [request({ fault })],
      ...{ flow, isTold, sendsOrder: false },
    });
    const kind = row.couldKnow ? 'pending-charged' : undefined;
    expect(wrongWith('found-out', facts)?.kind).toBe(kind);
  });

  it('takes no other state for right where nobody could know', () => {
    const flow = { ...FLOW, lost: 'unknown' as const };
    const facts = factsOf({ charges: [entry()], outcome: 'failed', flow });
    expect(wrongWith('found-out', facts)?.kind).toBe('failed-charged');
  });

  it('does not call it wrong that a payment was not taken which should be lost', () => {
    for (const outcome of ['pending', 'failed'] as const) {
      expect(wrongWith('found-out', factsOf({ outcome }))).toBeUndefined();
    }
    expect(wrongWith('found-out', factsOf({ outcome: 'paid' }))?.kind).toBe('paid-uncharged');
  });

  it('is sure of what nothing makes right again', () => {
    const twice = factsOf({ charges: [entry(), entry({ id: 'r2' })] });
    expect(wrongWith('paid', twice)?.isFinal).toBe(true);
    expect(wrongWith('paid', factsOf({ charges: [entry()] }))?.isFinal).toBe(false);
  });
});

/** Its own timeouts are too short for a busy machine, which says nothing about a failure. */
describe('an application that gave up by itself', () => {
  const left = request({ aborted: true, status: null, duration: 2000 });
  const excuseOf = (given: Given, right: Right = 'paid') => {
    const facts = factsOf(given);
    const wrong = wrongWith(right, facts);
    return wrong && gaveUp(wrong, facts);
  };

  it.each<[string, Given, string | undefined]>([
    [
      'before its payment was taken',
      { requests: [left] },
      'the application gave up POST /pay after 2 s, before the provider responded',
    ],
    ['before anything came', { requests: [] }, 'the application did not ask for 1,000 XOF'],
    [
      'when only the response could tell',
      { requests: [left], charges: [entry()], flow: { ...FLOW, lost: 'unknown' } },
      'the application gave up POST /pay after 2 s, before the provider responded',
    ],
    [
      'before it could pay',
      { requests: [request({ operation: 'GET /status' })] },
      'the application did not ask for 1,000 XOF',
    ],
    ['when it could ask', { requests: [left], charges: [entry()] }, undefined],
    ['because of the drill', { requests: [{ ...left, fault: 'hang' }] }, undefined],
    ['after a refusal', { requests: [request({ status: 400, reason: 'key-unknown' })] }, undefined],
    ['and says failed', { requests: [left], charges: [entry()], outcome: 'failed' }, undefined],
  ])('%s has the reason: %j', (_what, given, reason) => {
    expect(excuseOf(given)).toBe(reason);
  });

  it('because timers come late has the reason', () => {
    const facts = factsOf({ charges: [entry()] });
    const wrong = wrongWith('paid', facts);
    const late = (ms: number) => wrong && gaveUp(wrong, facts, ms);
    expect(late(1000)).toBeUndefined();
    expect(late(1100)).toBe(
      'a timer of the drill came 1.1 s late, so this machine is too busy, or the application blocks its thread',
    );
  });
});
