import type { Application, DrillOrder, DrillOutcome } from '../support/momo-mock.ts';
import { type BreakFaults, misread } from './broken-question.ts';
import { type Call, call, type Reply } from './call.ts';
import { openWebhookServer } from './webhook-server.ts';

/** What can be wrong with the shop. */
export interface MpesaFaults extends BreakFaults {
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
  /** Asks the same phone for each payment. */
  readonly hasBuiltInPhone?: boolean;
  /** Asks the phone of the order before. */
  readonly keepsPhone?: boolean;
  readonly believesWebhooks?: boolean;
  /** Believes a webhook that says failed, and asks after all others. */
  readonly believesFailedWebhooks?: boolean;
  /** Believes a webhook if its query fails. */
  readonly believesWebhooksWhileDown?: boolean;
  /** Asks for the push of the webhook, whichever it is. */
  readonly takesAnyPush?: boolean;
  /** Uses its first token for ever. */
  readonly keepsToken?: boolean;
  readonly hasNoTimeoutForTokens?: boolean;
  readonly hasNoTimeoutForQuestions?: boolean;
  /** Verifies the certificate when it pays, and not when it asks. */
  readonly asksWithoutVerifying?: boolean;
  readonly paysForEachClick?: boolean;
  readonly fulfilsForEachWebhook?: boolean;
  /**
   * Does not look at the order again after it has asked. `webhooks`: only they make it ask. `cron-runs`: only its
   * cron job asks. `webhook-and-cron`: webhooks wait for each other, and so do runs of the cron job.
   */
  readonly fulfilsInRaces?: 'webhooks' | 'webhook-and-cron' | 'cron-runs';
  /** Sends the amount to the customer (B2C) when a response is lost. */
  readonly givesBackLost?: boolean;
  /** Sends the amount to the customer when the payment has failed. */
  readonly givesBackFailed?: boolean;
}

/** What differs between shops that are right. */
export interface MpesaOptions {
  /** Whether CallBackURL has the order, so that a webhook finds it after a lost response. @default true */
  readonly hasOwnUrls?: boolean;
  /** Of each request, in ms. @default 5000 */
  readonly timeout?: number;
  /** What it sends as AccountReference, which may not be empty. `none`: the same text for all orders. */
  readonly id?: 'order' | 'own' | 'none';
  /** Whether it gets a new token for each request, so that it never uses one that has ended. */
  readonly renewsToken?: boolean;
}

interface Order extends DrillOrder {
  state: DrillOutcome['state'];
  fulfilled: number;
  push?: string;
  readonly reference: string;
  /** Whether a webhook said that it is paid. */
  isTold?: boolean;
}

const QUERY = '/mpesa/stkpushquery/v1/query';
const TIMESTAMP = '20260102030405';
/** In ms. It limits the handshake, too, and the machine may be busy. */
const TIMEOUT = 5000;
const MAX_ATTEMPTS = 3;
/** How long a job waits in the queue, in ms. */
const QUEUE = 15_000;
/** The phone of Safaricom's sandbox. */
const BUILT_IN_PHONE = '254708374149';

/** A shop that takes payments with the API of M-Pesa: as it should, except for its faults. */
export async function openMpesaShop(
  faults: MpesaFaults = {},
  { hasOwnUrls = true, timeout = TIMEOUT, id = 'order', renewsToken = false }: MpesaOptions = {},
) {
  const orders = new Map<string, Order>();
  const tokens = new Map<string, string>();
  let lastPhone: string | undefined;

  const tokenOf = async ({ provider }: Order): Promise<string> => {
    const { apiKey, credentials } = provider;
    const authorization = `Basic ${btoa(`${apiKey}:${credentials.consumerSecret}`)}`;
    const path = '/oauth/v1/generate?grant_type=client_credentials';
    const { json } = await call(
      provider,
      { method: 'GET', path, headers: { authorization } },
      faults.hasNoTimeoutForTokens ? undefined : timeout,
    );
    if (json?.access_token === undefined) throw new Error('There is no token.');
    tokens.set(apiKey, json.access_token);
    return json.access_token;
  };

  const authorized = async (
    order: Order,
    given: Pick<Call, 'path' | 'body' | 'isUnverified'>,
  ): Promise<Reply> => {
    const { provider } = order;
    const isPatient = faults.hasNoTimeoutForQuestions && given.path === QUERY;
    const limit = isPatient ? undefined : timeout;
    const send = (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return call(provider, { method: 'POST', headers, ...given }, limit);
    };
    const known = renewsToken ? undefined : tokens.get(provider.apiKey);
    const reply = await send(known ?? (await tokenOf(order)));
    if (reply.json?.errorCode !== '404.001.03' || faults.keepsToken) return reply;
    return await send(await tokenOf(order));
  };

  const passwordOf = ({ provider: { credentials } }: Order) => {
    const { shortcode, passkey } = credentials;
    const Password = btoa(`${shortcode}${passkey}${TIMESTAMP}`);
    return { BusinessShortCode: shortcode, Password, Timestamp: TIMESTAMP };
  };

  const giveBack = async (order: Order): Promise<void> => {
    const { shortcode, initiatorName, securityCredential } = order.provider.credentials;
    await authorized(order, {
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
        QueueTimeOutURL: server.webhook,
        ResultURL: server.webhook,
      },
    });
  };

  const payerOf = ({ phone }: Order): string => {
    const before = lastPhone;
    lastPhone = phone;
    if (faults.hasBuiltInPhone) return BUILT_IN_PHONE;
    return (faults.keepsPhone && before) || phone;
  };

  const push = async (order: Order, phone: string): Promise<void> => {
    const { amount, reference, provider } = order;
    const sent = authorized(order, {
      path: '/mpesa/stkpush/v1/processrequest',
      body: {
        ...passwordOf(order),
        TransactionType: 'CustomerPayBillOnline',
        Amount: amount,
        PartyA: phone,
        PartyB: provider.credentials.shortcode,
        PhoneNumber: phone,
        CallBackURL: hasOwnUrls ? `${server.webhook}/${order.order}` : server.webhook,
        AccountReference: reference,
        TransactionDesc: 'Order',
      },
    });
    const { json } = await sent.catch(() => ({ json: undefined }));
    order.push ??= json?.CheckoutRequestID;
  };

  const pay = async (order: Order): Promise<void> => {
    const phone = payerOf(order);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      await push(order, phone);
      if (order.push !== undefined) return;
      if (faults.lostMeansFailed) order.state = 'failed';
      if (faults.givesBackLost) await giveBack(order);
      if (faults.pushesAgainLater) setTimeout(() => void push(order, phone), QUEUE).unref();
      if (!faults.pushesAgain) return;
    }
  };

  const settle = async (order: Order, isPaid: boolean, isAgain = false): Promise<void> => {
    if (!isPaid && order.state === 'pending') {
      order.state = 'failed';
      if (faults.givesBackFailed) await giveBack(order);
    }
    if (!isPaid || (order.state === 'paid' && !isAgain)) return;
    order.state = 'paid';
    order.fulfilled++;
  };

  /** @returns whether the query told the state */
  const check = async (order: Order, push = order.push, isAgain = false): Promise<boolean> => {
    if (push === undefined || (order.state !== 'pending' && !isAgain)) return true;
    const asked = authorized(order, {
      path: QUERY,
      body: { ...passwordOf(order), CheckoutRequestID: push },
      isUnverified: faults.asksWithoutVerifying,
    });
    const isUnknown = ({ json }: Reply) => `${json?.errorMessage}`.includes('not Exist');
    const mistaken = await misread(asked, faults, isUnknown);
    if (mistaken !== undefined) {
      await settle(order, mistaken === 'paid');
      return true;
    }
    const { json } = await asked;
    if (json?.errorCode !== undefined && faults.errorOfQueryMeansFailed) order.state = 'failed';
    const code = json?.ResultCode;
    if (code === undefined) return false;
    // The first order never races, so that `success` is survived.
    const isRace = isAgain || (faults.fulfilsInRaces !== undefined && orders.size > 1);
    if (faults.readsWords) await settle(order, /success/i.test(json.ResultDesc));
    else if (code !== '4999' || faults.pendingMeansFailed)
      await settle(order, faults.expectsNumber ? code === 0 : code === '0', isRace);
    return true;
  };

  const turns = new Map<string, Promise<unknown>>();
  /** Checks that have the same name wait for each other. */
  const checkInTurn = async (order: Order, name: string, push = order.push): Promise<void> => {
    const before = turns.get(name);
    const now = (async () => {
      await before;
      await check(order, push);
    })().catch(() => {});
    turns.set(name, now);
    await now;
  };

  const server = await openWebhookServer(async ({ Body: { stkCallback } }, path) => {
    const { CheckoutRequestID: push, ResultCode: code } = stkCallback;
    const owner = [...orders.values()].find((one) => one.push === push);
    const order = owner ?? orders.get(path.split('/')[2] ?? '');
    if (order === undefined) return;
    const isForeign = order.push !== undefined && order.push !== push;
    if (isForeign && !faults.takesAnyPush) return;
    if (faults.believesWebhooks || (faults.believesFailedWebhooks && code !== 0))
      await settle(order, code === 0);
    else if (faults.fulfilsInRaces === 'webhook-and-cron')
      await checkInTurn(order, `webhooks of ${order.order}`, push);
    else if (faults.fulfilsInRaces !== 'cron-runs') {
      const isAgain = faults.fulfilsForEachWebhook && order.isTold;
      const isLearned = await check(order, push, isAgain).catch(() => false);
      if (!isLearned && faults.believesWebhooksWhileDown) await settle(order, code === 0);
    } else order.push ??= push;
    if (code === 0) order.isTold = true;
  });

  return {
    webhook: server.webhook,
    pay: async (given: DrillOrder) => {
      const known = orders.get(given.order);
      if (known !== undefined && !faults.paysForEachClick) return;
      const reference =
        id === 'none' ? 'Shop' : id === 'own' ? `shop-${orders.size + 1}` : given.order;
      const order: Order = known ?? { ...given, reference, state: 'pending', fulfilled: 0 };
      orders.set(given.order, order);
      await pay(order);
    },
    outcome: async ({ order }: DrillOrder): Promise<DrillOutcome> => {
      const { state, fulfilled } = orders.get(order) ?? { state: 'pending', fulfilled: 0 };
      return { state, fulfilled };
    },
    reconcile: async ({ order: id }: DrillOrder) => {
      const order = orders.get(id);
      if (order === undefined || faults.fulfilsInRaces === 'webhooks') return;
      if (faults.fulfilsInRaces === 'webhook-and-cron')
        await checkInTurn(order, `cron of ${order.order}`);
      else await check(order);
    },
    close: server.close,
  } satisfies Application & { close(): Promise<void> };
}
