/** What of a journal record is counted. */
export interface Outcome {
  readonly method: string | null;
  readonly status: number | null;
  readonly fault: string | null;
  readonly reason: string | null;
}

/**
 * Counts how requests ended. The journal's records would not do: it is bounded, and tests empty it.
 */
export class Tally {
  readonly #kinds = new Map<string, number>();
  #requests = 0;

  /** How many requests arrived: connections that never became one do not count. */
  get requests(): number {
    return this.#requests;
  }

  /** How many records ended in each way, such as `401 key-unknown`, `200` or `reset`. */
  get kinds(): ReadonlyMap<string, number> {
    return this.#kinds;
  }

  /** Counts a record, once it has ended. */
  count({ method, status, fault, reason }: Outcome): void {
    if (method !== null) this.#requests++;
    const outcome = fault ?? (status === null ? 'no answer' : null);
    const kind = [status, reason ?? outcome].filter((part) => part !== null).join(' ');
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
  }
}
