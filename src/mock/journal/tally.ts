import type { RequestRecord } from './record.ts';

/**
 * Counts requests by their outcome. The journal cannot do this: it is limited, and tests empty it.
 */
export class Tally {
  readonly #kinds = new Map<string, number>();
  #requests = 0;

  /** The number of requests. Connections without a request do not count. */
  get requests(): number {
    return this.#requests;
  }

  /** The number of records by outcome, such as `401 key-unknown`, `200` or `reset`. */
  get kinds(): ReadonlyMap<string, number> {
    return this.#kinds;
  }

  /** Counts an ended record. */
  count({ method, status, fault, reason }: RequestRecord): void {
    if (method !== null) this.#requests++;
    const outcome = reason ?? fault ?? (status === null ? 'no answer' : null);
    const kind = [status, outcome].filter((part) => part !== null).join(' ');
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
  }
}
