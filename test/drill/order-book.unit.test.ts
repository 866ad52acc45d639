import { describe, expect, it } from 'vitest';
import type { DrillOrder } from '../../src/drill/application.ts';
import { OrderBook } from '../../src/drill/order-book.ts';
import type { LedgerEntry } from '../../src/mock/ledger/momo-drill.ts';

const AMOUNTS = { XOF: [1000, 730], XAF: [1500] };
const PROVIDER = { url: '', ca: '', apiKey: '', webhookSecret: '', credentials: {} };
const END = { phone: (number: number, currency: string) => `${FIRST[currency]}${number + 1000}` };
const FIRST: Readonly<Record<string, string>> = { XOF: '2299000', XAF: '23767000' };

function entry(given: Partial<LedgerEntry>): LedgerEntry {
  return {
    ...{ id: 'r1', kind: 'payment', of: null, amount: 0, currency: 'XOF', party: '' },
    ...{ order: null, state: 'success', time: '2026-11-27T12:00:00.000Z' },
    ...given,
  };
}

describe('the orders of a drill', () => {
  const book = new OrderBook(AMOUNTS, true);
  const orders = [0, 0, 0, 1].map((place) => book.next(place, END, PROVIDER));

  it('take one currency after the other, and one amount after the other', () => {
    const all = orders.slice(0, 3).map(({ amount, currency }) => `${amount} ${currency}`);
    expect(all).toEqual(['1000 XOF', '1500 XAF', '730 XOF']);
  });

  it('have a phone in the country of their currency, each another one', () => {
    const phones = orders.map(({ phone, currency }) => phone.startsWith(`${FIRST[currency]}`));
    expect(phones).toEqual([true, true, true, true]);
    expect(new Set(orders.map(({ phone }) => phone.slice(-8))).size).toBe(orders.length);
  });

  it('have ids that no other has, which providers with 12 characters take', () => {
    expect(new Set(orders.map(({ order }) => order)).size).toBe(orders.length);
    for (const { order } of orders) expect(order).toMatch(/^[a-z\d]{1,12}$/);
  });

  it('have the same amounts in each drill, whatever else it plays', () => {
    const other = new OrderBook(AMOUNTS, true);
    const { amount, currency } = other.next(1, END, PROVIDER);
    expect({ amount, currency }).toEqual({ amount: 1500, currency: 'XAF' });
    expect(orders[3]).toMatchObject({ amount, currency });
  });

  it('all have the first currency if the application is not told it', () => {
    const plain = new OrderBook(AMOUNTS, false);
    const all = [0, 0, 1].map((place) => plain.next(place, END, PROVIDER).currency);
    expect(all).toEqual(['XOF', 'XOF', 'XOF']);
  });
});

describe('a ledger entry', () => {
  const book = new OrderBook(AMOUNTS, true);
  const foreign = book.next(3, END, PROVIDER);
  const first = book.next(5, END, PROVIDER);
  const second = book.next(5, END, PROVIDER);
  const played = [first, second];

  const rows: readonly {
    readonly what: string;
    readonly given: Partial<LedgerEntry>;
    readonly owner: DrillOrder | undefined;
    readonly wrong?: 'wrong-party' | 'wrong-order';
  }[] = [
    {
      what: 'with an id and a phone is of the order that both name',
      given: { order: first.order, party: first.phone },
      owner: first,
    },
    {
      what: 'is of the order whose id it contains',
      given: { order: `shop-${first.order}-2` },
      owner: first,
    },
    {
      what: 'with an unknown id is of the order whose phone it has',
      given: { order: 'own-1', party: first.phone },
      owner: first,
    },
    {
      what: 'without an id is of the order whose phone it has, written otherwise',
      given: { party: `+${first.phone.replace(/^(\d{3})/, '$1 ')}` },
      owner: first,
    },
    {
      what: 'with an unknown phone is of the order whose id it has',
      given: { order: first.order, party: '22597000000' },
      owner: first,
    },
    {
      what: 'with the id of the order that is played, and the phone of another, is wrong',
      given: { order: second.order, party: first.phone },
      owner: second,
      wrong: 'wrong-party',
    },
    {
      what: 'with the phone of the order that is played, and the id of another, is wrong',
      given: { order: first.order, party: second.phone },
      owner: second,
      wrong: 'wrong-order',
    },
    {
      what: 'with the id of an order of another failure, and this phone, is wrong',
      given: { order: foreign.order, party: second.phone },
      owner: second,
      wrong: 'wrong-order',
    },
    {
      what: 'with this id, and the phone of an order of another failure, is wrong',
      given: { order: second.order, party: foreign.phone },
      owner: second,
      wrong: 'wrong-party',
    },
    {
      what: 'of an order of another failure is of none',
      given: { order: foreign.order, party: foreign.phone },
      owner: undefined,
    },
    {
      what: 'with only the phone of an order of another failure is of none',
      given: { party: foreign.phone },
      owner: undefined,
    },
    {
      what: 'that names none is of the order with its amount and currency',
      given: { amount: first.amount, currency: first.currency },
      owner: first,
    },
    {
      what: 'that names none, with an amount that none has, is of the latest order',
      given: { amount: first.amount, currency: 'EUR', party: '22597000000' },
      owner: second,
    },
  ];

  it.each(rows)('$what', ({ given, owner, wrong }) => {
    const found = book.ownerOf(entry(given), played);
    expect(found.order?.order).toBe(owner?.order);
    expect(found.wrong).toBe(wrong);
  });

  it('is of no order by its phone where all have the same', () => {
    const one = new OrderBook(AMOUNTS, true);
    const orders = [0, 0].map(() => one.next(0, { phone: '22990000001' }, PROVIDER));
    const given = entry({ party: '22990000001', amount: 1000, currency: 'XOF' });
    expect(one.ownerOf(given, orders).order).toBe(orders[0]);
  });
});

describe('a request', () => {
  const book = new OrderBook(AMOUNTS, true);
  const [first, second] = [book.next(0, END, PROVIDER), book.next(0, END, PROVIDER)];

  it.each([
    ['its id', `{"id":"${first.order}-1"}`, first],
    ['its phone', `{"phone":"${second.phone}"}`, second],
    ['its phone without the country', `{"phone":"0${second.phone.slice(3)}"}`, second],
    ['nothing', '{"phone":"22597000000"}', undefined],
    ['its id rather than a phone', `${first.order} ${second.phone}`, first],
  ])('names an order by %s', (_what, text, order) => {
    expect(book.namedIn(text)).toBe(order);
  });
});
