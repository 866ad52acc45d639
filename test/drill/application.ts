import { setTimeout as sleep } from 'node:timers/promises';
import type { Application, DrillOrder, DrillOutcome } from '../support/momo-mock.ts';
import type { Faults, Habits } from './application-traits.ts';
import { misread } from './broken-question.ts';
import { type Call, call, type Reply } from './call.ts';
import { openWebhookServer } from './webhook-server.ts';

interface Order extends DrillOrder {
  state: DrillOutcome['state'];
  fulfilled: number;
  readonly since: number;
  /** How the provider knows it. */
  id: string | undefined;
  reference?: string;
  /** Whether a webhook said that it is paid. */
  isTold?: boolean;
  /** Whether nothing is left to send. */
  isSent?: boolean;
}

/** Times in ms. */
export interface Times {
  readonly timeout: number;
  readonly pause: number;
  readonly giveUp: number;
  /** How long a job waits in the queue. */
  readonly queue: number;
}

const MAX_ATTEMPTS = 4;
/** What the database takes between a read and a write. */
const DATABASE = 20;
/** The calls of a busy server begin so many ms apart. */
const JITTER = [0, 112, 48, 80, 16, 96, 32, 64];
const SAME_CLICK = 500;

/** A shop that takes payments with the API of chipdeals: as it should, except for its faults. */
export async function openApplication(
  traits: Faults & Habits = {},
  { timeout = 2000, pause = 100, giveUp = 1000, queue = 500 }: Partial<Times> = {},
) {
  const orders = new Map<string, Order>();
  let isClosed = false;
  let ids = 0;
  let calls = 0;

  /** What depends on time spares the first order, so that `success` is survived on a busy machine, too. */
  const isBusy = () => orders.size > 1;

  const later = (job: () => unknown) => {
    void sleep(queue).then(() => (isClosed ? undefined : job()));
  };

  const send = ({ provider }: Order, given: Call): Promise<Reply> => {
    const isPatient =
      traits.hasNoTimeout || (traits.hasNoTimeoutForQuestions && given.method === 'GET');
    const path = `${given.path}?apikey=${provider.apiKey}`;
    const isUnverified = traits.trustsAnyCertificate;
    return call(provider, { ...given, path, isUnverified }, isPatient ? undefined : timeout);
  };

  const giveBack = async (order: Order): Promise<void> => {
    const { amount, currency, phone } = order;
    const body = { recipientPhoneNumber: phone, amount, currency };
    await send(order, { method: 'POST', path: '/momo/deposit', body });
  };

  const fulfil = (order: Order): void => {
    order.state = 'paid';
    if (!traits.neverFulfils && !traits.shipsBeforeComparing) order.fulfilled++;
    if (traits.chargesAgainLater) later(() => pay({ ...order, id: `${order.id}-again` }));
  };

  /**
   * Takes over what the provider says of a payment.
   *
   * @param isAgain whether a fault fulfils an order that is paid
   * @param isRacing whether a fault lets time pass between reading and writing
   */
  const settle = async (
    order: Order,
    transaction: Reply['json'],
    { isAgain = false, isRacing = false } = {},
  ): Promise<void> => {
    const { status } = transaction;
    if (status === 'error' && order.state === 'pending' && !traits.ignoresRefusals) {
      order.state = 'failed';
      if (traits.refundsDeclined) await giveBack(order);
    }
    if (status !== 'success') return;
    if (traits.shipsBeforeComparing) order.fulfilled = 1;
    if (!isEnough(order, transaction, traits) || (order.state === 'paid' && !isAgain)) return;
    if (isRacing) await sleep(DATABASE);
    if (isAgain && traits.fulfilsAgainLater) later(() => fulfil(order));
    else fulfil(order);
  };

  /** @returns the time until the next attempt in ms, unless nothing is left to send */
  const attempt = async (order: Order): Promise<'done' | number> => {
    const body = paymentOf(order, [...orders.values()], webhook, traits);
    const reply = await send(order, { method: 'POST', path: '/momo/requestPayment', body });
    const { status, headers, json } = reply;
    if (status === 429) return traits.ignoresRetryAfter ? 0 : Number(headers['retry-after']) * 1000;
    if (status === 503 && traits.failsAndChargesLater) {
      order.state = 'failed';
      later(() => payOnce(order));
      return 'done';
    }
    if (status === 200 && json === undefined && traits.okMeansPaid) {
      fulfil(order);
      return 'done';
    }
    if (status >= 500 || json === undefined) return await lose(order);
    // The provider has it already, so a response was lost: its webhook tells the end.
    if (json.errorCode === '400-119') return 'done';
    if (status >= 400) order.state = 'failed';
    else if (traits.pendingMeansPaid) fulfil(order);
    else order.reference = json.payment.reference;
    return 'done';
  };

  /** It is not known whether the payment was taken. */
  const lose = async (order: Order, error?: unknown): Promise<'done' | number> => {
    const isTimeout = (error as Error | undefined)?.name === 'AbortError';
    if (traits.savesAfterResponse) throw error ?? new Error('There is no response.');
    if (traits.errorMeansFailed || (isTimeout && traits.timeoutMeansFailed)) order.state = 'failed';
    if (traits.refundsLost) await giveBack(order);
    const givesUp = order.state === 'failed' || traits.refundsLost || traits.id === 'none';
    return givesUp || isClosed ? 'done' : pause;
  };

  /** @returns what {@link attempt} does, also if it fails */
  const payOnce = async (order: Order): Promise<'done' | number> => {
    const next = await attempt(order).catch((error) => lose(order, error));
    order.isSent = next === 'done';
    return next;
  };

  const pay = async (order: Order): Promise<void> => {
    const { id } = order;
    for (let count = 1; traits.retriesForEver || count <= MAX_ATTEMPTS; count++) {
      if (traits.newIdForEachAttempt) order.id = `${id}-${count}`;
      const next = await payOnce(order);
      if (next === 'done' || isClosed || traits.retriesFromCron) return;
      await sleep(next);
    }
  };

  const question = (order: Order): Promise<Reply> =>
    send(order, { method: 'GET', path: `/momo/status/${order.reference}` });

  const ask = async (order: Order): Promise<void> => {
    const asked = question(order);
    const read = await misread(asked, traits, ({ status }) => status === 404);
    if (read === 'paid') fulfil(order);
    else if (read === 'failed') order.state = 'failed';
    const { status, json } = await asked.catch(() => ({ status: 0, json: undefined }));
    if (status !== 200 && traits.brokenQuestionMeansFailed) order.state = 'failed';
    if (status !== 200 || json === undefined) return;
    // What a webhook has written meanwhile is locked, and what another run writes is not.
    const isRacing = traits.racesInCron && !order.isTold && isBusy();
    const isAgain = (traits.checksBeforeAsking && isBusy()) || isRacing;
    await settle(order, json.transaction, { isAgain, isRacing });
  };

  /** Whether the application believes a webhook without the right secret. */
  const isBelieved = async (order: Order, data: Reply['json']): Promise<boolean> => {
    if (traits.believesForgedFailures) return data.status === 'error';
    if (traits.believesWhileDown)
      return (await question(order).catch(() => undefined))?.status !== 200;
    return traits.believesForgeries ?? false;
  };

  const receive = async (data: Reply['json'], path: string, secret: unknown): Promise<number> => {
    const isOf = finderOf(data, path, secret, traits);
    const order = [...orders.values()].find(isOf);
    if (order === undefined) return traits.forgetsEarlyWebhooks ? 200 : 404;
    if (secret !== order.provider.webhookSecret) {
      if (traits.queuesForgeries) {
        later(() => settle(order, data));
        return 200;
      }
      if (!(await isBelieved(order, data))) return 401;
    }
    const isAgain = traits.fulfilsForEachWebhook || traits.fulfilsAgainLater;
    const isRacing = traits.racesInWebhooks && order.state === 'pending' && isBusy();
    if (traits.lastWebhookCounts && data.status === 'pending') order.state = 'pending';
    else await settle(order, data, { isAgain: (isAgain && order.isTold) || isRacing, isRacing });
    if (data.status === 'success') order.isTold = true;
    return 200;
  };

  /** What a server with one worker has begun. */
  let working: Promise<unknown> = Promise.resolve();
  const work = <Result>(job: () => Promise<Result>): Promise<Result> => {
    if (!traits.hasOneWorker) return job();
    const result = working.then(job);
    working = result.catch(() => {});
    return result;
  };

  const server = await openWebhookServer(async ({ data }, path, headers) => {
    if (traits.refusesWebhooks !== undefined) return traits.refusesWebhooks;
    return await work(async () => {
      await sleep(traits.handlesAfter ?? 0);
      const status = await receive(data, path, headers['verif-hash']);
      await sleep(traits.acknowledgesAfter ?? 0);
      return status;
    });
  });

  const webhook = traits.takesNoWebhooks ? undefined : server.webhook;

  const idOf = ({ order }: DrillOrder): string | undefined => {
    if (traits.id === 'none') return undefined;
    return traits.id === 'own' || traits.insertsAfterCheck ? `payment-${++ids}` : order;
  };

  /** A call for an order that is there already. */
  const clickAgain = async (order: Order): Promise<void> => {
    const again = { ...order, id: `${order.id}-again` };
    if (traits.queuesSecondClick) later(() => pay(again));
    const isOld = Date.now() - order.since > SAME_CLICK && order.state === 'pending';
    if (traits.paysForEachClick || (traits.forgetsClicks && isOld)) await pay(again);
  };

  const end = async (order: Order): Promise<void> => {
    const until = Date.now() + (traits.waitsForPayer ?? 0);
    while (order.state === 'pending' && Date.now() < until && !isClosed) await sleep(pause);
  };

  const application = {
    pay: (given: DrillOrder) =>
      work(async () => {
        if (traits.insertsAfterCheck) await sleep(JITTER[calls++ % JITTER.length]);
        const known = orders.get(given.order);
        if (known !== undefined) return await clickAgain(known);
        const since = Date.now();
        const id = idOf(given);
        const order: Order = { ...given, state: 'pending', fulfilled: 0, since, id };
        if (traits.insertsAfterCheck) await sleep(DATABASE);
        if (!traits.savesAfterResponse) orders.set(order.order, order);
        const paying = pay(order);
        if (!traits.paysLater) await paying;
        if (traits.savesAfterResponse) orders.set(order.order, order);
        await end(order);
      }),
    outcome: async ({ order: id }: DrillOrder): Promise<DrillOutcome | undefined> => {
      const order = orders.get(id);
      if (order === undefined) return undefined;
      const isOld = Date.now() - order.since > giveUp && isBusy();
      if (traits.givesUpEarly && isOld && order.state === 'pending') order.state = 'failed';
      return { state: order.state, fulfilled: order.fulfilled };
    },
    reconcile: ({ order: id }: DrillOrder) =>
      work(async () => {
        const order = orders.get(id);
        if (order?.state !== 'pending' || traits.neverAsks || traits.forgetsEarlyWebhooks) return;
        if (Date.now() - order.since < (traits.asksAfter ?? 0)) return;
        if (order.reference !== undefined) return await ask(order);
        if (traits.retriesFromCron && order.isSent === false) await payOnce(order);
      }),
    webhook,
    close: async () => {
      isClosed = true;
      await server.close();
    },
  } satisfies Application & { close(): Promise<void> };
  return application;
}

/** What the application asks the provider for. */
function paymentOf(
  { order, id, amount, currency, phone }: Order,
  orders: readonly Order[],
  webhook: string | undefined,
  traits: Faults & Habits,
) {
  const place = orders.findIndex((one) => one.order === order);
  const previous = orders[place - 1] ?? { id, phone };
  return {
    senderPhoneNumber: phone,
    amount,
    currency,
    merchantOrderId: id,
    webhookUrl: traits.hasUrlForEachOrder ? `${webhook}/${order}` : webhook,
    ...(traits.chargesFixedAmount && { amount: 1000 }),
    ...(traits.roundsAmount && { amount: Math.floor(amount / 100) * 100 }),
    ...(traits.chargesFixedCurrency && { currency: 'XOF' }),
    ...(traits.chargesFixedPhone && { senderPhoneNumber: '22997000000' }),
    ...(traits.hasFixedPrefix && { senderPhoneNumber: `229${phone.slice(3)}` }),
    ...(traits.chargesPreviousPhone && { senderPhoneNumber: previous.phone }),
    ...(traits.sendsPreviousOrder && { merchantOrderId: previous.id }),
  };
}

/** Whether what was paid is what the order costs. */
function isEnough(order: Order, paid: Reply['json'], traits: Faults): boolean {
  if (traits.ignoresAmount) return true;
  if (traits.comparesAmountAsText) return `${paid.amount}` >= `${order.amount}`;
  return paid.amount >= order.amount && paid.currency === order.currency;
}

/** By what the application finds the order of a webhook. */
function finderOf(
  data: Reply['json'],
  path: string,
  secret: unknown,
  traits: Faults & Habits,
): (order: Order) => boolean {
  if (traits.matchesByAmount) {
    return ({ amount, phone, provider, state }) =>
      amount === data.amount &&
      phone === data.senderPhoneNumber &&
      secret === provider.webhookSecret &&
      state === 'pending';
  }
  if (traits.newIdForEachAttempt) {
    return ({ order }) => `${data.merchantOrderId}`.startsWith(order);
  }
  if (traits.forgetsEarlyWebhooks || traits.id === 'none') {
    return ({ reference }) => reference === data.reference;
  }
  return ({ order, id, reference }) =>
    data.merchantOrderId === id &&
    (reference === undefined || reference === data.reference) &&
    (!traits.hasUrlForEachOrder || path.endsWith(`/${order}`));
}
