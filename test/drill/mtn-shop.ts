import { setTimeout as sleep } from 'node:timers/promises';
import type { Application, DrillOrder, DrillOutcome } from '../support/momo-mock.ts';
import { type Call, call, type Reply } from './call.ts';
import { openWebhookServer } from './webhook-server.ts';

/** What can be wrong with the shop. */
export interface MtnFaults {
  /** Each attempt has another X-Reference-Id, so that MTN takes each. */
  readonly newReferenceForEachAttempt?: boolean;
  /** A 409 means failed. */
  readonly repeatedMeansFailed?: boolean;
  /** A 202 means paid. */
  readonly acceptedMeansPaid?: boolean;
  /** Takes the amount for cents, as other providers have it. */
  readonly chargesCents?: boolean;
  readonly believesWebhooks?: boolean;
  /** Finds the order of a webhook by amount and phone, and believes it. */
  readonly matchesByAmount?: boolean;
  /** Uses its first token for ever. */
  readonly keepsToken?: boolean;
  /** A question without a 200 means failed. */
  readonly brokenQuestionMeansFailed?: boolean;
  readonly paysForEachClick?: boolean;
  readonly fulfilsForEachWebhook?: boolean;
}

interface Order extends DrillOrder {
  state: DrillOutcome['state'];
  fulfilled: number;
  reference: string;
  /** Whether a webhook said that it is paid. */
  isTold?: boolean;
}

const MAX_ATTEMPTS = 4;
const PAUSE = 100;

/** A shop that takes payments with the API of MTN: as it should, except for its faults. */
export async function openMtnShop(faults: MtnFaults = {}, timeout = 2000) {
  const orders = new Map<string, Order>();
  const tokens = new Map<string, string>();

  const tokenOf = async ({ provider }: Order): Promise<string> => {
    const { apiUser, apiUserKey } = provider.credentials;
    const headers = {
      'ocp-apim-subscription-key': provider.apiKey,
      authorization: `Basic ${btoa(`${apiUser}:${apiUserKey}`)}`,
    };
    const { json } = await call(
      provider,
      { method: 'POST', path: '/collection/token/', headers },
      timeout,
    );
    if (json?.access_token === undefined) throw new Error('There is no token.');
    tokens.set(provider.apiKey, json.access_token);
    return json.access_token;
  };

  const authorized = async (order: Order, { headers, ...rest }: Call): Promise<Reply> => {
    const { provider } = order;
    const send = (token: string) => {
      const own = {
        'ocp-apim-subscription-key': provider.apiKey,
        'x-target-environment': provider.credentials.targetEnvironment ?? '',
        authorization: `Bearer ${token}`,
      };
      return call(provider, { ...rest, headers: { ...own, ...headers } }, timeout);
    };
    const reply = await send(tokens.get(provider.apiKey) ?? (await tokenOf(order)));
    if (reply.status !== 401 || faults.keepsToken) return reply;
    return await send(await tokenOf(order));
  };

  const pay = async (order: Order): Promise<void> => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (faults.newReferenceForEachAttempt) order.reference = crypto.randomUUID();
      const { reference, amount, currency, phone } = order;
      const sent = authorized(order, {
        method: 'POST',
        path: '/collection/v1_0/requesttopay',
        headers: { 'x-reference-id': reference, 'x-callback-url': server.webhook },
        body: {
          amount: `${faults.chargesCents ? amount * 100 : amount}`,
          currency,
          externalId: order.order,
          payer: { partyIdType: 'MSISDN', partyId: phone },
          payerMessage: 'Order',
          payeeNote: 'Order',
        },
      });
      const { status, headers } = await sent.catch(() => ({ status: 0, headers: {} as never }));
      if (status === 409 && faults.repeatedMeansFailed) order.state = 'failed';
      if (status === 202 && faults.acceptedMeansPaid) order.state = 'paid';
      if (status === 202 || status === 409) return;
      await sleep(1000 * Number(headers['retry-after'] ?? 0) || PAUSE);
    }
  };

  const settle = (order: Order, status: string, isAgain = false): void => {
    if (status === 'FAILED' && order.state === 'pending') order.state = 'failed';
    if (status !== 'SUCCESSFUL' || (order.state === 'paid' && !isAgain)) return;
    order.state = 'paid';
    order.fulfilled++;
  };

  const check = async (order: Order, isAgain = false): Promise<void> => {
    if (order.state !== 'pending' && !isAgain) return;
    const path = `/collection/v1_0/requesttopay/${order.reference}`;
    const { status, json } = await authorized(order, { method: 'GET', path });
    if (status === 200) settle(order, json?.status, isAgain);
    else if (faults.brokenQuestionMeansFailed) order.state = 'failed';
  };

  const server = await openWebhookServer(async ({ externalId, amount, payer, status }) => {
    const isOf = faults.matchesByAmount
      ? (one: Order) => `${one.amount}` === amount && one.phone === payer.partyId
      : (one: Order) => one.order === externalId;
    const order = [...orders.values()].findLast(isOf);
    if (order === undefined) return;
    if (faults.believesWebhooks || faults.matchesByAmount) settle(order, status);
    else await check(order, faults.fulfilsForEachWebhook && order.isTold);
    if (status === 'SUCCESSFUL') order.isTold = true;
  });

  return {
    webhook: server.webhook,
    pay: async (given: DrillOrder) => {
      if (orders.has(given.order) && !faults.paysForEachClick) return;
      const reference = crypto.randomUUID();
      const order: Order = { ...given, state: 'pending', fulfilled: 0, reference };
      orders.set(given.order, order);
      await pay(order);
    },
    outcome: async ({ order }: DrillOrder): Promise<DrillOutcome> => {
      const { state, fulfilled } = orders.get(order) ?? { state: 'pending', fulfilled: 0 };
      return { state, fulfilled: faults.acceptedMeansPaid && state === 'paid' ? 1 : fulfilled };
    },
    reconcile: async ({ order: id }: DrillOrder) => {
      const order = orders.get(id);
      if (order !== undefined) await check(order);
    },
    close: server.close,
  } satisfies Application & { close(): Promise<void> };
}
