import type { Call, Reply } from './call.ts';
import { type Order, type ShopFaults, type ShopOptions, TokenShop } from './token-shop.ts';

/** What can be wrong with the shop. */
export interface MpesaFaults extends ShopFaults {
  /** Pushes again after a lost response, although nothing makes a push idempotent. */
  readonly pushesAgain?: boolean;
  /** The same, from a queue. */
  readonly pushesAgainLater?: boolean;
  /** A lost response means failed. */
  readonly lostMeansFailed?: boolean;
  /** An error of the query means failed, even "The transaction is being processed". */
  readonly errorOfQueryMeansFailed?: boolean;
  /** Every ResultCode but 0 means failed, even 4999. */
  readonly pendingMeansFailed?: boolean;
  /** Compares the ResultCode of a query with a number, as in a webhook. */
  readonly expectsNumber?: boolean;
  /** Looks for "success" in ResultDesc. */
  readonly readsWords?: boolean;
  /** Asks for the push of the webhook, whichever it is. */
  readonly takesAnyPush?: boolean;
}

/** What differs between shops that are right. */
export interface MpesaOptions extends ShopOptions {
  /** Whether CallBackURL has the order, so that a webhook finds it after a lost response. @default true */
  readonly hasOwnUrls?: boolean;
}

const TIMESTAMP = '20260102030405';
const MAX_ATTEMPTS = 3;
/** How long a job waits in the queue, in ms. */
const QUEUE = 15_000;

/** A shop that takes payments with the API of M-Pesa. */
export function openMpesaShop(faults: MpesaFaults = {}, options: MpesaOptions = {}) {
  return new MpesaShop(faults, options).open();
}

class MpesaShop extends TokenShop<MpesaFaults> {
  /** The phone of Safaricom's sandbox. */
  protected readonly builtInPhone = '254708374149';
  readonly #hasOwnUrls: boolean;

  constructor(faults: MpesaFaults, { hasOwnUrls = true, ...options }: MpesaOptions) {
    super(faults, options);
    this.#hasOwnUrls = hasOwnUrls;
  }

  protected tokenCall({ provider: { apiKey, credentials } }: Order): Call {
    const authorization = `Basic ${btoa(`${apiKey}:${credentials.consumerSecret}`)}`;
    const path = '/oauth/v1/generate?grant_type=client_credentials';
    return { method: 'GET', path, headers: { authorization } };
  }

  protected bearer(_order: Order, token: string) {
    return { authorization: `Bearer ${token}` };
  }

  protected isTokenRefused({ json }: Reply) {
    return json?.errorCode === '404.001.03';
  }

  #passwordOf({ provider: { credentials } }: Order) {
    const { shortcode, passkey } = credentials;
    const Password = btoa(`${shortcode}${passkey}${TIMESTAMP}`);
    return { BusinessShortCode: shortcode, Password, Timestamp: TIMESTAMP };
  }

  protected async giveBack(order: Order) {
    const { shortcode, initiatorName, securityCredential } = order.provider.credentials;
    await this.authorized(order, {
      method: 'POST',
      path: '/mpesa/b2c/v3/paymentrequest',
      body: {
        OriginatorConversationID: crypto.randomUUID(),
        InitiatorName: initiatorName,
        SecurityCredential: securityCredential,
        CommandID: 'BusinessPayment',
        Amount: order.amount,
        PartyA: shortcode,
        PartyB: order.phone,
        Remarks: 'Sorry',
        QueueTimeOutURL: this.webhook,
        ResultURL: this.webhook,
      },
    });
  }

  /** AccountReference may not be empty. Without an id, all orders have the same. */
  async #push(order: Order, phone: string): Promise<void> {
    const { amount, id = 'Shop', provider } = order;
    const sent = this.authorized(order, {
      method: 'POST',
      path: '/mpesa/stkpush/v1/processrequest',
      body: {
        ...this.#passwordOf(order),
        TransactionType: 'CustomerPayBillOnline',
        Amount: amount,
        PartyA: phone,
        PartyB: provider.credentials.shortcode,
        PhoneNumber: phone,
        CallBackURL: this.#hasOwnUrls ? `${this.webhook}/${order.order}` : this.webhook,
        AccountReference: id,
        TransactionDesc: 'Order',
      },
    });
    const { json } = await sent.catch(() => ({ json: undefined }));
    order.reference ??= json?.CheckoutRequestID;
  }

  protected async start(order: Order, phone: string): Promise<void> {
    const { faults } = this;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      await this.#push(order, phone);
      if (order.reference !== undefined) return;
      if (faults.lostMeansFailed) order.state = 'failed';
      if (faults.givesBackLost) await this.giveBack(order);
      if (faults.pushesAgainLater) setTimeout(() => void this.#push(order, phone), QUEUE).unref();
      if (!faults.pushesAgain) return;
    }
  }

  protected question(order: Order, reference: string): Call {
    const body = { ...this.#passwordOf(order), CheckoutRequestID: reference };
    return { method: 'POST', path: '/mpesa/stkpushquery/v1/query', body };
  }

  protected isUnknown({ json }: Reply) {
    return `${json?.errorMessage}`.includes('not Exist');
  }

  protected read(order: Order, { json }: Reply) {
    const { faults } = this;
    if (json?.errorCode !== undefined && faults.errorOfQueryMeansFailed) order.state = 'failed';
    const code = json?.ResultCode;
    if (code === undefined) return undefined;
    if (faults.readsWords) return /success/i.test(json.ResultDesc) ? 'paid' : 'failed';
    if (code === '4999' && !faults.pendingMeansFailed) return 'pending';
    return code === (faults.expectsNumber ? 0 : '0') ? 'paid' : 'failed';
  }

  protected told({ Body: { stkCallback } }: Reply['json'], path: string) {
    const { CheckoutRequestID: reference, ResultCode: code } = stkCallback;
    const owner = [...this.orders.values()].find((one) => one.reference === reference);
    const order = owner ?? this.orders.get(path.split('/')[2] ?? '');
    const isForeign = order?.reference !== undefined && order.reference !== reference;
    const isTaken = !isForeign || this.faults.takesAnyPush;
    return {
      order: isTaken ? order : undefined,
      state: code === 0 ? 'paid' : 'failed',
      reference,
    } as const;
  }
}
