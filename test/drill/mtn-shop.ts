import { setTimeout as sleep } from 'node:timers/promises';
import type { Application, DrillOrder, DrillOutcome } from '../support/momo-mock.ts';
import { type BreakFaults, misread } from './broken-question.ts';
import { type Call, call, type Reply } from './call.ts';
import { openWebhookServer } from './webhook-server.ts';

/** What can be wrong with the shop. */
export interface MtnFaults extends BreakFaults {
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
  /** Asks the same phone for each payment. */
  readonly hasBuiltInPhone?: boolean;
  /** Asks the phone of the order before. */
  readonly keepsPhone?: boolean;
  readonly believesWebhooks?: boolean;
  /** Believes a webhook that says failed, and asks after all others. */
  readonly believesFailedWebhooks?: boolean;
  /** Believes a webhook if its question for the state fails. */
  readonly believesWebhooksWhileDown?: boolean;
  /** Finds the order of a webhook by amount and phone, and believes it. */
  readonly matchesByAmount?: boolean;
  /** Uses its first token for ever. */
  readonly keepsToken?: boolean;
  /** A question without a 200 means failed. */
  readonly brokenQuestionMeansFailed?: boolean;
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
  /** Transfers the amount to the customer when a response is lost. */
  readonly givesBackLost?: boolean;
  /** Transfers the amount to the customer when the payment has failed. */
  readonly givesBackFailed?: boolean;
}

/** What differs between shops that are right. */
export interface MtnOptions {
  /** Of each request, in ms. @default 5000 */
  readonly timeout?: number;
  /** The id that it sends as externalId. Without the order's, X-Callback-Url has it. @default 'order' */
  readonly id?: 'order' | 'own' | 'none';
  /** Whether it gets a new token for each request, so that it never uses one that has ended. */
  readonly renewsToken?: boolean;
}

interface Order extends DrillOrder {
  state: DrillOutcome['state'];
  fulfilled: number;
  reference: string;
  readonly externalId: string | undefined;
  /** Whether a webhook said that it is paid. */
  isTold?: boolean;
}

type Product = 'collection' | 'disbursement';

/** In ms. It limits the handshake, too, and the machine may be busy. */
const TIMEOUT = 5000;
const MAX_ATTEMPTS = 4;
const PAUSE = 100;
const BUILT_IN_PHONE = '256772123456';

/** A shop that takes payments with the API of MTN: as it should, except for its faults. */
export async function openMtnShop(
  faults: MtnFaults = {},
  { timeout = TIMEOUT, id = 'order', renewsToken = false }: MtnOptions = {},
) {
  const orders = new Map<string, Order>();
  const tokens = new Map<string, string>();
  let lastPhone: string | undefined;

  const tokenOf = async ({ provider }: Order, product: Product): Promise<string> => {
    const { apiUser, apiUserKey } = provider.credentials;
    const headers = {
      'ocp-apim-subscription-key': provider.apiKey,
      authorization: `Basic ${btoa(`${apiUser}:${apiUserKey}`)}`,
    };
    const { json } = await call(
      provider,
      { method: 'POST', path: `/${product}/token/`, headers },
      faults.hasNoTimeoutForTokens ? undefined : timeout,
    );
    if (json?.access_token === undefined) throw new Error('There is no token.');
    tokens.set(`${provider.apiKey} ${product}`, json.access_token);
    return json.access_token;
  };

  const authorized = async (
    order: Order,
    { headers, ...rest }: Call,
    product: Product = 'collection',
  ): Promise<Reply> => {
    const { provider } = order;
    const isPatient = faults.hasNoTimeoutForQuestions && rest.method === 'GET';
    const limit = isPatient ? undefined : timeout;
    const send = (token: string) => {
      const own = {
        'ocp-apim-subscription-key': provider.apiKey,
        'x-target-environment': provider.credentials.targetEnvironment ?? '',
        authorization: `Bearer ${token}`,
      };
      return call(provider, { ...rest, headers: { ...own, ...headers } }, limit);
    };
    const known = renewsToken ? undefined : tokens.get(`${provider.apiKey} ${product}`);
    const reply = await send(known ?? (await tokenOf(order, product)));
    if (reply.status !== 401 || faults.keepsToken) return reply;
    return await send(await tokenOf(order, product));
  };

  const bodyOf = ({ amount, currency, externalId }: Order) => ({
    amount: `${faults.chargesCents ? amount * 100 : faults.cutsAmount ? Math.trunc(amount) : amount}`,
    currency,
    ...(externalId !== undefined && { externalId }),
    payerMessage: 'Order',
    payeeNote: 'Order',
  });

  const giveBack = async (order: Order): Promise<void> => {
    await authorized(
      order,
      {
        method: 'POST',
        path: '/disbursement/v1_0/transfer',
        headers: { 'x-reference-id': crypto.randomUUID() },
        body: { ...bodyOf(order), payee: { partyIdType: 'MSISDN', partyId: order.phone } },
      },
      'disbursement',
    );
  };

  const payerOf = ({ phone }: Order): string => {
    const before = lastPhone;
    lastPhone = phone;
    if (faults.hasBuiltInPhone) return BUILT_IN_PHONE;
    return (faults.keepsPhone && before) || phone;
  };

  const pay = async (order: Order): Promise<void> => {
    const partyId = payerOf(order);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (faults.newReferenceForEachAttempt) order.reference = crypto.randomUUID();
      const { reference } = order;
      const callback = id === 'order' ? server.webhook : `${server.webhook}/${order.order}`;
      const sent = authorized(order, {
        method: 'POST',
        path: '/collection/v1_0/requesttopay',
        headers: { 'x-reference-id': reference, 'x-callback-url': callback },
        body: { ...bodyOf(order), payer: { partyIdType: 'MSISDN', partyId } },
      });
      const { status, headers } = await sent.catch(() => ({ status: 0, headers: {} as never }));
      if (status === 409 && faults.repeatedMeansFailed) order.state = 'failed';
      if (status === 202 && faults.acceptedMeansPaid) order.state = 'paid';
      if (status === 202 || status === 409) return;
      if (status === 0 && faults.givesBackLost) {
        await giveBack(order);
        return;
      }
      await sleep(1000 * Number(headers['retry-after'] ?? 0) || PAUSE);
    }
  };

  const settle = async (order: Order, status: string, isAgain = false): Promise<void> => {
    if (status === 'FAILED' && order.state === 'pending') {
      order.state = 'failed';
      if (faults.givesBackFailed) await giveBack(order);
    }
    if (status !== 'SUCCESSFUL' || (order.state === 'paid' && !isAgain)) return;
    order.state = 'paid';
    order.fulfilled++;
  };

  /** @returns whether MTN told the state */
  const check = async (order: Order, isAgain = false): Promise<boolean> => {
    if (order.state !== 'pending' && !isAgain) return true;
    const path = `/collection/v1_0/requesttopay/${order.reference}`;
    const isUnverified = faults.asksWithoutVerifying;
    const asked = authorized(order, { method: 'GET', path, isUnverified });
    const mistaken = await misread(asked, faults, ({ status }) => status === 404);
    if (mistaken !== undefined) {
      await settle(order, mistaken === 'paid' ? 'SUCCESSFUL' : 'FAILED');
      return true;
    }
    const { status, json } = await asked;
    if (status !== 200) {
      if (faults.brokenQuestionMeansFailed) order.state = 'failed';
      return false;
    }
    const isOther = faults.comparesAmountAsText && json?.amount !== textOf(order.amount);
    // The first order never races, so that `success` is survived.
    const isRace = isAgain || (faults.fulfilsInRaces !== undefined && orders.size > 1);
    if (!isOther) await settle(order, json?.status, isRace);
    return json !== undefined;
  };

  const turns = new Map<string, Promise<unknown>>();
  /** Checks that have the same name wait for each other. */
  const checkInTurn = async (order: Order, name: string): Promise<void> => {
    const before = turns.get(name);
    const now = (async () => {
      await before;
      await check(order);
    })().catch(() => {});
    turns.set(name, now);
    await now;
  };

  const server = await openWebhookServer(async ({ externalId, amount, payer, status }, path) => {
    const isOf = faults.matchesByAmount
      ? (one: Order) => `${one.amount}` === amount && one.phone === payer.partyId
      : (one: Order) =>
          id === 'order' ? one.order === externalId : one.order === path.split('/')[2];
    const order = [...orders.values()].findLast(isOf);
    if (order === undefined) return;
    const isBelieved =
      faults.believesWebhooks || (faults.believesFailedWebhooks && status === 'FAILED');
    if (isBelieved || faults.matchesByAmount) await settle(order, status);
    else if (faults.fulfilsInRaces === 'webhook-and-cron')
      await checkInTurn(order, `webhooks of ${order.order}`);
    else if (faults.fulfilsInRaces !== 'cron-runs') {
      const isLearned = await check(order, faults.fulfilsForEachWebhook && order.isTold).catch(
        () => false,
      );
      if (!isLearned && faults.believesWebhooksWhileDown) await settle(order, status);
    }
    if (status === 'SUCCESSFUL') order.isTold = true;
  });

  return {
    webhook: server.webhook,
    pay: async (given: DrillOrder) => {
      if (orders.has(given.order) && !faults.paysForEachClick) return;
      const reference = crypto.randomUUID();
      const externalId =
        id === 'none' ? undefined : id === 'own' ? `shop-${orders.size + 1}` : given.order;
      const order: Order = { ...given, state: 'pending', fulfilled: 0, reference, externalId };
      orders.set(given.order, order);
      await pay(order);
    },
    outcome: async ({ order }: DrillOrder): Promise<DrillOutcome> => {
      const { state, fulfilled } = orders.get(order) ?? { state: 'pending', fulfilled: 0 };
      return { state, fulfilled: faults.acceptedMeansPaid && state === 'paid' ? 1 : fulfilled };
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

/** As a price list has it. */
function textOf(amount: number): string {
  return Number.isInteger(amount) ? `${amount}` : amount.toFixed(2);
}
