import { type Application, drills, type MomoDrillOptions } from '../support/momo-mock.ts';
import { openApplication, type Times } from './application.ts';
import type { Faults, Habits } from './application-traits.ts';
import type { Break } from './broken-question.ts';

/** A fault, the failures in which it shows, and what the drill says in each. */
export interface FaultRow {
  readonly fault: keyof Faults;
  readonly fails: Readonly<Record<string, RegExp>>;
  /** `giveUp` and `queue` in parts of the limit. */
  readonly times?: Partial<Times>;
  /** In ms, for an application that the drill would wait for in vain. @default that of the test */
  readonly patience?: number;
  /** Whether it may show in others, too, because it concerns every payment, or by chance. */
  readonly isEverywhere?: boolean;
}

const TWICE =
  /^The customer was charged (twice|\d times): \d × [\d,.]+ X[OA]F for one order \(.*POST \/momo\/requestPayment at .*[\d:.]{12} and [\d:.]{12}\)\.\nSend merchantOrderId /;
const TWICE_LATER =
  /^Some time later, the customer was charged twice: 2 × [\d,.]+ X[OA]F for one order/;
const SAYS_FAILED =
  /, the application says failed, but the customer may still pay [\d,.]+ X[OA]F.*\nKeep the order pending /;
const SAYS_PENDING =
  /the customer paid [\d,.]+ X[OA]F, but the application still says pending .*within [\d.]+ s\. Set patience/i;
const STILL_PENDING = /the provider refused the payment, but the application still says pending/i;
const NOT_ENDED = /^The application says paid, but the payment is still pending/;
export const HANGS_IN_REQUEST =
  /^The application hangs: a request has not come back .* Set a timeout/;
/** By a race, which could show by chance before the order that shows it every time. */
const TWICE_FULFILLED = /^After .*, the order was fulfilled \d times for one payment/;
const GIVEN_BACK = /the customer got back [\d,.]+ X[OA]F, but nothing was taken/i;
const FORGOTTEN =
  /^After .*, the application does not know the order, but the customer (may still pay|paid) [\d,.]+ X[OA]F.*\nSave the order before/;

export const everyLost = (sentence: RegExp) => ({
  'lost-response': sentence,
  timeout: sentence,
  'half-response': sentence,
  'server-error': sentence,
  garbage: sentence,
});

const row = (
  fault: FaultRow['fault'],
  fails: FaultRow['fails'],
  more: Omit<FaultRow, 'fault' | 'fails'> = {},
): FaultRow => ({ fault, fails, ...more });

/** Each order has another amount, currency and phone, so that what is built in shows. */
const WRONG_PAYMENTS: readonly FaultRow[] = [
  row(
    'chargesFixedAmount',
    { declined: /^The customer was charged 1,000 XAF for an order of 1,500 XAF \(POST/ },
    { isEverywhere: true },
  ),
  row(
    'roundsAmount',
    {
      'no-funds':
        /^The customer was charged 700 XOF for an order of 730 XOF .*\n.*without rounding it/,
    },
    { isEverywhere: true },
  ),
  row(
    'chargesFixedCurrency',
    { declined: /^The customer was charged 1,500 XOF for an order of 1,500 XAF \(POST/ },
    { isEverywhere: true },
  ),
  row('chargesFixedPhone', {
    success:
      /^Another customer was asked to pay: 1,000 XOF from 22997000000 for the order of 22990000001/,
  }),
  row(
    'chargesPreviousPhone',
    {
      declined:
        /^Another customer was asked to pay: 1,500 XAF from \d+ for the order of 237670000034/,
    },
    { isEverywhere: true },
  ),
  row(
    'hasFixedPrefix',
    {
      declined:
        /^Another customer was asked to pay: 1,500 XAF from 229670000034 for the order of 237670000034/,
    },
    { isEverywhere: true },
  ),
  row(
    'sendsPreviousOrder',
    {
      declined:
        /^The payment of 1,500 XAF has the id of another order: \w+ for \w+\.\nSend the id of the order/,
    },
    { isEverywhere: true },
  ),
];

const PAID_AGAIN: readonly FaultRow[] = [
  row('newIdForEachAttempt', everyLost(TWICE)),
  row(
    'retriesForEver',
    {
      down: /^The application sent \d+ requests that start a payment in 20 s to a provider that is/,
      'wrong-certificate':
        /^The application hangs after a refused .*\nA refused certificate does not get better/,
    },
    { times: { pause: 0 }, patience: 8000 },
  ),
  row('ignoresRetryAfter', {
    'rate-limited': /^The application sent the next request after [\d.]+ s, although/,
  }),
  row('paysForEachClick', { 'double-click': TWICE }),
  row('insertsAfterCheck', { 'double-click': /^The customer was charged (twice|\d times)/ }),
  row('forgetsClicks', { 'double-click': TWICE }),
  row('queuesSecondClick', { 'double-click': TWICE }),
  row('chargesAgainLater', { success: TWICE_LATER }, { isEverywhere: true }),
  row(
    'failsAndChargesLater',
    {
      unavailable: /^(After a 503|Some time later), the application says failed, but the customer/,
      down: /, the application says failed, but the customer may still pay/,
    },
    { times: { queue: 0.45 } },
  ),
];

const LOST: readonly FaultRow[] = [
  row('timeoutMeansFailed', { timeout: SAYS_FAILED }),
  row('errorMeansFailed', everyLost(SAYS_FAILED)),
  row('okMeansPaid', {
    garbage: /^After a 200 without JSON, the application says paid.*\nKeep the order pending /,
  }),
  row(
    'hasNoTimeout',
    { timeout: /^The application hangs: pay has not come back .* Set a timeout/ },
    { patience: 6000 },
  ),
  row('refundsLost', {
    ...everyLost(GIVEN_BACK),
    'lost-request': GIVEN_BACK,
    unavailable: GIVEN_BACK,
  }),
  row('savesAfterResponse', everyLost(FORGOTTEN)),
];

const ENDS: readonly FaultRow[] = [
  row('pendingMeansPaid', { success: NOT_ENDED }),
  row('ignoresAmount', {
    'webhook-amount': /^The application says paid, but the customer paid [\d,.]+ X[OA]F of [\d,.]+/,
  }),
  row('comparesAmountAsText', {
    'webhook-amount': /^The application says paid, but the customer paid/,
  }),
  row('shipsBeforeComparing', {
    'webhook-amount': /^The order was fulfilled, but the customer paid [\d,.]+ X[OA]F of [\d,.]+/,
  }),
  row('ignoresRefusals', {
    declined: STILL_PENDING,
    'no-funds': STILL_PENDING,
    expired: STILL_PENDING,
    'webhook-forged': STILL_PENDING,
    'webhook-other-order': STILL_PENDING,
  }),
  row('refundsDeclined', {
    declined: GIVEN_BACK,
    'no-funds': GIVEN_BACK,
    expired: GIVEN_BACK,
    'webhook-forged': GIVEN_BACK,
    'webhook-other-order': GIVEN_BACK,
  }),
  row('neverFulfils', { success: /the order is not fulfilled/ }),
  row(
    'givesUpEarly',
    { 'pending-forever': SAYS_FAILED, 'late-webhook': SAYS_FAILED },
    { times: { giveUp: 0.27 }, isEverywhere: true },
  ),
];

const QUESTIONS: readonly FaultRow[] = [
  row('neverAsks', { 'no-webhook': SAYS_PENDING }),
  row('brokenQuestionMeansFailed', {
    'status-broken': /^After questions that got a 503, the application says failed/,
    'webhook-forged':
      /^After questions that got a 503, the application says failed, .*\n.*that fails says nothing/,
    timeout: /^After a question without a response, the application says failed, but the customer/,
    'wrong-certificate': /^After a certificate that it refused, the application says failed, but/,
  }),
  row('hasNoTimeoutForQuestions', { timeout: HANGS_IN_REQUEST }),
  row('checksBeforeAsking', { 'webhook-twice': TWICE_FULFILLED }, { isEverywhere: true }),
  row('racesInCron', { 'webhook-twice': TWICE_FULFILLED }, { isEverywhere: true }),
  row('trustsAnyCertificate', {
    'wrong-certificate': /^The application sent its key to a server whose certificate is exp/,
  }),
];

const WEBHOOKS: readonly FaultRow[] = [
  row('believesForgeries', {
    'webhook-forged': /^After a forged webhook, the application says paid.*\n.*verif-hash/,
  }),
  row('believesForgedFailures', {
    'webhook-forged':
      /^After a forged webhook that says failed, the application says failed, but the customer may/,
  }),
  row('queuesForgeries', {
    'webhook-forged': /^(After a forged webhook|Some time later).*, the application says paid/,
  }),
  row('believesWhileDown', {
    'webhook-forged':
      /^After a forged webhook that came while questions got a 503, the application says paid/,
  }),
  row('matchesByAmount', {
    'webhook-other-order': /^After the webhook of another order, the application says paid/,
  }),
  row('fulfilsForEachWebhook', {
    'webhook-twice':
      /^After a webhook that came twice, the order was fulfilled 2 times.*\nRemember /,
  }),
  row('fulfilsAgainLater', {
    'webhook-twice':
      /^(After a webhook that came twice|Some time later), the order was fulfilled 2 times/,
  }),
  row('racesInWebhooks', { 'webhook-twice': TWICE_FULFILLED }, { isEverywhere: true }),
  row('lastWebhookCounts', { 'webhook-order': /^After a webhook that says pending, / }),
  row('forgetsEarlyWebhooks', {
    ...everyLost(SAYS_PENDING),
    'no-webhook': SAYS_PENDING,
    'webhook-first': SAYS_PENDING,
  }),
];

export const FAULTS: readonly FaultRow[] = [
  ...WRONG_PAYMENTS,
  ...PAID_AGAIN,
  ...LOST,
  ...ENDS,
  ...QUESTIONS,
  ...WEBHOOKS,
];

/** What an application may take for a failed payment, and after what `status-broken` says so. */
export const READ_AS_FAILED: readonly { readonly broken: Break; readonly after: RegExp }[] = [
  { broken: 'timeout', after: /^After questions without a response, the application says failed/ },
  { broken: 'reset', after: /^After questions whose connection was reset, the application says f/ },
  {
    broken: 'cut',
    after: /^After questions whose response broke off, the application says failed/,
  },
  { broken: 'html', after: /^After questions that got HTML, the application says failed/ },
  {
    broken: 'unknown',
    after: /^After questions that found no payment, the application says failed/,
  },
  { broken: '429', after: /^After questions that got a 429, the application says failed/ },
  { broken: '500', after: /^After questions that got a 500, the application says failed/ },
];

/** What is applicable to the provider. */
export const NOT_APPLICABLE = ['token-expired'];

/** How long a job waits in the queue, in parts of the limit. */
const QUEUE = 0.25;

/** Drills the application with its faults, and returns what the drill says of each failure. */
export async function drillWith(
  traits: Faults & Habits,
  {
    times: { giveUp = 1, queue = QUEUE, ...times } = {},
    limit = 20_000,
    ...options
  }: Partial<MomoDrillOptions> & { times?: Partial<Times> },
): Promise<Record<string, string>> {
  const scaled = { giveUp: giveUp * limit, queue: queue * limit };
  const application = await openApplication(traits, { ...times, ...scaled });
  return await drillShop(application, { preset: 'chipdeals', limit, ...options });
}

/** Drills an application, closes it, and returns what the drill says of each failure. */
export async function drillShop(
  shop: Shop,
  options: Partial<MomoDrillOptions>,
): Promise<Record<string, string>> {
  const said = await resultsOf(shop, options);
  return Object.fromEntries(
    Object.entries(said).map(([name, text]) => [name, text.replace(/^survived: .*/s, 'survived')]),
  );
}

type Shop = Application & { close(): Promise<unknown> };

/** The same, with a sentence also for what was survived: `survived: Charged once, and paid.`. */
export async function resultsOf(
  { close, ...application }: Shop,
  options: Partial<MomoDrillOptions>,
): Promise<Record<string, string>> {
  const failures = drills({ ...application, ...options });
  const said: Record<string, string> = {};
  await Promise.all(
    [...failures].map(async ({ name, run }) => {
      said[name] = await run().then(
        ({ verdict, sentence }) => `${verdict}: ${sentence}`,
        ({ message }) => message,
      );
    }),
  );
  await failures.close();
  await close();
  return said;
}

/** What was not survived, and was run. */
export function notSurvived(said: Readonly<Record<string, string>>): Record<string, string> {
  const wrong = Object.entries(said).filter(
    ([, text]) => !/^(survived|not-applicable|Not run)/.test(text),
  );
  return Object.fromEntries(wrong);
}
