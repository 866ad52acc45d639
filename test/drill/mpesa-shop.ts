import type { Application, DrillOrder, DrillOutcome } from '../support/momo-mock.ts';
import { type Call, call, type Reply } from './call.ts';
import { openWebhookServer } from './webhook-server.ts';

/** What can be wrong with the shop. */
export interface MpesaFaults {
  /** Pushes again after a lost response, although nothing makes a push idempotent. */
  readonly pushesAgain?: boolean;
  /** A lost response means failed. */
  readonly lostMeansFailed?: boolean;
  /** An error of the query means failed, even "The transaction is being processed". */
  readonly errorOfQueryMeansFailed?: boolean;
  /** Every ResultCode but 0 means failed, even 4999. */
  readonly pendingMeansFailed?: boolean;
  /** Compares the ResultCode of a query with a number, as in a webhook. */
  readonly expectsNumber?: boolean;
  readonly believesWebhooks?: boolean;
  /** Asks for the push of the webhook, whichever it is. */
  readonly takesAnyPush?: boolean;
  /** Uses its first token for ever. */
  readonly keepsToken?: boolean;
  readonly paysForEachClick?: boolean;
  readonly fulfilsForEachWebhook?: boolean;
}

interface Order extends DrillOrder {
  state: DrillOutcome['state'];
  fulfilled: number;
  push?: string;
  /** Whether a webhook said that it is paid. */
  isTold?: boolean;
}

const TIMESTAMP = '20260102030405';
const MAX_ATTEMPTS = 3;

/**
 * A shop that takes payments with the API of M-Pesa: as it should, except for its faults.
 *
 * @param hasOwnUrls whether CallBackURL has the order, so that a webhook finds it after a lost response
 */
export async function openMpesaShop(
  faults: MpesaFaults = {},
  { hasOwnUrls = true, timeout = 2000 } = {},
) {
  const orders = new Map<string, Order>();
  const tokens = new Map<string, string>();

  const tokenOf = async ({ provider }: Order): Promise<string> => {
    const { apiKey, credentials } = provider;
    const authorization = `Basic ${btoa(`${apiKey}:${credentials.consumerSecret}`)}`;
    const path = '/oauth/v1/generate?grant_type=client_credentials';
    const { json } = await call(
      provider,
      { method: 'GET', path, headers: { authorization } },
      timeout,
    );
    if (json?.access_token === undefined) throw new Error('There is no token.');
    tokens.set(apiKey, json.access_token);
    return json.access_token;
  };

  const authorized = async (order: Order, path: string, body: object): Promise<Reply> => {
    const { provider } = order;
    const { shortcode, passkey } = provider.credentials;
    const password = btoa(`${shortcode}${passkey}${TIMESTAMP}`);
    const common = { BusinessShortCode: shortcode, Password: password, Timestamp: TIMESTAMP };
    const send = (token: string) => {
      const sent: Call = { method: 'POST', path, headers: { authorization: `Bearer ${token}` } };
      return call(provider, { ...sent, body: { ...common, ...body } }, timeout);
    };
    const reply = await send(tokens.get(provider.apiKey) ?? (await tokenOf(order)));
    if (reply.json?.errorCode !== '404.001.03' || faults.keepsToken) return reply;
    return await send(await tokenOf(order));
  };

  const pay = async (order: Order): Promise<void> => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { shortcode } = order.provider.credentials;
      const sent = authorized(order, '/mpesa/stkpush/v1/processrequest', {
        TransactionType: 'CustomerPayBillOnline',
        Amount: order.amount,
        PartyA: order.phone,
        PartyB: shortcode,
        PhoneNumber: order.phone,
        CallBackURL: hasOwnUrls ? `${server.webhook}/${order.order}` : server.webhook,
        AccountReference: order.order,
        TransactionDesc: 'Order',
      });
      const { json } = await sent.catch(() => ({ json: undefined }));
      order.push ??= json?.CheckoutRequestID;
      if (json?.CheckoutRequestID === undefined && faults.lostMeansFailed) order.state = 'failed';
      if (json?.CheckoutRequestID !== undefined || !faults.pushesAgain) return;
    }
  };

  const settle = (order: Order, isPaid: boolean, isAgain = false): void => {
    if (!isPaid && order.state === 'pending') order.state = 'failed';
    if (!isPaid || (order.state === 'paid' && !isAgain)) return;
    order.state = 'paid';
    order.fulfilled++;
  };

  const check = async (order: Order, push = order.push, isAgain = false): Promise<void> => {
    if (push === undefined || (order.state !== 'pending' && !isAgain)) return;
    const { json } = await authorized(order, '/mpesa/stkpushquery/v1/query', {
      CheckoutRequestID: push,
    });
    if (json?.errorCode !== undefined && faults.errorOfQueryMeansFailed) order.state = 'failed';
    const code = json?.ResultCode;
    if (code === undefined || (code === '4999' && !faults.pendingMeansFailed)) return;
    settle(order, faults.expectsNumber ? code === 0 : code === '0', isAgain);
  };

  const server = await openWebhookServer(async ({ Body: { stkCallback } }, path) => {
    const { CheckoutRequestID: push, ResultCode: code } = stkCallback;
    const owner = [...orders.values()].find((one) => one.push === push);
    const order = owner ?? orders.get(path.split('/')[2] ?? '');
    if (order === undefined) return;
    const isForeign = order.push !== undefined && order.push !== push;
    if (isForeign && !faults.takesAnyPush) return;
    if (faults.believesWebhooks) settle(order, code === 0);
    else await check(order, push, faults.fulfilsForEachWebhook && order.isTold);
    if (code === 0) order.isTold = true;
  });

  return {
    webhook: server.webhook,
    pay: async (given: DrillOrder) => {
      const known = orders.get(given.order);
      if (known !== undefined && !faults.paysForEachClick) return;
      const order: Order = known ?? { ...given, state: 'pending', fulfilled: 0 };
      orders.set(given.order, order);
      await pay(order);
    },
    outcome: async ({ order }: DrillOrder): Promise<DrillOutcome> => {
      const { state, fulfilled } = orders.get(order) ?? { state: 'pending', fulfilled: 0 };
      return { state, fulfilled };
    },
    reconcile: async ({ order: id }: DrillOrder) => {
      const order = orders.get(id);
      if (order !== undefined) await check(order);
    },
    close: server.close,
  } satisfies Application & { close(): Promise<void> };
}
