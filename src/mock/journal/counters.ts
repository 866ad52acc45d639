import { HINTS } from '../requests/reason.ts';
import { ANY_OPERATION } from '../responses/source-words.ts';
import type { JournalRecord, RequestRecord } from './record.ts';

export interface Counter {
  count: number;
  /** The total duration, in ms. */
  ms: number;
}

/** How many reasons of handlers are counted. A handler might make one of each request. */
const MAX_REASONS = 100;

export interface Outcome
  extends Counter,
    Pick<RequestRecord, 'operation' | 'status' | 'source' | 'reason' | 'fault'> {
  /** `false` for a connection that sent no request. */
  readonly isRequest: boolean;
  /** How to fix the first of them. */
  hint?: string | null;
}

/**
 * Counts requests and webhook attempts by outcome. The journal cannot do this, because it is
 * limited and tests clear it.
 */
export class Counters {
  readonly #outcomes = new Map<string, Outcome>();
  readonly #reasons = new Set<string>();
  readonly #attempts = new Map<string, Counter>();

  refusedByProxy = 0;

  /** Scripted responses that were removed, or left at the end, before requests used them. */
  readonly unused = new Map<string, number>();

  /** The outcomes of requests, and of connections without a request. */
  get outcomes(): Iterable<Outcome> {
    return this.#outcomes.values();
  }

  /** Webhook attempts by status, or by reason if they have no status. */
  get attempts(): ReadonlyMap<string, Counter> {
    return this.#attempts;
  }

  /** The number of requests, without connections that sent none. */
  get requests(): number {
    const requests = [...this.#outcomes.values()].filter(({ isRequest }) => isRequest);
    return requests.reduce((sum, { count }) => sum + count, 0);
  }

  /** The number of requests by outcome, such as `401 key-unknown`, `200` or `reset`. */
  get kinds(): ReadonlyMap<string, number> {
    const kinds = new Map<string, number>();
    for (const outcome of this.#outcomes.values()) {
      const kind = kindOf(outcome);
      kinds.set(kind, (kinds.get(kind) ?? 0) + outcome.count);
    }
    return kinds;
  }

  /** The hint of each kind of refused requests: that of its first one. */
  get hints(): ReadonlyMap<string, string> {
    const hints = new Map<string, string>();
    for (const outcome of this.#outcomes.values()) {
      const kind = kindOf(outcome);
      if (outcome.hint && !hints.has(kind)) hints.set(kind, outcome.hint);
    }
    return hints;
  }

  countUnused(scripts: readonly { readonly operation: string | undefined }[]): void {
    for (const { operation = ANY_OPERATION } of scripts) {
      this.unused.set(operation, (this.unused.get(operation) ?? 0) + 1);
    }
  }

  count(record: JournalRecord): void {
    const counter =
      record.kind === 'requests'
        ? this.#outcomeOf(record)
        : counterIn(this.#attempts, `${record.status ?? record.reason}`, {});
    counter.count++;
    counter.ms += record.durationMs ?? 0;
  }

  #outcomeOf(record: RequestRecord): Outcome {
    const { method, operation, status, source, fault } = record;
    const reason = this.#counted(record.reason);
    const labels = { isRequest: method !== null, status, source, reason, fault, operation };
    const outcome = counterIn<Omit<Outcome, keyof Counter>>(
      this.#outcomes,
      Object.values(labels).join(' '),
      labels,
    );
    if (reason !== null) outcome.hint ??= record.hint;
    return outcome;
  }

  #counted(reason: RequestRecord['reason']): RequestRecord['reason'] {
    if (reason === null || this.#reasons.has(reason)) return reason;
    if (!Object.hasOwn(HINTS, reason) && this.#reasons.size >= MAX_REASONS) return 'other';
    this.#reasons.add(reason);
    return reason;
  }
}

function kindOf({ status, reason, fault }: Outcome): string {
  const outcome = reason ?? fault ?? (status === null ? 'no response' : null);
  return [status, outcome].filter((part) => part !== null).join(' ');
}

function counterIn<Labels>(
  counters: Map<string, Labels & Counter>,
  name: string,
  labels: Labels,
): Labels & Counter {
  const counter = counters.get(name) ?? { ...labels, count: 0, ms: 0 };
  counters.set(name, counter);
  return counter;
}
