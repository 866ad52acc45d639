import type { MomoDrillOptions } from '../support/momo-mock.ts';
import { drillShop, everyLost } from './faults.ts';
import { type MpesaFaults, openMpesaShop } from './mpesa-shop.ts';
import { type MtnFaults, openMtnShop } from './mtn-shop.ts';

/** A fault of the shop of a preset, the failures in which it shows, and what the drill says in each. */
export interface PresetFault {
  readonly preset: 'mtn-momo' | 'mpesa-daraja';
  readonly fault: keyof MtnFaults | keyof MpesaFaults;
  readonly fails: Readonly<Record<string, RegExp>>;
  /** How many failures run at once, if the fault confuses their orders. */
  readonly concurrency?: number;
}

const MAY_STILL_PAY = /the application says failed, but the customer may still pay/i;
const BELIEVES = /^After a forged webhook, the application says paid.*\n.*believe no webhook/;
const FOREIGN = /^After the webhook of another order, the application says paid/;
const KEEPS = /still says pending.*\n.*get another token/;
const TWICE_FULFILLED = /^After a webhook that came twice, the order was fulfilled \d times/;

export const PRESET_FAULTS: readonly PresetFault[] = [
  {
    preset: 'mtn-momo',
    fault: 'newReferenceForEachAttempt',
    fails: everyLost(/^The customer was charged twice: 2 × 25 EUR.*\n.*X-Reference-Id/),
  },
  {
    preset: 'mtn-momo',
    fault: 'repeatedMeansFailed',
    fails: everyLost(MAY_STILL_PAY),
  },
  {
    preset: 'mtn-momo',
    fault: 'acceptedMeansPaid',
    fails: { success: /^The application says paid, but the payment is still pending/ },
  },
  {
    preset: 'mtn-momo',
    fault: 'chargesCents',
    fails: { success: /^The customer was charged 2,500 EUR for an order of 25 EUR \(POST/ },
  },
  { preset: 'mtn-momo', fault: 'believesWebhooks', fails: { 'webhook-forged': BELIEVES } },
  {
    preset: 'mtn-momo',
    fault: 'matchesByAmount',
    fails: { 'webhook-forged': BELIEVES, 'webhook-other-order': FOREIGN },
    concurrency: 1,
  },
  { preset: 'mtn-momo', fault: 'keepsToken', fails: { 'token-expired': KEEPS } },
  {
    preset: 'mtn-momo',
    fault: 'brokenQuestionMeansFailed',
    fails: { 'status-broken': /^After questions that failed, the application says failed/ },
  },
  {
    preset: 'mtn-momo',
    fault: 'paysForEachClick',
    fails: { 'double-click': /^The customer was charged twice: 2 × 25 EUR/ },
  },
  {
    preset: 'mtn-momo',
    fault: 'fulfilsForEachWebhook',
    fails: { 'webhook-twice': TWICE_FULFILLED },
  },
  {
    preset: 'mpesa-daraja',
    fault: 'pushesAgain',
    fails: everyLost(/^The customer was charged twice: 2 × 1,000 KES.*\n.*never push again/),
  },
  { preset: 'mpesa-daraja', fault: 'lostMeansFailed', fails: everyLost(MAY_STILL_PAY) },
  {
    preset: 'mpesa-daraja',
    fault: 'errorOfQueryMeansFailed',
    fails: {
      declined: MAY_STILL_PAY,
      'no-funds': MAY_STILL_PAY,
      'webhook-forged': MAY_STILL_PAY,
      'webhook-other-order': MAY_STILL_PAY,
    },
  },
  {
    preset: 'mpesa-daraja',
    fault: 'pendingMeansFailed',
    fails: { success: /^The application says failed, but the customer may still pay.*\n.*4999/ },
  },
  {
    preset: 'mpesa-daraja',
    fault: 'expectsNumber',
    fails: { success: /^The application says failed, but the customer paid 1,000 KES.*\n.*text/ },
  },
  { preset: 'mpesa-daraja', fault: 'believesWebhooks', fails: { 'webhook-forged': BELIEVES } },
  {
    preset: 'mpesa-daraja',
    fault: 'takesAnyPush',
    fails: {
      'webhook-other-order':
        /^After the webhook of another order, the application says paid.*\n.*CheckoutRequestID/,
    },
  },
  { preset: 'mpesa-daraja', fault: 'keepsToken', fails: { 'token-expired': KEEPS } },
  {
    preset: 'mpesa-daraja',
    fault: 'paysForEachClick',
    fails: { 'double-click': /^The customer was charged twice: 2 × 1,000 KES/ },
  },
  {
    preset: 'mpesa-daraja',
    fault: 'fulfilsForEachWebhook',
    fails: { 'webhook-twice': TWICE_FULFILLED },
  },
];

const OPEN = { 'mtn-momo': openMtnShop, 'mpesa-daraja': openMpesaShop };

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
  { preset, fault, concurrency = 8 }: Omit<PresetFault, 'fails' | 'fault'> & Partial<PresetFault>,
  options: Partial<MomoDrillOptions>,
): Promise<Record<string, string>> {
  const shop = await OPEN[preset](fault && { [fault]: true });
  return await drillShop(shop, { preset, concurrency, ...options });
}
