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

type More = Omit<Row, 'fails'>;

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

const mtn = (faults: MtnFaults, fails: Row['fails'], more: More = {}): PresetFault => {
  return { preset: 'mtn-momo', faults, fails, ...more };
};
const mpesa = (faults: MpesaFaults, fails: Row['fails'], more: More = {}): PresetFault => {
  return { preset: 'mpesa-daraja', faults, fails, ...more };
};
const both = (faults: MtnFaults & MpesaFaults, fails: Row['fails'], more?: More): PresetFault[] => [
  mtn(faults, fails, more),
  mpesa(faults, fails, more),
];

export const PRESET_FAULTS: readonly PresetFault[] = [
  // What it asks the provider for.
  mtn(
    { chargesCents: true },
    { success: /^The customer was charged 2,500 EUR for an order of 25 EUR \(POST/ },
  ),
  // It has orders of whole amounts and of others.
  mtn(
    { cutsAmount: true },
    { 'double-click': /^The customer was charged [\d,]+ EUR for an order of [\d,]+\.\d+ EUR/ },
    { isEverywhere: true },
  ),
  mtn(
    { comparesAmountAsText: true },
    { 'double-click': /the customer paid \d+\.\d EUR, but the application still says p/ },
    { isEverywhere: true },
  ),
  ...both({ hasBuiltInPhone: true }, { success: ANOTHER_PHONE }),
  ...both({ keepsPhone: true }, { declined: ANOTHER_PHONE }, { isEverywhere: true }),

  // When it pays, and how often.
  mtn({ newReferenceForEachAttempt: true }, everyLost(twice('EUR', 'X-Reference-Id'))),
  mtn({ paysForEachClick: true }, { 'double-click': twice('EUR') }),
  mpesa({ pushesAgain: true }, everyLost(twice('KES', 'never push again'))),
  // The queue needs 15 s.
  mpesa(
    { pushesAgainLater: true },
    { 'lost-response': twice('KES') },
    { options: { limit: 20_000 }, also: everyLost(twice('KES')) },
  ),
  mpesa({ paysForEachClick: true }, { 'double-click': twice('KES') }),

  // What a lost response means.
  mtn({ repeatedMeansFailed: true }, everyLost(MAY_STILL_PAY)),
  mtn(
    { acceptedMeansPaid: true },
    { success: /^The application says paid, but the payment is still pending/ },
  ),
  mtn(
    { givesBackLost: true },
    { 'lost-response': after('a connection that was reset', GIVEN_BACK) },
    { also: { timeout: GIVEN_BACK, 'half-response': GIVEN_BACK, 'lost-request': GIVEN_BACK } },
  ),
  mpesa({ lostMeansFailed: true }, everyLost(MAY_STILL_PAY)),
  mpesa(
    { givesBackLost: true },
    { 'lost-response': after('a connection that was reset', GIVEN_BACK) },
    { also: { ...everyLost(GIVEN_BACK), 'lost-request': GIVEN_BACK, unavailable: GIVEN_BACK } },
  ),

  // How a payment ends.
  ...both(
    { givesBackFailed: true },
    { declined: GIVEN_BACK },
    { also: { ...whereDeclined(GIVEN_BACK), expired: GIVEN_BACK } },
  ),
  // These pushes are an error as long as they are pending.
  mpesa({ errorOfQueryMeansFailed: true }, whereDeclined(MAY_STILL_PAY), {
    also: { 'status-broken': after('questions that got a 500', MAY_STILL_PAY) },
  }),
  mpesa(
    { pendingMeansFailed: true },
    { success: /^The application says failed, but the customer may still pay.*\n.*4999/ },
  ),
  mpesa(
    { expectsNumber: true },
    { success: /^The application says failed, but the customer paid 1,000 KES.*\n.*text/ },
  ),
  mpesa({ readsWords: true }, { success: SAYS_PAID }),

  // Tokens and questions.
  ...both({ keepsToken: true }, { 'token-expired': KEEPS }),
  ...both({ hasNoTimeoutForTokens: true }, { timeout: hangs('pay') }),
  ...both(
    { hasNoTimeoutForQuestions: true },
    { timeout: hangs('a request') },
    { also: { 'status-broken': hangs('a request') } },
  ),
  mtn(
    { brokenQuestionMeansFailed: true },
    { 'status-broken': after('questions that got a 503', MAY_STILL_PAY) },
    { also: { timeout: MAY_STILL_PAY, 'webhook-forged': MAY_STILL_PAY } },
  ),
  mtn(
    { readsAsFailed: '500' },
    { 'status-broken': after('questions that got a 500', MAY_STILL_PAY) },
  ),
  mpesa(
    { readsAsPaid: '500' },
    { 'status-broken': after('questions that got a 500', SAYS_PAID) },
    { also: whereDeclined(SAYS_PAID) },
  ),
  mtn({ readsAsPaid: '429' }, { 'status-broken': after('questions that got a 429', SAYS_PAID) }),
  mtn(
    { readsAsFailed: 'unknown' },
    { 'status-broken': after('questions that found no payment', MAY_STILL_PAY) },
    { also: { timeout: MAY_STILL_PAY } },
  ),
  mpesa(
    { readsAsFailed: 'unknown' },
    { 'status-broken': after('questions that found no payment', MAY_STILL_PAY) },
  ),
  mtn(
    { readsAsPaid: 'reset' },
    { 'status-broken': after('questions whose connection was reset', SAYS_PAID) },
  ),
  mpesa(
    { readsAsFailed: 'reset' },
    { 'status-broken': after('questions whose connection was reset', MAY_STILL_PAY) },
  ),
  mtn({ readsAsPaid: 'html' }, { 'status-broken': after('questions that got HTML', SAYS_PAID) }),
  mpesa(
    { readsAsFailed: 'html' },
    { 'status-broken': after('questions that got HTML', MAY_STILL_PAY) },
  ),
  mtn(
    { readsAsFailed: 'cut' },
    { 'status-broken': after('questions whose response broke off', MAY_STILL_PAY) },
  ),
  mpesa(
    { readsAsPaid: 'cut' },
    { 'status-broken': after('questions whose response broke off', SAYS_PAID) },
  ),
  mtn(
    { readsAsPaid: 'timeout' },
    { timeout: after('a question without a response', SAYS_PAID) },
    { also: { 'status-broken': after('questions without a response', SAYS_PAID) } },
  ),
  mpesa(
    { readsAsFailed: 'timeout' },
    { timeout: after('a question without a response', MAY_STILL_PAY) },
    { also: { 'status-broken': after('questions without a response', MAY_STILL_PAY) } },
  ),
  ...both({ asksWithoutVerifying: true }, { 'wrong-certificate': UNVERIFIED }),

  // Webhooks.
  ...both({ believesWebhooks: true }, { 'webhook-forged': BELIEVES }),
  ...both({ believesFailedWebhooks: true }, { 'webhook-forged': BELIEVES_FAILED }),
  mtn({ believesWebhooksWhileDown: true }, { 'webhook-forged': BELIEVES_WHILE_DOWN }),
  mpesa({ believesWebhooksWhileDown: true }, { 'webhook-forged': BELIEVES }),
  mtn({ matchesByAmount: true }, { 'webhook-forged': BELIEVES, 'webhook-other-order': FOREIGN }),
  mpesa(
    { takesAnyPush: true },
    {
      'webhook-other-order':
        /^After the webhook of another order, the application says paid.*\n.*CheckoutRequestID/,
    },
  ),
  ...both(
    { fulfilsForEachWebhook: true },
    { 'webhook-twice': fulfilledTwice('a webhook that came twice') },
    { also: { 'webhook-forged': fulfilledTwice('a forged webhook that says failed') } },
  ),
  mtn(
    { fulfilsInRaces: 'webhooks' },
    { 'webhook-twice': fulfilledTwice('webhooks at the same moment') },
    { isEverywhere: true },
  ),
  mpesa(
    { fulfilsInRaces: 'webhook-and-cron' },
    { 'webhook-twice': fulfilledTwice('a webhook that came .+') },
    { isEverywhere: true },
  ),
  mtn(
    { fulfilsInRaces: 'cron-runs' },
    { 'double-click': fulfilledTwice('(two|8) clicks') },
    { isEverywhere: true },
  ),
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
