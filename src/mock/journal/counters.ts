import type { JournalRecord, RequestRecord } from './record.ts';

export interface Counter {
  count: number;
  /** The total duration, in ms. */
  ms: number;
}

export interface Outcome
  extends Counter,
    Pick<RequestRecord, 'operation' | 'status' | 'source' | 'reason' | 'fault'> {
  /** `false` for a connection that sent no request. */
  readonly isRequest: boolean;
}

/**
 * Counts requests and webhook attempts by outcome. The journal cannot do this, because it is
 * limited and tests clear it.
 */
export class Counters {
  readonly #outcomes = new Map<string, Outcome>();
  readonly #attempts = new Map<string, Counter>();

  /** The number of connections and requests that the proxy refused. */
  refusedByProxy = 0;

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
    for (const { status, reason, fault, count } of this.#outcomes.values()) {
      const outcome = reason ?? fault ?? (status === null ? 'no response' : null);
      const kind = [status, outcome].filter((part) => part !== null).join(' ');
      kinds.set(kind, (kinds.get(kind) ?? 0) + count);
    }
    return kinds;
  }

  count(record: JournalRecord): void {
    const counter =
      record.kind === 'requests'
        ? this.#outcomeOf(record)
        : counterIn(this.#attempts, `${record.status ?? record.reason}`);
    counter.count++;
    counter.ms += record.durationMs ?? 0;
  }

  #outcomeOf({ method, operation, status, source, reason, fault }: RequestRecord): Outcome {
    const isRequest = method !== null;
    const name = `${status} ${source} ${reason} ${fault} ${isRequest} ${operation}`;
    let outcome = this.#outcomes.get(name);
    if (outcome === undefined) {
      outcome = { isRequest, operation, status, source, reason, fault, count: 0, ms: 0 };
      this.#outcomes.set(name, outcome);
    }
    return outcome;
  }
}

function counterIn(counters: Map<string, Counter>, name: string): Counter {
  const counter = counters.get(name) ?? { count: 0, ms: 0 };
  counters.set(name, counter);
  return counter;
}
