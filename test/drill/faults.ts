import { type Application, drills, type MomoDrillOptions } from '../support/momo-mock.ts';
import { type Faults, openApplication, type Times } from './application.ts';

/** A fault, the failures in which it shows, and what the drill says in each. */
export interface FaultRow {
  readonly fault: keyof Faults;
  readonly fails: Readonly<Record<string, RegExp>>;
  readonly times?: Partial<Times>;
}

const TWICE =
  /^The customer was charged twice: 2 × 1,000 XOF for one order \(POST \/momo\/requestPayment at [\d:.]{12} and [\d:.]{12}\)\.\nSend merchantOrderId /;
const SAYS_FAILED =
  /, the application says failed, but the customer may still pay 1,000 XOF.*\nKeep the order pending /;
const SAYS_PENDING =
  /, the application says pending|the customer paid 1,000 XOF, but the application still says pending/i;
const STILL_PENDING = /the provider refused the payment, but the application still says pending/i;
const NOT_ENDED = /the payment is still pending/;

export const everyLost = (sentence: RegExp) => ({
  'lost-response': sentence,
  timeout: sentence,
  'half-response': sentence,
  'server-error': sentence,
  garbage: sentence,
});

export const FAULTS: readonly FaultRow[] = [
  { fault: 'newIdForEachAttempt', fails: everyLost(TWICE) },
  { fault: 'timeoutMeansFailed', fails: { timeout: SAYS_FAILED } },
  { fault: 'errorMeansFailed', fails: everyLost(SAYS_FAILED) },
  {
    fault: 'okMeansPaid',
    fails: {
      garbage: /^After a 200 without JSON, the application says paid.*\nKeep the order pending /,
    },
  },
  { fault: 'pendingMeansPaid', fails: { success: NOT_ENDED } },
  {
    fault: 'believesForgeries',
    fails: {
      'webhook-forged': /^After a forged webhook, the application says paid.*\n.*verif-hash/,
    },
  },
  {
    fault: 'matchesByAmount',
    fails: {
      'webhook-other-order': /^After the webhook of another order, the application says paid/,
    },
  },
  {
    fault: 'ignoresAmount',
    fails: {
      'webhook-amount': /^The application says paid, but the customer paid 500 XOF of 1,000/,
    },
  },
  {
    fault: 'fulfilsForEachWebhook',
    fails: {
      'webhook-twice':
        /^After a webhook that came twice, the order was fulfilled 2 times.*\nRemember /,
    },
  },
  {
    fault: 'fulfilsAgainLater',
    fails: { 'webhook-twice': /^After a webhook that came twice, the order was fulfilled 2 times/ },
  },
  {
    fault: 'lastWebhookCounts',
    fails: { 'webhook-order': /^After a webhook that says pending, / },
  },
  {
    fault: 'retriesForEver',
    fails: {
      down: /^The application sent \d+ requests in /,
      'wrong-certificate': /waits for ever.*\nA refused certificate does not get better/,
    },
  },
  {
    fault: 'ignoresRetryAfter',
    fails: { 'rate-limited': /^The application sent the next request after [\d.]+ s, although/ },
  },
  {
    fault: 'neverAsks',
    fails: { 'status-broken': /^The drill did not happen: /, 'no-webhook': SAYS_PENDING },
  },
  {
    fault: 'trustsAnyCertificate',
    fails: {
      'wrong-certificate': /^The application sent its key to a server whose certificate is exp/,
    },
  },
  { fault: 'paysForEachClick', fails: { 'double-click': TWICE } },
  {
    fault: 'givesUpEarly',
    fails: { 'pending-for-ever': SAYS_FAILED, 'late-webhook': SAYS_FAILED },
    times: { giveUp: 0.27 },
  },
  {
    fault: 'brokenQuestionMeansFailed',
    fails: { 'status-broken': /^After questions that failed, the application says failed/ },
  },
  {
    fault: 'hasNoTimeout',
    fails: { timeout: /^The application waits for ever: .* Set a timeout/ },
  },
  {
    fault: 'forgetsEarlyWebhooks',
    fails: {
      ...everyLost(SAYS_PENDING),
      'status-broken': /^The drill did not happen: /,
      'no-webhook': SAYS_PENDING,
      'webhook-first': SAYS_PENDING,
    },
  },
  {
    fault: 'ignoresRefusals',
    fails: {
      declined: STILL_PENDING,
      'no-funds': STILL_PENDING,
      expired: STILL_PENDING,
      'webhook-forged': STILL_PENDING,
      'webhook-other-order': STILL_PENDING,
    },
  },
  { fault: 'neverFulfils', fails: { success: /the order is not fulfilled/ } },
];

/** What is applicable to the provider. */
export const NOT_APPLICABLE = ['token-expired'];

/** Drills the application with its faults, and returns what the drill says of each failure. */
export async function drillWith(
  faults: Faults,
  {
    times = {},
    limit = 20_000,
    ...options
  }: Partial<MomoDrillOptions> & { times?: Partial<Times> },
): Promise<Record<string, string>> {
  const giveUp = (times.giveUp ?? 1) * limit;
  const application = await openApplication(faults, { ...times, giveUp });
  return await drillShop(application, { preset: 'chipdeals', limit, ...options });
}

/** Drills an application, closes it, and returns what the drill says of each failure. */
export async function drillShop(
  { close, ...application }: Application & { close(): Promise<unknown> },
  options: Partial<MomoDrillOptions>,
): Promise<Record<string, string>> {
  const failures = drills({ ...application, ...options });
  const said: Record<string, string> = {};
  await Promise.all(
    [...failures].map(async ({ name, run }) => {
      said[name] = await run().then(
        ({ verdict, sentence }) => (verdict === 'survived' ? verdict : `${verdict}: ${sentence}`),
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
