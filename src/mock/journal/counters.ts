import { ANY_OPERATION } from '../responses/source-words.ts';
import type { JournalRecord, RequestRecord } from './record.ts';

export interface Counter {
  count: number;
  /** The total duration, in ms. */
  ms: number;
}

/** A handler might give each request another reason. */
const MAX_OUTCOMES = 1000;

export interface Outcome
  extends Counter,
    Pick<RequestRecord, 'operation' | 'status' | 'source' | 'reason' | 'fault'> {
  /** `false` for a connection that sent no request. */
  readonly isRequest: boolean;
  /** How to fix the first of them; for connections, each way to fix one of them. */
  readonly hints: Set<string>;
}

/**
 * Counts requests and webhook attempts by outcome. The journal cannot do this, because it is
 * limited and tests clear it.
 */
export class Counters {
  readonly #outcomes = new Map<string, Outcome>();
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

  /** The number of requests by outcome, such as `401 key-unknown`, `200` or `reset`, with hints. */
  get kinds(): ReadonlyMap<string, Pick<Outcome, 'count' | 'hints'>> {
    const kinds = new Map<string, Pick<Outcome, 'count' | 'hints'>>();
    for (const { status, reason, fault, count, hints } of this.#outcomes.values()) {
      const outcome = reason ?? fault ?? (status === null ? 'no response' : null);
      const kind = [status, outcome].filter((part) => part !== null).join(' ');
      const others = kinds.get(kind);
      const all = others !== undefined && others.hints.size > 0 ? others.hints : hints;
      kinds.set(kind, { count: count + (others?.count ?? 0), hints: all });
    }
    return kinds;
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
    const reason = this.#outcomes.size < MAX_OUTCOMES ? record.reason : record.reason && 'other';
    const isRequest = method !== null;
    const labels = { isRequest, status, source, reason, fault, operation };
    const name = Object.values(labels).join(' ');
    const outcome = counterIn(this.#outcomes, name, { ...labels, hints: new Set<string>() });
    const hint = reason && record.hint;
    if (hint && (outcome.hints.size === 0 || !isRequest)) outcome.hints.add(hint);
    return outcome;
  }
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
