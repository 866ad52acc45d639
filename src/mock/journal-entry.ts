import type { Draft } from './draft.ts';
import type { FaultType } from './fault.ts';
import { isKeyName, isSecretHeader } from './key-names.ts';
import { HINTS, type Reason } from './reason.ts';
import { parseTarget, type RequestTarget } from './request-target.ts';
import { REDACTED } from './secrets.ts';

/** What an answer was taken from. */
export type Source = 'fixture' | 'script' | 'override' | 'error' | 'preflight';

/** What the mock received, and what it did. A connection that never became a request too. */
export interface JournalEntry {
  /** Counts up in order of arrival, from 1. */
  readonly id: number;
  /** When it arrived, ISO 8601. */
  readonly time: string;
  /** Whose key it was: the account's id. `null` where there was no good key. */
  readonly account: string | null;
  /**
   * The TLS mode that the connection began in. A request under another than `normal` shows that
   * the client does not verify certificates. `null` without TLS.
   */
  readonly tls: string | null;
  readonly method: string | null;
  /** Text that is in no operation's path is left out (`…`): it may be a key. */
  readonly path: string | null;
  /** The operation that was asked for, such as `GET /momo/balance`. */
  readonly operation: string | null;
  /** A parameter that came several times is a list. Keys are taken out. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Names in lower case. Keys and other secrets are taken out. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body as text, its first 65,536 bytes. Keys are taken out. */
  readonly body: string;
  /** Status of the answer; `null` while there is none, and where none was sent. */
  readonly status: number | null;
  readonly source: Source | null;
  /** The fixture file of the answer. */
  readonly file: string | null;
  readonly variant: string | null;
  /** How the answer was broken. */
  readonly fault: FaultType | null;
  /** Why it was refused. */
  readonly reason: Reason | null;
  /** One line for a person on how to mend that. */
  readonly hint: string | null;
  /** From the request to the end of the answer, in ms; `null` while it is in flight. */
  readonly duration: number | null;
  /** The client went away before it had the whole answer. */
  readonly aborted: boolean;
}

/** An entry as it may be shown. */
export function clean(draft: Draft, redact: (text: string) => string): JournalEntry {
  const { id, time, tls, account, method, operation, headers, body } = draft;
  const { status, source, file, variant, fault, reason, aborted } = draft;
  const target = parseTarget(draft.target ?? '');
  const path = pathOf(draft, target);
  return {
    id,
    time: new Date(time).toISOString(),
    tls,
    account,
    method,
    path: path && cleanPath(path, operation, redact),
    operation,
    query: cleanQuery(target?.query ?? [], redact),
    headers: cleanHeaders(headers, redact),
    body: body === null ? '' : redact(body.toString()),
    status,
    source,
    file,
    variant,
    fault,
    reason,
    hint: hintOf(draft),
    duration: draft.durationMs,
    aborted,
  };
}

/** The path as it was asked for, where an operation has it; else with unknown text left out. */
export function pathOf(draft: Draft, target = parseTarget(draft.target ?? '')): string | null {
  const isKnown = draft.operation !== null && target !== undefined;
  return isKnown ? `/${target.segments.join('/')}` : draft.path;
}

/** One line for a person, where there is something to mend. */
function hintOf({ reason, tls }: Draft): string | null {
  if (reason !== null) return HINTS[reason];
  const isWrong = tls !== null && tls !== 'normal';
  return isWrong
    ? `The client accepted TLS that is ${tls} on purpose: it does not verify certificates.`
    : null;
}

/** The words of the operation's own path stay, also where somebody's key is such a word. */
function cleanPath(path: string, operation: string | null, redact: (text: string) => string) {
  const words = (operation ?? '').toLowerCase().split(/[ /]/);
  const parts = path.split('/');
  return parts.map((part) => (words.includes(part.toLowerCase()) ? part : redact(part))).join('/');
}

function cleanQuery(query: RequestTarget['query'], redact: (text: string) => string) {
  const values = new Map<string, string[]>();
  for (const [name, value] of query) {
    const shown = isKeyName(name) ? REDACTED : redact(value);
    const shownName = isKeyName(name) ? name : redact(name);
    values.set(shownName, [...(values.get(shownName) ?? []), shown]);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, oneOrAll(all)]));
}

function cleanHeaders(headers: Draft['headers'], redact: (text: string) => string) {
  const shown = Object.entries(headers).map(([name, value]) => {
    const values = [value ?? ''].flat();
    const all = values.map((one) => (isSecretHeader(name) ? REDACTED : redact(one)));
    return [isSecretHeader(name) ? name : redact(name), oneOrAll(all)] as const;
  });
  return Object.fromEntries(shown);
}

function oneOrAll(values: string[]): string | string[] {
  return values.length === 1 ? (values[0] ?? '') : values;
}
