import type { RequestEntry, WebhookEntry } from '../mock/journal/entry.ts';
import type { DrillFlow, LedgerEntry } from '../mock/ledger/momo-drill.ts';
import type { DrillOrder, DrillOutcome } from './application.ts';

/** An entry of the ledger, and whether it names another order or party than its own. */
export interface OrderEntry extends LedgerEntry {
  readonly misplaced?: 'wrong-party' | 'wrong-order' | undefined;
}

/** What is known of an order at one moment. */
export interface Facts {
  readonly order: DrillOrder;
  /** The order's payments, as the provider sees them. */
  readonly charges: readonly OrderEntry[];
  /** Those that were taken, even if they are still pending. */
  readonly taken: readonly OrderEntry[];
  /** Payouts and refunds: money that goes back. */
  readonly backs: readonly OrderEntry[];
  /** What the application believes. It was asked before the ledger was read. */
  readonly outcome: DrillOutcome;
  /** What there is to say of the outcome, such as an unknown word. */
  readonly note: string | undefined;
  /** Whether the application has not known the order for some time, although `pay` came back. */
  readonly isForgotten: boolean;
  /** When it was asked, in ms since 1970. */
  readonly askedAt: number;
  /** The account's requests that name this order, or none, since it began. */
  readonly requests: readonly RequestEntry[];
  /** Those that start a payment. */
  readonly starts: readonly RequestEntry[];
  /** Those that ask for the state of a payment. */
  readonly questions: readonly RequestEntry[];
  /** Those that get a token. */
  readonly tokenCalls: readonly RequestEntry[];
  readonly webhooks: readonly WebhookEntry[];
  /** Whether each call of `pay` had come back when the application was asked. */
  readonly isBack: boolean;
  /** The time since the order began, in ms. */
  readonly elapsed: number;
  /** The time since the last event, in ms. */
  readonly calm: number;
  readonly patience: number;
  readonly flow: DrillFlow;
  /** Whether `success` has shown that the application sends the id of an order to the provider. */
  readonly sendsOrder: boolean;
  /** Whether a genuine final webhook of the order was acknowledged. */
  readonly isTold: boolean;
}

/** Whether the drill has scripted the response. */
export function isScripted({ source, fault }: RequestEntry): boolean {
  return source === 'script' || fault !== null;
}

/** Whether the application got the whole response to the request that was taken. */
export function gotResponse({ starts }: Facts): boolean {
  return starts.some(
    (request) =>
      request.ended && !request.aborted && !isScripted(request) && (request.status ?? 500) < 400,
  );
}

/**
 * The last request that the provider refused by a rule of its own: not what the drill has scripted, and not a
 * token that has ended.
 */
export function refusalIn({ requests }: Facts): RequestEntry | undefined {
  return requests.findLast(
    (request) =>
      request.reason !== null &&
      request.reason !== 'tls-handshake' &&
      request.reason !== 'token-expired' &&
      !isScripted(request),
  );
}

/** `1,000 XOF`. */
export function money({ amount, currency }: Pick<LedgerEntry, 'amount' | 'currency'>): string {
  return `${amount.toLocaleString('en', { maximumFractionDigits: 20 })} ${currency}`;
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

/** When a request ended, in ms since 1970; while it runs, when it came. */
export function endOf({ time, duration }: RequestEntry): number {
  return Date.parse(time) + (duration ?? 0);
}
