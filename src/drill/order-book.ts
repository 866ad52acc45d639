import { randomBytes } from 'node:crypto';
import type { DrillEnd, LedgerEntry } from '../mock/ledger/momo-drill.ts';
import { timeOfDay } from '../timers.ts';
import type { DrillOrder, DrillProvider } from './application.ts';
import type { OrderEntry } from './facts.ts';
import { isSameParty, localDigitsOf } from './party.ts';

/**
 * The numbers of a failure's orders begin here, times its place in the list: each failure has the same amounts
 * in each drill. It is odd, so that the first orders of failures have different currencies.
 */
const ORDERS_OF_FAILURE = 33;

/** All orders of a drill. Each has its own amount and phone, so that what belongs to it can be told. */
export class OrderBook {
  readonly #amounts: readonly (readonly [currency: string, amounts: readonly number[]])[];
  readonly #orders: DrillOrder[] = [];
  readonly #counts = new Map<number, number>();

  /** @param usesCurrencies whether the application is told the currency; otherwise all orders have the first one */
  constructor(amounts: Readonly<Record<string, readonly number[]>>, usesCurrencies: boolean) {
    const all = Object.entries(amounts);
    this.#amounts = usesCurrencies ? all : all.slice(0, 1);
  }

  /** @param place of the failure in the list of all */
  next(place: number, { phone }: DrillEnd, provider: DrillProvider): DrillOrder {
    const count = this.#counts.get(place) ?? 0;
    this.#counts.set(place, count + 1);
    const number = place * ORDERS_OF_FAILURE + count;
    const currencies = this.#amounts.length;
    const [currency = '', amounts = []] = this.#amounts[number % currencies] ?? [];
    const amount = amounts[Math.floor(number / currencies) % amounts.length] ?? 0;
    // Short and plain, because some providers allow 12 characters.
    const random = randomBytes(3).readUIntBE(0, 3).toString(36).slice(-3).padStart(3, '0');
    const order = {
      order: `d${timeOfDay().toString(36)}${random}`,
      amount,
      currency,
      phone: typeof phone === 'string' ? phone : phone(number, currency),
      provider,
    };
    this.#orders.push(order);
    return order;
  }

  /**
   * An entry names an order by the id that it contains, and by its party.
   *
   * @param played the orders of the failure that have begun, the latest last
   * @returns the order to which it belongs: none if that is of another failure, and does not count
   */
  ownerOf(
    { order, party, amount, currency }: LedgerEntry,
    played: readonly DrillOrder[],
  ): { readonly order: DrillOrder | undefined; readonly wrong?: OrderEntry['misplaced'] } {
    const latest = played.at(-1);
    const byId = this.#orders.find((one) => order?.includes(one.order));
    const parties = this.#orders.filter((one) => party !== '' && isSameParty(party, one.phone));
    // A provider may have one phone for all orders, which names none.
    const byParty = parties.length === 1 ? parties[0] : undefined;
    if (byId !== undefined && byParty !== undefined && byId !== byParty) {
      return { order: latest, wrong: byId === latest ? 'wrong-party' : 'wrong-order' };
    }
    const named = byId ?? byParty;
    if (named !== undefined) return { order: played.includes(named) ? named : undefined };
    const equal = played.filter((one) => one.amount === amount && one.currency === currency);
    return { order: equal.at(-1) ?? latest };
  }

  /** The order that a request names by its id or by its phone number, if it names one. */
  namedIn(text: string): DrillOrder | undefined {
    const byId = this.#orders.find(({ order }) => text.includes(order));
    if (byId !== undefined) return byId;
    const byPhone = this.#orders.filter(({ phone }) => text.includes(localDigitsOf(phone)));
    return byPhone.length === 1 ? byPhone[0] : undefined;
  }
}
