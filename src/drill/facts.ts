import type { RequestEntry, WebhookEntry } from '../mock/journal/entry.ts';
import type { LedgerEntry, MomoDrill } from '../mock/operations/drill-file.ts';
import type { DrillOutcome } from './application.ts';

/** What is known of a failure at one moment. */
export interface Facts {
  /** The order's payments, as the provider sees them. */
  readonly charges: readonly LedgerEntry[];
  /** What the application believes. It was asked before the ledger was read. */
  readonly outcome: DrillOutcome;
  /** When it was asked, in ms since 1970. */
  readonly askedAt: number;
  readonly requests: readonly RequestEntry[];
  readonly webhooks: readonly WebhookEntry[];
  /** Whether each call of `pay` had come back when the application was asked. */
  readonly isPaid: boolean;
  /** Whether `reconcile` had run by then, or there is none. */
  readonly hasReconciled: boolean;
  /** The time since the failure began, in ms. */
  readonly elapsed: number;
  readonly provider: MomoDrill;
  readonly hasWebhook: boolean;
}

/** The requests that start a payment. */
export function paymentsIn({ requests, provider }: Facts): readonly RequestEntry[] {
  return requests.filter(({ operation }) => provider.pay.some((name) => name === operation));
}

/** The requests that ask for the state of a payment. */
export function questionsIn({ requests, provider }: Facts): readonly RequestEntry[] {
  return requests.filter(({ operation }) => provider.status.some((name) => name === operation));
}

/** The payments that were taken, even if they are still pending. */
export function takenIn({ charges }: Facts): readonly LedgerEntry[] {
  return charges.filter(({ state }) => state !== 'failed');
}

/** `1,000 XOF`. */
export function money({ amount, currency }: Pick<LedgerEntry, 'amount' | 'currency'>): string {
  return `${amount.toLocaleString('en')} ${currency}`;
}

/** `20 s`. */
export function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))} s`;
}

/** ` (POST /payments at 12:00:00.120 and 12:00:01.340)`, or nothing without requests. */
export function evidence(requests: readonly RequestEntry[]): string {
  const [first] = requests;
  if (first === undefined) return '';
  const shown = requests.length > MAX_SHOWN ? [first, ...requests.slice(2 - MAX_SHOWN)] : requests;
  const times = shown.map(({ time }) => time.slice(11, 23));
  const last = times.pop();
  const all = times.length === 0 ? last : `${times.join(', ')} and ${last}`;
  const count = requests.length > MAX_SHOWN ? `${requests.length} requests, such as ` : '';
  return ` (${count}${first.operation ?? 'connections'} at ${all})`;
}

const MAX_SHOWN = 4;
