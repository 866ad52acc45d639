import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Application, DrillOrder, DrillOutcome } from '../support/momo-mock.ts';

/** What can be wrong with the application. Each is a mistake that somebody made. */
export interface Faults {
  /** Each attempt has another id, so that the provider takes each. */
  readonly newIdForEachAttempt?: boolean;
  readonly timeoutMeansFailed?: boolean;
  /** A broken connection and an error of the server mean failed, too. */
  readonly errorMeansFailed?: boolean;
  /** Any 2xx means paid, without a look at the body. */
  readonly okMeansPaid?: boolean;
  readonly pendingMeansPaid?: boolean;
  readonly believesForgeries?: boolean;
  /** Finds the order of a webhook by amount and phone. */
  readonly matchesByAmount?: boolean;
  readonly ignoresAmount?: boolean;
  readonly fulfilsForEachWebhook?: boolean;
  /** The same, from a queue. */
  readonly fulfilsAgainLater?: boolean;
  /** A webhook that says pending makes a paid order pending. */
  readonly lastWebhookCounts?: boolean;
  readonly retriesForEver?: boolean;
  readonly ignoresRetryAfter?: boolean;
  readonly neverAsks?: boolean;
  readonly trustsAnyCertificate?: boolean;
  readonly paysForEachClick?: boolean;
  readonly givesUpEarly?: boolean;
  /** A question that fails means that the payment failed. */
  readonly brokenQuestionMeansFailed?: boolean;
  readonly hasNoTimeout?: boolean;
  /** Saves the reference of an order after the response, accepts webhooks of others, and never asks. */
  readonly forgetsEarlyWebhooks?: boolean;
  readonly ignoresRefusals?: boolean;
  readonly neverFulfils?: boolean;
  /** Starts the payment after `pay` has come back. */
  readonly paysLater?: boolean;
}

interface Order extends DrillOrder {
  state: DrillOutcome['state'];
  fulfilled: number;
  readonly since: number;
  reference?: string;
  /** Whether a webhook said that it is paid. */
  isTold?: boolean;
}

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of the provider
  readonly json: any;
}

/** Times in ms. */
export interface Times {
  readonly timeout: number;
  readonly pause: number;
  readonly giveUp: number;
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));
const MAX_ATTEMPTS = 4;
/** How long a job waits in the queue, in ms. */
const QUEUE = 500;

/** A shop that takes payments with the API of chipdeals: as it should, except for its faults. */
export async function openApplication(faults: Faults = {}, times: Partial<Times> = {}) {
  const { timeout = 2000, pause = 100, giveUp = 1000 } = times;
  const orders = new Map<string, Order>();

  const call = (order: Order, method: string, path: string, body?: object): Promise<Response> =>
    new Promise((done, fail) => {
      const { url, ca, apiKey } = order.provider;
      const outgoing = request(
        `${url}${path}?apikey=${apiKey}`,
        {
          method,
          ca,
          agent: false,
          headers: { 'content-type': 'application/json' },
          rejectUnauthorized: !faults.trustsAnyCertificate,
          ...(!faults.hasNoTimeout && { signal: AbortSignal.timeout(timeout) }),
        },
        (response) => {
          let text = '';
          response.on('data', (chunk) => (text += chunk));
          response.on('error', fail);
          response.on('end', () => {
            const { statusCode: status = 0, headers } = response;
            let json: unknown;
            try {
              json = JSON.parse(text);
            } catch {}
            done({ status, headers, json });
          });
        },
      );
      outgoing.on('error', fail);
      outgoing.end(body && JSON.stringify(body));
    });

  const settle = (order: Order, transaction: Response['json'], isAgain = false) => {
    if (transaction.status === 'pending') return;
    if (transaction.status === 'error') {
      if (!faults.ignoresRefusals && order.state === 'pending') order.state = 'failed';
      return;
    }
    const isEnough = transaction.amount >= order.amount && transaction.currency === order.currency;
    if (!isEnough && !faults.ignoresAmount) return;
    if (order.state === 'paid' && !isAgain) return;
    if (isAgain && faults.fulfilsAgainLater) {
      setTimeout(() => order.fulfilled++, QUEUE);
      return;
    }
    order.state = 'paid';
    if (!faults.neverFulfils) order.fulfilled++;
  };

  const attempt = async (order: Order, count: number): Promise<'done' | 'again' | number> => {
    const { order: id, amount, currency, phone } = order;
    const merchantOrderId = faults.newIdForEachAttempt ? `${id}-${count}` : id;
    const response = await call(order, 'POST', '/momo/requestPayment', {
      senderPhoneNumber: phone,
      amount,
      currency,
      merchantOrderId,
      webhookUrl: application.webhook,
    });
    const { status, headers, json } = response;
    if (status === 429) return faults.ignoresRetryAfter ? 0 : Number(headers['retry-after']) * 1000;
    if (faults.okMeansPaid && status === 200 && json === undefined) {
      order.state = 'paid';
      order.fulfilled++;
      return 'done';
    }
    if (status >= 500 || json === undefined) {
      if (faults.errorMeansFailed) order.state = 'failed';
      return faults.errorMeansFailed ? 'done' : 'again';
    }
    // The provider has it already, so a response was lost: its webhook tells the end.
    if (json.errorCode === '400-119') return 'done';
    if (status >= 400) order.state = 'failed';
    else if (faults.pendingMeansPaid) settle(order, { ...json.payment, status: 'success' });
    else order.reference = json.payment.reference;
    return 'done';
  };

  const payOnce = async (order: Order): Promise<void> => {
    for (let count = 1; faults.retriesForEver || count <= MAX_ATTEMPTS; count++) {
      try {
        const next = await attempt(order, count);
        if (next === 'done') return;
        await sleep(next === 'again' ? pause : next);
      } catch (error) {
        const isTimeout = (error as Error).name === 'AbortError';
        if (faults.errorMeansFailed || (isTimeout && faults.timeoutMeansFailed)) {
          order.state = 'failed';
          return;
        }
        if (isClosed) return;
        await sleep(pause);
      }
    }
  };

  const isFulfilledAgain = faults.fulfilsForEachWebhook || faults.fulfilsAgainLater;
  const receive = (text: string, hash: unknown): number => {
    const { data } = JSON.parse(text);
    const isOf = faults.matchesByAmount
      ? ({ amount, phone, provider, state }: Order) =>
          amount === data.amount &&
          phone === data.senderPhoneNumber &&
          hash === provider.webhookSecret &&
          state === 'pending'
      : ({ order, reference }: Order) =>
          (faults.forgetsEarlyWebhooks
            ? reference === data.reference
            : `${data.merchantOrderId}`.replace(/-\d+$/, '') === order) &&
          (reference === undefined || reference === data.reference || faults.newIdForEachAttempt);
    const order = [...orders.values()].find(isOf);
    if (order === undefined) return faults.forgetsEarlyWebhooks ? 200 : 404;
    if (hash !== order.provider.webhookSecret && !faults.believesForgeries) return 401;
    if (faults.lastWebhookCounts && data.status === 'pending') order.state = 'pending';
    else settle(order, data, isFulfilledAgain && order.isTold);
    if (data.status === 'success') order.isTold = true;
    return 200;
  };

  const server = createServer((incoming, response) => {
    let text = '';
    incoming.on('data', (chunk) => (text += chunk));
    incoming.on('end', () => {
      response.statusCode = receive(text, incoming.headers['verif-hash']);
      response.end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  let isClosed = false;

  const application = {
    pay: async (given: DrillOrder) => {
      const known = orders.get(given.order);
      if (known !== undefined && !faults.paysForEachClick) return;
      const order = known ?? {
        ...given,
        state: 'pending' as const,
        fulfilled: 0,
        since: Date.now(),
      };
      orders.set(order.order, order);
      const id = known === undefined ? order.order : `${order.order}-2`;
      const paying = payOnce(known === undefined ? order : { ...order, order: id });
      if (!faults.paysLater) await paying;
    },
    outcome: async ({ order: id }: DrillOrder): Promise<DrillOutcome> => {
      const order = orders.get(id);
      if (order === undefined) return { state: 'pending', fulfilled: 0 };
      const isOld = Date.now() - order.since > giveUp;
      if (faults.givesUpEarly && isOld && order.state === 'pending') order.state = 'failed';
      return { state: order.state, fulfilled: order.fulfilled };
    },
    reconcile: async ({ order: id }: DrillOrder) => {
      const order = orders.get(id);
      if (order?.state !== 'pending' || order.reference === undefined) return;
      if (faults.neverAsks || faults.forgetsEarlyWebhooks) return;
      const { status, json } = await call(order, 'GET', `/momo/status/${order.reference}`);
      if (status === 200) settle(order, json.transaction);
      else if (faults.brokenQuestionMeansFailed) order.state = 'failed';
    },
    webhook: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    close: async () => {
      isClosed = true;
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  } satisfies Application & { close(): Promise<void> };
  return application;
}
