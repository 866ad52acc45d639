import type { MomoDrillOptions } from '../support/momo-mock.ts';
import { drillShop, everyLost } from './faults.ts';
import { type MpesaFaults, openMpesaShop } from './mpesa-shop.ts';
import { type MtnFaults, openMtnShop } from './mtn-shop.ts';

/** A shop of a preset with a fault, the failures in which it shows, and what the drill says in each. */
export type PresetFault = Row &
  (
    | { readonly preset: 'mtn-momo'; readonly faults: MtnFaults }
    | { readonly preset: 'mpesa-daraja'; readonly faults: MpesaFaults }
  );

interface Row {
  readonly fails: Readonly<Record<string, RegExp>>;
  /** Others in which it shows in the same way, for whole drills. */
  readonly also?: Readonly<Record<string, RegExp>>;
  /** Whether it may show anywhere: by the amount or the phone of an order, or by a race. */
  readonly isEverywhere?: boolean;
  /** What the drill needs to find it. */
  readonly options?: Partial<MomoDrillOptions>;
}

const MAY_STILL_PAY = /the application says failed, but the customer may still pay/i;
const SAYS_PAID = /the application says paid, but the (payment is still|customer was not)/i;
const BELIEVES_WHILE_DOWN =
  /^After a forged webhook that came while questions got a 503, the application says paid.*\n.*believe no webhook/;
const BELIEVES = /^After a forged webhook, the application says paid.*\n.*believe no webhook/;
const BELIEVES_FAILED =
  /^After a forged webhook that says failed, the application says failed, but the customer.*\n.*believe no webhook/;
const FOREIGN = /^After the webhook of another order, the application says paid/;
const KEEPS = /still says pending.*\n.*get another token/;
const ANOTHER_PHONE =
  /^Another customer was asked to pay: [\d,.]+ \w+ from \d+ for the order of \d+.*\nSend the phone/;
const GIVEN_BACK =
  /the customer got back [\d,.]+ \w+, but nothing was taken.*\nGive back only what was taken/i;
const UNVERIFIED =
  /^The application sent its key to a server whose certificate is expired \(.*\w+ \//;

const twice = (currency: string, advice = '') =>
  new RegExp(`The customer was charged twice: 2 × [\\d,.]+ ${currency}.*\\n.*${advice}`, 'i');
const hangs = (what: string) =>
  new RegExp(`^The application hangs: ${what} has not come back within .* Set a timeout`);
const fulfilledTwice = (circumstance: string) =>
  new RegExp(`^After ${circumstance}, the order was fulfilled \\d times`);
const after = (circumstance: string, sentence: RegExp) =>
  new RegExp(`^After ${circumstance}, ${sentence.source}`, sentence.flags);

/** The failures in which a payer or a provider declines, except `expired`. */
const whereDeclined = (sentence: RegExp) => ({
  declined: sentence,
  'no-funds': sentence,
  'webhook-forged': sentence,
  'webhook-other-order': sentence,
});

export const PRESET_FAULTS: readonly PresetFault[] = [
  // What it asks the provider for.
  {
    preset: 'mtn-momo',
    faults: { chargesCents: true },
    fails: { success: /^The customer was charged 2,500 EUR for an order of 25 EUR \(POST/ },
  },
  {
    preset: 'mtn-momo',
    faults: { cutsAmount: true },
    // It has orders of whole amounts and of others.
    fails: {
      'double-click': /^The customer was charged [\d,]+ EUR for an order of [\d,]+\.\d+ EUR/,
    },
    isEverywhere: true,
  },
  {
    preset: 'mtn-momo',
    faults: { comparesAmountAsText: true },
    fails: { 'double-click': /the customer paid \d+\.\d EUR, but the application still says p/ },
    isEverywhere: true,
  },
  {
    preset: 'mtn-momo',
    faults: { hasBuiltInPhone: true },
    fails: { success: ANOTHER_PHONE },
  },
  {
    preset: 'mtn-momo',
    faults: { keepsPhone: true },
    fails: { declined: ANOTHER_PHONE },
    isEverywhere: true,
  },
  {
    preset: 'mpesa-daraja',
    faults: { hasBuiltInPhone: true },
    fails: { success: ANOTHER_PHONE },
  },
  {
    preset: 'mpesa-daraja',
    faults: { keepsPhone: true },
    fails: { declined: ANOTHER_PHONE },
    isEverywhere: true,
  },

  // When it pays, and how often.
  {
    preset: 'mtn-momo',
    faults: { newReferenceForEachAttempt: true },
    fails: everyLost(twice('EUR', 'X-Reference-Id')),
  },
  {
    preset: 'mtn-momo',
    faults: { paysForEachClick: true },
    fails: { 'double-click': twice('EUR') },
  },
  {
    preset: 'mpesa-daraja',
    faults: { pushesAgain: true },
    fails: everyLost(twice('KES', 'never push again')),
  },
  {
    preset: 'mpesa-daraja',
    faults: { pushesAgainLater: true },
    fails: { 'lost-response': twice('KES') },
    // The queue needs 15 s.
    options: { limit: 20_000 },
    also: everyLost(twice('KES')),
  },
  {
    preset: 'mpesa-daraja',
    faults: { paysForEachClick: true },
    fails: { 'double-click': twice('KES') },
  },

  // What a lost response means.
  {
    preset: 'mtn-momo',
    faults: { repeatedMeansFailed: true },
    fails: everyLost(MAY_STILL_PAY),
  },
  {
    preset: 'mtn-momo',
    faults: { acceptedMeansPaid: true },
    fails: { success: /^The application says paid, but the payment is still pending/ },
  },
  {
    preset: 'mtn-momo',
    faults: { givesBackLost: true },
    fails: { 'lost-response': after('a connection that was reset', GIVEN_BACK) },
    also: { timeout: GIVEN_BACK, 'half-response': GIVEN_BACK, 'lost-request': GIVEN_BACK },
  },
  {
    preset: 'mpesa-daraja',
    faults: { lostMeansFailed: true },
    fails: everyLost(MAY_STILL_PAY),
  },
  {
    preset: 'mpesa-daraja',
    faults: { givesBackLost: true },
    fails: { 'lost-response': after('a connection that was reset', GIVEN_BACK) },
    also: { ...everyLost(GIVEN_BACK), 'lost-request': GIVEN_BACK, unavailable: GIVEN_BACK },
  },

  // How a payment ends.
  {
    preset: 'mtn-momo',
    faults: { givesBackFailed: true },
    fails: { declined: GIVEN_BACK },
    also: { ...whereDeclined(GIVEN_BACK), expired: GIVEN_BACK },
  },
  {
    preset: 'mpesa-daraja',
    faults: { givesBackFailed: true },
    fails: { declined: GIVEN_BACK },
    also: { ...whereDeclined(GIVEN_BACK), expired: GIVEN_BACK },
  },
  {
    preset: 'mpesa-daraja',
    faults: { errorOfQueryMeansFailed: true },
    // These pushes are an error as long as they are pending.
    fails: whereDeclined(MAY_STILL_PAY),
    also: { 'status-broken': after('questions that got a 500', MAY_STILL_PAY) },
  },
  {
    preset: 'mpesa-daraja',
    faults: { pendingMeansFailed: true },
    fails: { success: /^The application says failed, but the customer may still pay.*\n.*4999/ },
  },
  {
    preset: 'mpesa-daraja',
    faults: { expectsNumber: true },
    fails: { success: /^The application says failed, but the customer paid 1,000 KES.*\n.*text/ },
  },
  {
    preset: 'mpesa-daraja',
    faults: { readsWords: true },
    fails: { success: SAYS_PAID },
  },

  // Tokens and questions.
  { preset: 'mtn-momo', faults: { keepsToken: true }, fails: { 'token-expired': KEEPS } },
  { preset: 'mpesa-daraja', faults: { keepsToken: true }, fails: { 'token-expired': KEEPS } },
  {
    preset: 'mtn-momo',
    faults: { hasNoTimeoutForTokens: true },
    fails: { timeout: hangs('pay') },
  },
  {
    preset: 'mpesa-daraja',
    faults: { hasNoTimeoutForTokens: true },
    fails: { timeout: hangs('pay') },
  },
  {
    preset: 'mtn-momo',
    faults: { hasNoTimeoutForQuestions: true },
    fails: { timeout: hangs('a request'), 'status-broken': hangs('a request') },
  },
  {
    preset: 'mpesa-daraja',
    faults: { hasNoTimeoutForQuestions: true },
    fails: { timeout: hangs('a request'), 'status-broken': hangs('a request') },
  },
  {
    preset: 'mtn-momo',
    faults: { brokenQuestionMeansFailed: true },
    fails: { 'status-broken': after('questions that got a 503', MAY_STILL_PAY) },
    also: { timeout: MAY_STILL_PAY, 'webhook-forged': MAY_STILL_PAY },
  },
  {
    preset: 'mtn-momo',
    faults: { readsAsFailed: '500' },
    fails: { 'status-broken': after('questions that got a 500', MAY_STILL_PAY) },
  },
  {
    preset: 'mpesa-daraja',
    faults: { readsAsPaid: '500' },
    fails: { 'status-broken': after('questions that got a 500', SAYS_PAID) },
    also: whereDeclined(SAYS_PAID),
  },
  {
    preset: 'mtn-momo',
    faults: { readsAsPaid: '429' },
    fails: { 'status-broken': after('questions that got a 429', SAYS_PAID) },
  },
  {
    preset: 'mtn-momo',
    faults: { readsAsFailed: 'unknown' },
    fails: { 'status-broken': after('questions that found no payment', MAY_STILL_PAY) },
    also: { timeout: MAY_STILL_PAY },
  },
  {
    preset: 'mpesa-daraja',
    faults: { readsAsFailed: 'unknown' },
    fails: { 'status-broken': after('questions that found no payment', MAY_STILL_PAY) },
  },
  {
    preset: 'mtn-momo',
    faults: { readsAsPaid: 'reset' },
    fails: { 'status-broken': after('questions whose connection was reset', SAYS_PAID) },
  },
  {
    preset: 'mpesa-daraja',
    faults: { readsAsFailed: 'reset' },
    fails: { 'status-broken': after('questions whose connection was reset', MAY_STILL_PAY) },
  },
  {
    preset: 'mtn-momo',
    faults: { readsAsPaid: 'html' },
    fails: { 'status-broken': after('questions that got HTML', SAYS_PAID) },
  },
  {
    preset: 'mpesa-daraja',
    faults: { readsAsFailed: 'html' },
    fails: { 'status-broken': after('questions that got HTML', MAY_STILL_PAY) },
  },
  {
    preset: 'mtn-momo',
    faults: { readsAsFailed: 'cut' },
    fails: { 'status-broken': after('questions whose response broke off', MAY_STILL_PAY) },
  },
  {
    preset: 'mpesa-daraja',
    faults: { readsAsPaid: 'cut' },
    fails: { 'status-broken': after('questions whose response broke off', SAYS_PAID) },
  },
  {
    preset: 'mtn-momo',
    faults: { readsAsPaid: 'timeout' },
    fails: { timeout: after('a question without a response', SAYS_PAID) },
    also: { 'status-broken': after('questions without a response', SAYS_PAID) },
  },
  {
    preset: 'mpesa-daraja',
    faults: { readsAsFailed: 'timeout' },
    fails: { timeout: after('a question without a response', MAY_STILL_PAY) },
    also: { 'status-broken': after('questions without a response', MAY_STILL_PAY) },
  },
  {
    preset: 'mtn-momo',
    faults: { asksWithoutVerifying: true },
    fails: { 'wrong-certificate': UNVERIFIED },
  },
  {
    preset: 'mpesa-daraja',
    faults: { asksWithoutVerifying: true },
    fails: { 'wrong-certificate': UNVERIFIED },
  },

  // Webhooks.
  {
    preset: 'mtn-momo',
    faults: { believesWebhooks: true },
    fails: { 'webhook-forged': BELIEVES },
  },
  {
    preset: 'mpesa-daraja',
    faults: { believesWebhooks: true },
    fails: { 'webhook-forged': BELIEVES },
  },
  {
    preset: 'mtn-momo',
    faults: { believesFailedWebhooks: true },
    fails: { 'webhook-forged': BELIEVES_FAILED },
  },
  {
    preset: 'mpesa-daraja',
    faults: { believesFailedWebhooks: true },
    fails: { 'webhook-forged': BELIEVES_FAILED },
  },
  {
    preset: 'mtn-momo',
    faults: { believesWebhooksWhileDown: true },
    fails: { 'webhook-forged': BELIEVES_WHILE_DOWN },
  },
  {
    preset: 'mpesa-daraja',
    faults: { believesWebhooksWhileDown: true },
    fails: { 'webhook-forged': BELIEVES },
  },
  {
    preset: 'mtn-momo',
    faults: { matchesByAmount: true },
    fails: { 'webhook-forged': BELIEVES, 'webhook-other-order': FOREIGN },
  },
  {
    preset: 'mpesa-daraja',
    faults: { takesAnyPush: true },
    fails: {
      'webhook-other-order':
        /^After the webhook of another order, the application says paid.*\n.*CheckoutRequestID/,
    },
  },
  {
    preset: 'mtn-momo',
    faults: { fulfilsForEachWebhook: true },
    fails: { 'webhook-twice': fulfilledTwice('a webhook that came twice') },
    also: { 'webhook-forged': fulfilledTwice('a forged webhook that says failed') },
  },
  {
    preset: 'mpesa-daraja',
    faults: { fulfilsForEachWebhook: true },
    fails: { 'webhook-twice': fulfilledTwice('a webhook that came twice') },
    also: { 'webhook-forged': fulfilledTwice('a forged webhook that says failed') },
  },
  {
    preset: 'mtn-momo',
    faults: { fulfilsInRaces: 'webhooks' },
    fails: { 'webhook-twice': fulfilledTwice('webhooks at the same moment') },
    isEverywhere: true,
  },
  {
    preset: 'mpesa-daraja',
    faults: { fulfilsInRaces: 'webhook-and-cron' },
    fails: { 'webhook-twice': fulfilledTwice('a webhook that came .+') },
    isEverywhere: true,
  },
  {
    preset: 'mtn-momo',
    faults: { fulfilsInRaces: 'cron-runs' },
    fails: { 'double-click': fulfilledTwice('(two|8) clicks') },
    isEverywhere: true,
  },
];

/** What a preset cannot have, with the reason. */
export const PRESET_LACKS: Readonly<Record<PresetFault['preset'], Record<string, string>>> = {
  'mtn-momo': {
    'webhook-order': 'not-applicable: MTN sends no webhook while a payment is pending.',
    'webhook-amount': 'not-applicable: A payer approves the amount as it is.',
  },
  'mpesa-daraja': {
    'rate-limited': 'not-applicable: Daraja limits with 500.003.02, and says no time to wait.',
    'webhook-order': 'not-applicable: Safaricom sends no webhook while a push is pending.',
    'webhook-amount': 'not-applicable: A customer approves the amount as it is.',
  },
};

/** Drills the shop of a preset, and returns what the drill says of each failure. */
export async function drillPreset(
  { preset, faults, options = {} }: Omit<PresetFault, 'fails'>,
  given: Partial<MomoDrillOptions>,
): Promise<Record<string, string>> {
  const shop = await (preset === 'mtn-momo' ? openMtnShop(faults) : openMpesaShop(faults));
  return await drillShop(shop, { preset, ...given, ...options });
}
