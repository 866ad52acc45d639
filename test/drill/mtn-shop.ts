import { setTimeout as sleep } from 'node:timers/promises';
import type { Call, Reply } from './call.ts';
import { type Order, type ShopFaults, type ShopOptions, TokenShop } from './token-shop.ts';

/** What can be wrong with the shop. */
export interface MtnFaults extends ShopFaults {
  /** Each attempt has another X-Reference-Id, so that MTN takes each. */
  readonly newReferenceForEachAttempt?: boolean;
  /** A 409 means failed. */
  readonly repeatedMeansFailed?: boolean;
  /** A 202 means paid. */
  readonly acceptedMeansPaid?: boolean;
  /** Takes the amount for cents, as other providers have it. */
  readonly chargesCents?: boolean;
  /** Leaves out the cents, as a whole number does. */
  readonly cutsAmount?: boolean;
  /** Compares the amount that MTN says with that of the order as text: "25.5" is not "25.50". */
  readonly comparesAmountAsText?: boolean;
  /** Finds the order of a webhook by amount and phone, and believes it. */
  readonly matchesByAmount?: boolean;
  /** A question without a 200 means failed. */
  readonly brokenQuestionMeansFailed?: boolean;
}

const MAX_ATTEMPTS = 4;
const PAUSE = 100;
const STATES: Readonly<Record<string, Order['state']>> = { SUCCESSFUL: 'paid', FAILED: 'failed' };
const stateOf = (status: string) => STATES[status] ?? 'pending';

/** A shop that takes payments with the API of MTN. The order's id is externalId. Without it, X-Callback-Url has it. */
export function openMtnShop(faults: MtnFaults = {}, options: ShopOptions = {}) {
  return new MtnShop(faults, options).open();
}

class MtnShop extends TokenShop<MtnFaults> {
  protected readonly builtInPhone = '256772123456';

  protected tokenCall({ provider }: Order, product: string): Call {
    const { apiUser, apiUserKey } = provider.credentials;
    const headers = {
      'ocp-apim-subscription-key': provider.apiKey,
      authorization: `Basic ${btoa(`${apiUser}:${apiUserKey}`)}`,
    };
    return { method: 'POST', path: `/${product || 'collection'}/token/`, headers };
  }

  protected bearer({ provider }: Order, token: string) {
    return {
      'ocp-apim-subscription-key': provider.apiKey,
      'x-target-environment': provider.credentials.targetEnvironment ?? '',
      authorization: `Bearer ${token}`,
    };
  }

  protected isTokenRefused({ status }: Reply) {
    return status === 401;
  }

  #bodyOf({ amount, currency, id }: Order) {
    const { chargesCents, cutsAmount } = this.faults;
    const asked = chargesCents ? amount * 100 : cutsAmount ? Math.trunc(amount) : amount;
    const externalId = id !== undefined && { externalId: id };
    return {
      amount: `${asked}`,
      currency,
      ...externalId,
      payerMessage: 'Order',
      payeeNote: 'Order',
    };
  }

  protected async giveBack(order: Order) {
    const payee = { partyIdType: 'MSISDN', partyId: order.phone };
    const headers = { 'x-reference-id': crypto.randomUUID() };
    const path = '/disbursement/v1_0/transfer';
    const body = { ...this.#bodyOf(order), payee };
    await this.authorized(
      order,
      { method: 'POST', path, headers, body },
      { product: 'disbursement' },
    );
  }

  protected async start(order: Order, partyId: string): Promise<void> {
    const { faults, webhook } = this;
    const payer = { partyIdType: 'MSISDN', partyId };
    const callback = order.id === order.order ? webhook : `${webhook}/${order.order}`;
    order.reference = crypto.randomUUID();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (faults.newReferenceForEachAttempt) order.reference = crypto.randomUUID();
      const sent = this.authorized(order, {
        method: 'POST',
        path: '/collection/v1_0/requesttopay',
        headers: { 'x-reference-id': order.reference, 'x-callback-url': callback },
        body: { ...this.#bodyOf(order), payer },
      });
      const { status, headers } = await sent.catch(() => ({ status: 0, headers: {} as never }));
      if (status === 409 && faults.repeatedMeansFailed) order.state = 'failed';
      if (status === 202 && faults.acceptedMeansPaid) await this.settle(order, 'paid');
      if (status === 202 || status === 409) return;
      if (status === 0 && faults.givesBackLost) return await this.giveBack(order);
      await sleep(1000 * Number(headers['retry-after'] ?? 0) || PAUSE);
    }
  }

  protected question(_order: Order, reference: string): Call {
    return { method: 'GET', path: `/collection/v1_0/requesttopay/${reference}` };
  }

  protected isUnknown({ status }: Reply) {
    return status === 404;
  }

  protected read(order: Order, { status, json }: Reply) {
    if (status !== 200 && this.faults.brokenQuestionMeansFailed) order.state = 'failed';
    if (status !== 200 || json === undefined) return undefined;
    const isOther = this.faults.comparesAmountAsText && json.amount !== textOf(order.amount);
    return isOther ? 'pending' : stateOf(json.status);
  }

  protected told({ externalId, amount, payer, status }: Reply['json'], path: string) {
    const { matchesByAmount: isBelieved } = this.faults;
    const isOf = isBelieved
      ? (one: Order) => `${one.amount}` === amount && one.phone === payer.partyId
      : ({ order, id }: Order) => order === (id === order ? externalId : path.split('/')[2]);
    return { order: [...this.orders.values()].findLast(isOf), state: stateOf(status), isBelieved };
  }
}

/** As a price list has it. */
function textOf(amount: number): string {
  return Number.isInteger(amount) ? `${amount}` : amount.toFixed(2);
}
