import type { RequestEvent } from '../../mock/controller/journal-events.ts';

/** The number of requests that the page keeps. */
export const MOST_KEPT = 5000;

/** What was new in the requests that were added. */
export interface Added {
  readonly begun: readonly RequestEvent[];
  readonly ended: readonly RequestEvent[];
}

/** The requests that the page knows of, the newest {@link MOST_KEPT}. */
export class KeptRequests {
  /** Counts how often requests were removed: what was shown before is gone. */
  cleared = 0;
  readonly #most: number;
  #byId = new Map<number, RequestEvent>();
  #list: RequestEvent[] = [];

  constructor(most = MOST_KEPT) {
    this.#most = most;
  }

  /** The requests in order of arrival. */
  get list(): readonly RequestEvent[] {
    return this.#list;
  }

  /** The id of the newest request; 0 without one. */
  get newest(): number {
    return this.#list.at(-1)?.id ?? 0;
  }

  /** The newest state of a request, if it is kept. */
  find(id: number): RequestEvent | undefined {
    return this.#byId.get(id);
  }

  /** Adds requests, or new states of them. One that has ended is never in flight again. */
  add(entries: readonly RequestEvent[]): Added {
    const begun: RequestEvent[] = [];
    const ended: RequestEvent[] = [];
    for (const entry of entries) {
      const known = this.#byId.get(entry.id);
      if (known === undefined && this.#isForgotten(entry.id)) continue;
      if (known !== undefined && hasEnded(known) && !hasEnded(entry)) continue;
      if (known === undefined) begun.push(entry);
      if (hasEnded(entry) && !(known && hasEnded(known))) ended.push(entry);
      this.#byId.set(entry.id, entry);
    }
    if (entries.length > 0) this.#order();
    return { begun, ended };
  }

  /**
   * Takes over the list of the server, after others were removed there.
   *
   * @param entries the newest requests that the server has
   * @param total how many it has
   * @param asked the id of the newest request when the server was asked; those after it stay
   */
  replace(entries: readonly RequestEvent[], total: number, asked: number): Added {
    const ids = new Set(entries.map(({ id }) => id));
    const oldest = entries[0]?.id ?? 0;
    const mayBeThere = (id: number) =>
      ids.has(id) || id > asked || (total > entries.length && id < oldest);
    const before = this.#byId.size;
    for (const id of [...this.#byId.keys()]) if (!mayBeThere(id)) this.#byId.delete(id);
    if (this.#byId.size < before) this.cleared++;
    this.#order();
    return this.add(entries);
  }

  /** Forgets all requests. */
  clear(): void {
    this.#byId.clear();
    this.#list = [];
    this.cleared++;
  }

  /** Whether a request was kept once, but others took its place. */
  #isForgotten(id: number): boolean {
    return this.#list.length >= this.#most && id < (this.#list[0]?.id ?? 0);
  }

  #order(): void {
    const sorted = [...this.#byId.values()].sort((one, two) => one.id - two.id);
    for (const { id } of sorted.slice(0, -this.#most)) this.#byId.delete(id);
    this.#list = sorted.slice(-this.#most);
  }
}

/** Whether a request has its status, or will never have one. */
export function hasEnded(entry: RequestEvent): boolean {
  return entry.status !== null || entry.duration !== null || entry.aborted || entry.method === null;
}
