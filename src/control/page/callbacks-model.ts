import type { CallbackEntry } from '../../mock/callbacks/callback-entry.ts';
import type { CallbackEvent } from '../../mock/controller/journal-events.ts';
import type { ControlClient } from './control-client.ts';
import { addAttempts, MOST_ATTEMPTS, replaceAttempts } from './kept-attempts.ts';
import { Refresher } from './refresher.ts';
import { Store } from './store.ts';

/** What the page knows of callbacks. */
export interface CallbacksState {
  /** The newest attempts, the newest first. */
  readonly attempts: readonly CallbackEvent[];
}

/** The callbacks as the page knows them. */
export class CallbacksModel {
  readonly store = new Store<CallbacksState>({ attempts: [] });
  readonly #client: ControlClient;
  readonly #loading = new Refresher<'callbacks'>(() => this.#load(), 1000);

  constructor(client: ControlClient) {
    this.#client = client;
  }

  /** Loads the attempts, now or soon. */
  refresh(): void {
    this.#loading.refresh('callbacks');
  }

  /** Takes attempts that began or ended. */
  add(attempts: readonly CallbackEvent[]): void {
    if (attempts.length === 0) return;
    this.store.set({ attempts: addAttempts(this.store.state.attempts, attempts) });
  }

  /** Forgets all attempts. */
  clear(): void {
    this.store.set({ attempts: [] });
  }

  /** An attempt with its headers and body; `undefined` if it is not kept any more. */
  async details({ id, attempt }: CallbackEvent): Promise<CallbackEntry | undefined> {
    const query = `since=${id - 1}&attempt=${attempt}&limit=${MOST_ATTEMPTS}`;
    const found = await this.#read(query);
    return found.find((entry) => entry.id === id);
  }

  async #load(): Promise<void> {
    const asked = this.store.state.attempts[0]?.id ?? 0;
    try {
      const entries = await this.#read(`limit=${MOST_ATTEMPTS}`);
      const loaded = entries.map(({ headers: _, body: __, ...event }) => event);
      this.store.set({ attempts: replaceAttempts(this.store.state.attempts, loaded, asked) });
    } catch {
      // Without a connection, they are loaded when it is back.
    }
  }

  async #read(query: string): Promise<CallbackEntry[]> {
    const call = { method: 'GET', path: `/callbacks?${query}` } as const;
    const { callbacks } = await this.#client.json<{ callbacks: CallbackEntry[] }>(call);
    return callbacks;
  }
}
