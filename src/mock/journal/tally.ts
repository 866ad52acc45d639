import type { JournalRecord, RequestRecord } from './record.ts';

/** How often something happened, and how long it took in all. */
export interface Counted {
  count: number;
  /** In ms. */
  ms: number;
}

/** The requests with the same outcome. */
export interface Outcome
  extends Counted,
    Pick<RequestRecord, 'operation' | 'status' | 'source' | 'reason' | 'fault'> {
  /** Not a connection that sent no request. */
  readonly isRequest: boolean;
}

/**
 * Counts requests and attempts of callbacks by their outcome. The journal cannot do this: it is
 * limited, and tests empty it.
 */
export class Tally {
  readonly #outcomes = new Map<string, Outcome>();
  readonly #attempts = new Map<string, Counted>();

  /** The number of requests that clients sent to the proxy whole, and that it refused. */
  refusedByProxy = 0;

  /** The outcomes of requests, and of connections without a request. */
  get outcomes(): Iterable<Outcome> {
    return this.#outcomes.values();
  }

  /** The attempts of callbacks, by their status or the reason for which they have none. */
  get attempts(): ReadonlyMap<string, Counted> {
    return this.#attempts;
  }

  /** The number of requests. Connections without a request do not count. */
  get requests(): number {
    const requests = [...this.#outcomes.values()].filter(({ isRequest }) => isRequest);
    return requests.reduce((sum, { count }) => sum + count, 0);
  }

  /** The number of records by outcome, such as `401 key-unknown`, `200` or `reset`. */
  get kinds(): ReadonlyMap<string, number> {
    const kinds = new Map<string, number>();
    for (const { status, reason, fault, count } of this.#outcomes.values()) {
      const outcome = reason ?? fault ?? (status === null ? 'no answer' : null);
      const kind = [status, outcome].filter((part) => part !== null).join(' ');
      kinds.set(kind, (kinds.get(kind) ?? 0) + count);
    }
    return kinds;
  }

  /** Counts an ended record. */
  count(record: JournalRecord): void {
    const counted =
      record.kind === 'requests'
        ? this.#outcomeOf(record)
        : countedIn(this.#attempts, `${record.status ?? record.reason}`);
    counted.count++;
    counted.ms += record.durationMs ?? 0;
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

/** What is counted under a name. */
export function countedIn(all: Map<string, Counted>, name: string): Counted {
  const known = all.get(name);
  if (known !== undefined) return known;
  const counted = { count: 0, ms: 0 };
  all.set(name, counted);
  return counted;
}
