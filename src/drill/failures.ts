import type { PaymentEnd } from '../mock/operations/drill-file.ts';
import type { ScriptedResponse } from '../mock/responses/scripted-response.ts';
import type { ScriptedWebhook } from '../mock/webhooks/webhook-script.ts';
import { timeOfDay } from '../timers.ts';
import { type Facts, paymentsIn, questionsIn, seconds, takenIn } from './facts.ts';
import type { Right } from './judge.ts';
import { endOf, type Stage } from './stage.ts';

/** A failure: what happens, and what is right. */
export interface Failure {
  readonly name: string;
  /** What happens, in a few words. */
  readonly about: string;
  readonly right: Right;
  /** What went before a wrong state of the order, in words: `after a forged webhook`. */
  readonly circumstance?: string;
  /** What to do about it, unless the provider's `drill.js` knows better. */
  readonly advice: string;
  /** How the payment ends. @default 'success' */
  readonly end?: PaymentEnd;
  /** How often `pay` is called at once. @default 1 */
  readonly clicks?: number;
  /** What it needs besides an application and a provider. */
  readonly needs?: readonly Need[];
  /** Scripts what goes wrong, before the application starts. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  /**
   * What happens while the provider's clock stands still, from the call of `pay` on. Then the clock moves
   * until the application and the ledger agree.
   *
   * @returns what is wrong, if it shows here
   */
  readonly happen?: (stage: Stage) => Promise<string | undefined>;
  /** Whether it is over after {@link happen}, and the provider's clock never moves. */
  readonly isEndless?: boolean;
  /** How long nothing may happen after the application and the ledger agree, in ms. @default 300 */
  readonly calm?: number;
  /** Why the failure did not happen, if it did not. */
  readonly missed?: (
    facts: Facts,
    stage: Stage,
  ) => Promise<string | undefined> | string | undefined;
}

export type Need =
  | 'webhook'
  | 'pending-webhook'
  | 'other-order'
  | 'pay-less'
  | 'status'
  | 'tokens'
  | 'fulfilled';

/** How long a lost response is the only thing that happened, in ms. */
const TO_TRY_AGAIN = 5000;
const TO_FAIL_QUESTIONS = 1000;
/** How long an application may take to believe a webhook that it should not believe, in ms. */
const TO_BELIEVE = 2000;
/** A queue may do the same thing again a bit later. */
const TO_DO_IT_AGAIN = 2000;
const FOR_EVER = 10_000;
const BEFORE_LATE_WEBHOOK = 6000;
const LATE_WEBHOOK = 90 * 60_000;
const RETRY_AFTER = 3000;
/** A timer may end a bit early, and clocks differ in their digits. */
const TOLERANCE = 100;
const MAX_REQUESTS_WHILE_DOWN = 20;
const MAX_SCRIPTED = 100;

const FIND_OUT =
  'After a lost response, keep the order pending, and ask the provider before you pay again or give up.';
const TRY_AGAIN = 'Pay again with the same id, or keep the order pending and try later.';
const ASK =
  'Ask the provider for the state of pending payments now and then, such as from a cron job.';
const VERIFY = 'Verify the signature of each webhook, or ask the provider before you believe it.';

/** All failures, in the order in which they are shown. */
export const FAILURES: readonly Failure[] = [
  {
    name: 'success',
    about: 'nothing goes wrong',
    right: 'paid',
    advice: 'Mark the order as paid when the provider says that the payment is successful.',
  },
  refused('declined', 'the payer, or the provider, declines the payment'),
  refused('no-funds', 'the payer has too little money'),
  refused('expired', 'the payer does not confirm in time'),
  lost('lost-response', 'after a connection that was reset', 'the connection is reset', {
    fault: 'reset',
  }),
  lost('timeout', 'after a request without a response', 'no response comes', { fault: 'hang' }),
  lost('half-response', 'after half a response', 'the response breaks off', { fault: 'truncate' }),
  lost('server-error', 'after a 502', 'a gateway responds with 502 and HTML', html(502)),
  lost('garbage', 'after a 200 without JSON', 'the response is 200 with HTML', html(200)),
  notTaken('lost-request', 'after a connection that was reset', 'the connection is reset', {
    status: 503,
    fault: 'reset',
  }),
  notTaken('unavailable', 'after a 503', 'the provider responds with 503 once', { status: 503 }),
  {
    name: 'down',
    about: 'the provider responds with 503 for 20 s',
    circumstance: 'while the provider is down',
    right: 'untouched',
    isEndless: true,
    advice: 'Wait longer after each attempt, and give up after a few.',
    prepare: ({ account }) => account.respondWith({ status: 503, times: 'always' }),
    happen: async (stage) => {
      const { requests, elapsed } = await stage.until(() => false, { reconciles: false });
      if (requests.length <= MAX_REQUESTS_WHILE_DOWN) return undefined;
      return `The application sent ${requests.length} requests in ${seconds(elapsed)} to a provider that is down.`;
    },
    missed: ({ requests }) => (requests.length === 0 ? NO_REQUEST : undefined),
  },
  {
    ...notTaken(
      'rate-limited',
      'after a 429',
      'the provider responds with 429 and retry-after once',
      {},
    ),
    advice: 'Read the header retry-after, and send no request before.',
    prepare: (stage) => stage.respondToPayment(limited(stage)),
    happen: async (stage) => {
      await useScript(stage, limited(stage), ({ requests }) => requests.some(isAffected));
      const wait = retryAfter(stage);
      const { requests } = await stage.until(
        ({ requests }) =>
          requests.some((request) => isAffected(request) && sinceEnd(request) > wait),
        { most: wait + TO_TRY_AGAIN, reconciles: false },
      );
      const refused = requests.find(isAffected);
      const early = requests.find(
        ({ id, time }) =>
          refused !== undefined &&
          id > refused.id &&
          Date.parse(time) < endOf(refused) + wait - TOLERANCE,
      );
      if (refused === undefined || early === undefined) return undefined;
      const time = ({ time }: typeof early) => time.slice(11, 23);
      const after = seconds(Date.parse(early.time) - endOf(refused));
      return `The application sent the next request after ${after}, although the provider asked it to wait ${seconds(wait)} (429 at ${time(refused)}, ${early.operation} at ${time(early)}).`;
    },
  },
  {
    name: 'status-broken',
    about: 'each question for the state fails for a while',
    circumstance: 'after questions that failed',
    right: 'paid',
    advice:
      'A question that fails says nothing about the payment: keep the order pending, ask again.',
    needs: ['status'],
    prepare: ({ account, provider }) =>
      account.respondWith(
        provider.status.map((operation) => ({ operation, status: 503, times: 'always' })),
      ),
    happen: async (stage) => {
      const broken = TO_FAIL_QUESTIONS * stage.scale;
      const isBroken = (facts: Facts) =>
        takenIn(facts).length > 0 &&
        questionsIn(facts).some((request) => isAffected(request) && sinceEnd(request) > broken);
      // Some applications ask only after a webhook.
      const most = TO_TRY_AGAIN * stage.scale;
      if (!isBroken(await stage.until(isBroken, { most }))) {
        await stage.until(isBroken, { moves: true, most: 2 * most });
      }
      await stage.account.clearResponses();
      return undefined;
    },
    missed: (facts) =>
      questionsIn(facts).some(isAffected)
        ? undefined
        : 'the application did not ask for the state of the payment while that was broken',
  },
  {
    name: 'pending-for-ever',
    about: 'the payment does not end',
    circumstance: 'while the payment does not end',
    right: 'pending',
    isEndless: true,
    advice: 'A payment without an end is pending, however long it takes: it may still be paid.',
    happen: async (stage) => {
      await stage.until((facts) => takenIn(facts).length > 0);
      await stage.until(() => false, { most: FOR_EVER * stage.scale });
      return undefined;
    },
    missed: notCharged,
  },
  {
    name: 'late-webhook',
    about: 'the payment ends after 90 minutes',
    circumstance: 'while the webhook is late',
    right: 'paid',
    advice:
      'Do not give up a pending payment after a time of your own: believe its webhook when it comes.',
    needs: ['webhook'],
    happen: async (stage) => {
      await stage.until((facts) => takenIn(facts).length > 0);
      await stage.until(() => false, { most: BEFORE_LATE_WEBHOOK * stage.scale });
      await stage.until(() => !stage.isContradicted);
      stage.advance(LATE_WEBHOOK);
      return undefined;
    },
    missed: notCharged,
  },
  {
    name: 'no-webhook',
    about: 'the webhooks never come',
    circumstance: 'without a webhook',
    right: 'paid',
    advice: ASK,
    needs: ['webhook', 'status'],
    prepare: scriptWebhooks(() => ({ lose: true })),
    missed: ({ webhooks }) =>
      webhooks.some(({ reason }) => reason === 'lost') ? undefined : NO_WEBHOOK,
  },
  {
    name: 'webhook-twice',
    about: 'the final webhook comes twice',
    circumstance: 'after a webhook that came twice',
    right: 'paid',
    advice: 'Remember for each order whether it was fulfilled, in the same transaction.',
    needs: ['webhook', 'fulfilled'],
    calm: TO_DO_IT_AGAIN,
    prepare: scriptWebhooks(({ provider }) => ({ match: successful(provider), repeat: 2 }), 1),
    missed: async (facts, { account }) =>
      (await account.webhookScript()).length > 0 ? NO_WEBHOOK : unreached(facts, 2),
  },
  {
    name: 'webhook-order',
    about: 'the final webhook comes first, then the one that says pending',
    circumstance: 'after a webhook that says pending',
    right: 'paid',
    advice: 'A payment that has ended never becomes pending again: ignore such webhooks.',
    needs: ['webhook', 'pending-webhook'],
    calm: TO_DO_IT_AGAIN,
    prepare: scriptWebhooks(({ provider }) => ({
      match: { body: provider.webhooks?.pending },
      delay: 30_000,
    })),
    missed: async (facts, { account }) =>
      (await account.webhookScript()).length === MAX_SCRIPTED ? NO_WEBHOOK : unreached(facts, 2),
  },
  {
    name: 'webhook-first',
    about: 'the final webhook comes before the response',
    circumstance: 'after a webhook that came before the response',
    right: 'paid',
    advice: 'Save the order before you send the request, so that its webhook finds it.',
    needs: ['webhook'],
    prepare: async (stage) => {
      const { account, provider } = stage;
      // A pending one that comes after it is another failure.
      const pending = { match: { body: provider.webhooks?.pending }, lose: true };
      const others = provider.webhooks?.pending === undefined ? [] : Array(10).fill(pending);
      await account.scriptWebhooks([{ match: successful(provider), before: true }, ...others]);
    },
    missed: async (facts, { account }) =>
      (await account.webhookScript()).some(({ before }) => before)
        ? NO_WEBHOOK
        : unreached(facts, 1),
  },
  {
    name: 'webhook-forged',
    about: 'somebody else sends a webhook that says success, for a payment that is declined',
    circumstance: 'after a forged webhook',
    right: 'refused',
    advice: VERIFY,
    end: 'declined',
    needs: ['webhook'],
    happen: async (stage) => {
      const open = await stage.until((facts) => canForge(stage, facts));
      await forge(stage, open);
      const isOver = ({ charges }: Facts) => charges.some(({ state }) => state === 'failed');
      await stage.until(() => false, { most: TO_BELIEVE * stage.scale });
      await forge(stage, await stage.until(isOver, { moves: true }));
      return undefined;
    },
    missed: elsewhere,
  },
  {
    name: 'webhook-other-order',
    about: 'the webhook of another, paid order with the same amount and phone comes',
    circumstance: 'after the webhook of another order',
    right: 'refused',
    advice: 'Find the order of a webhook by an id, never by amount and phone number.',
    end: 'declined',
    needs: ['webhook', 'other-order'],
    happen: async (stage) => {
      const facts = await stage.until((facts) => canForge(stage, facts));
      const payment = stage.payment(facts);
      if (payment === undefined) return undefined;
      const id = (await stage.provider.addPaidOrder?.(payment)) ?? '';
      stage.ignore(id);
      await send(stage, { ...payment, payment: { ...payment.payment, id } });
      await stage.until(() => false, { most: TO_BELIEVE * stage.scale });
      return undefined;
    },
    missed: elsewhere,
  },
  {
    name: 'webhook-amount',
    about: 'the payer pays less than the amount',
    right: 'underpaid',
    advice: 'Compare amount and currency of the payment with those of the order.',
    needs: ['pay-less'],
    happen: async (stage) => {
      const payment = stage.payment(await stage.until((facts) => takenIn(facts).length > 0));
      if (payment !== undefined) await stage.provider.payLess?.(payment);
      return undefined;
    },
    missed: ({ charges, provider }) =>
      charges.some(({ state, amount }) => state === 'success' && amount < provider.amount)
        ? undefined
        : 'no payment with a smaller amount was successful',
  },
  {
    name: 'token-expired',
    about: 'the token ends between two requests',
    circumstance: 'after a token that had ended',
    right: 'paid',
    advice: 'When the provider refuses a token, get another one and send the request again.',
    needs: ['tokens', 'status'],
    prepare: scriptWebhooks(() => ({ lose: true })),
    happen: async (stage) => {
      await stage.until((facts) => takenIn(facts).length > 0 && stage.canMove(facts));
      stage.advance((stage.provider.tokens?.seconds ?? 0) * 1000 + 1000);
      return undefined;
    },
    missed: (facts) => {
      const { requests, provider } = facts;
      const isRenewed = requests.some(
        ({ operation, id }) =>
          id > (paymentsIn(facts)[0]?.id ?? Infinity) &&
          provider.tokens?.operations.some((name) => name === operation),
      );
      const isRefused = requests.some(({ reason }) => `${reason}` === 'token-expired');
      return isRenewed || isRefused
        ? undefined
        : 'the application used no token after it had ended';
    },
  },
  {
    name: 'wrong-certificate',
    about: 'the certificate is expired, of another host, or of nobody known',
    right: 'untouched',
    advice:
      'Verify certificates: never turn the check off, and trust no certificate but the right one.',
  },
  {
    name: 'double-click',
    about: 'the customer pays the same order twice at once',
    circumstance: 'after two clicks',
    right: 'paid',
    advice:
      'Let the database decide which call pays: insert the attempt with a unique order id first.',
    clicks: 2,
    calm: TO_DO_IT_AGAIN,
    missed: notCharged,
  },
];

const NO_REQUEST = 'the application sent no request';
const NO_PAYMENT = 'no payment was taken';
const NO_WEBHOOK = 'no webhook came to which it could happen';

function refused(name: PaymentEnd, about: string): Failure {
  const advice = 'Mark the order as failed when the provider says that the payment has failed.';
  return { name, about, right: 'refused', end: name, advice };
}

function html(status: number): ScriptedResponse {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  const body = '<!doctype html><html><body><h1>Error</h1></body></html>';
  return { status, headers, body, afterHandler: true };
}

/** The payment is taken, and the application does not learn it. */
function lost(
  name: string,
  circumstance: string,
  about: string,
  response: ScriptedResponse,
): Failure {
  return {
    name,
    about: `the payment is taken, and ${about}`,
    circumstance,
    right: 'found-out',
    advice: FIND_OUT,
    prepare: (stage) => stage.respondToPayment(response),
    happen: async (stage) => {
      await useScript(stage, response, ({ charges }) => charges.length > 0);
      const most = TO_TRY_AGAIN * stage.scale;
      await stage.until((facts) => {
        const [first, ...others] = paymentsIn(facts);
        if (first === undefined || !first.ended) return false;
        return others.some(({ ended }) => ended) || sinceEnd(first) > most;
      });
      return undefined;
    },
    missed: (facts) => (facts.requests.some(isScripted) ? notCharged(facts) : NO_REQUEST),
  };
}

/** The payment is not taken. */
function notTaken(
  name: string,
  circumstance: string,
  about: string,
  response: ScriptedResponse,
): Failure {
  return {
    name,
    about: `no payment is taken: ${about}`,
    circumstance,
    right: 'either',
    advice: TRY_AGAIN,
    prepare: (stage) => stage.respondToPayment(response),
    happen: async (stage) => {
      await useScript(stage, response, ({ requests }) => requests.some(isAffected));
      return undefined;
    },
    missed: ({ requests }) => (requests.some(isAffected) ? undefined : NO_REQUEST),
  };
}

/**
 * Waits until the scripted response had its effect, and removes what is scripted for other operations. Until
 * then it is scripted again: a request may be refused, for example because it has no token yet.
 */
async function useScript(
  stage: Stage,
  response: ScriptedResponse,
  hasEffect: (facts: Facts) => boolean,
): Promise<void> {
  let used = 0;
  await stage.until(async (facts) => {
    const count = facts.requests.filter(isScripted).length;
    if (count === used) return false;
    used = count;
    await stage.account.clearResponses();
    if (hasEffect(facts)) return true;
    await stage.respondToPayment(response);
    return false;
  });
}

function isScripted({ source, fault }: Facts['requests'][number]): boolean {
  return source === 'script' || fault !== null;
}

/** Whether the application got a scripted response, or its connection was reset. */
function isAffected(request: Facts['requests'][number]): boolean {
  return isScripted(request) && request.ended && !request.aborted;
}

function sinceEnd(request: Facts['requests'][number]): number {
  return request.ended ? timeOfDay() - endOf(request) : 0;
}

function limited(stage: Stage): ScriptedResponse {
  return { status: 429, headers: { 'retry-after': `${retryAfter(stage) / 1000}` } };
}

function retryAfter({ scale }: Stage): number {
  return Math.ceil((RETRY_AFTER * scale) / 1000) * 1000;
}

function notCharged({ charges, requests }: Facts): string | undefined {
  if (requests.length === 0) return NO_REQUEST;
  return charges.length === 0 ? NO_PAYMENT : undefined;
}

function successful({ webhooks }: Stage['provider']): ScriptedWebhook['match'] & object {
  return { body: webhooks?.success };
}

function scriptWebhooks(
  script: (stage: Stage) => ScriptedWebhook,
  count = MAX_SCRIPTED,
): (stage: Stage) => Promise<void> {
  return (stage) => stage.account.scriptWebhooks(Array(count).fill(script(stage)));
}

/** Why webhooks did not get through, if they did not. */
function unreached({ webhooks }: Facts, least: number): string | undefined {
  const sent = webhooks.filter(({ status }) => status !== null);
  if (sent.length >= least) return undefined;
  const [failed] = webhooks.filter(({ reason }) => reason !== null);
  if (failed === undefined) return NO_WEBHOOK;
  return `the webhook did not reach ${failed.url} (${failed.reason})`;
}

/** Whether the application waits for the end of a payment. */
function canForge(stage: Stage, facts: Facts): boolean {
  return takenIn(facts).length > 0 && stage.canMove(facts);
}

/** Sends a webhook that says success, with a wrong signature and with none, or unsigned as they all are. */
async function forge(stage: Stage, facts: Facts): Promise<void> {
  const payment = stage.payment(facts);
  if (payment === undefined) return;
  const { sign } = (await stage.provider.webhooks?.of(payment)) ?? {};
  const forgeries = sign === undefined ? [undefined] : (['signature', 'missing'] as const);
  for (const forge of forgeries) await send(stage, payment, forge && { forge });
}

async function send(
  stage: Stage,
  payment: NonNullable<ReturnType<Stage['payment']>>,
  script: ScriptedWebhook = {},
): Promise<void> {
  const webhook = await stage.provider.webhooks?.of(payment);
  if (webhook === undefined) return;
  const { retry: _, ...once } = webhook;
  await stage.account.scriptWebhooks([script]);
  const { webhookId } = await stage.account.sendWebhook(once);
  stage.sent.add(webhookId);
}

/** Why the webhooks that the drill sent did not reach the application, if they did not. */
function elsewhere({ webhooks }: Facts, { sent, webhook }: Stage): string | undefined {
  const own = webhooks.filter(({ webhookId }) => sent.has(webhookId));
  if (own.length === 0) return NO_PAYMENT;
  const failed = own.find(({ status }) => status === null);
  if (failed !== undefined) return `the webhook did not reach ${webhook} (${failed.reason})`;
  const genuine = webhooks.filter(({ webhookId }) => !sent.has(webhookId));
  const place = (url: string) => url.split('?')[0];
  // Not `webhook`: some providers know the URL of each payment.
  const isSame = genuine.some(({ url }) => own.some((one) => place(one.url) === place(url)));
  if (genuine.length === 0 || isSame) return undefined;
  return `the application asks for webhooks at ${genuine[0]?.url}, but webhook is ${webhook}`;
}
