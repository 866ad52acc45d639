import type { CallbackEvent, RequestEvent } from '../../mock/controller/journal-events.ts';
import { CallbacksModel } from './callbacks-model.ts';
import {
  type AskToken,
  type ControlCall,
  ControlClient,
  ControlRefusal,
} from './control-client.ts';
import type { ServerEvent } from './event-parser.ts';
import { followEvents } from './event-stream.ts';
import { type Added, KeptRequests } from './kept-requests.ts';
import { LOADERS, type Loadable } from './loaders.ts';
import { type PageState, START_STATE } from './page-state.ts';
import { Rates } from './rates.ts';
import { Refresher } from './refresher.ts';
import { Store } from './store.ts';

/** The number of requests that are loaded at first. */
const FIRST = 500;

/** What is loaded when the connection is there. */
const ALL: readonly Loadable[] = [
  ...(['overview', 'operations', 'accounts', 'tls', 'health', 'scope', 'clock'] as const),
];

/** What has to be loaded again when something changes. */
const CHANGED: Readonly<Record<string, readonly Loadable[]>> = {
  balance: ['balance'],
  variant: ['variant', 'accounts'],
  responses: ['responses'],
  accounts: ['accounts'],
  tls: ['tls', 'overview'],
  clock: ['clock'],
  fixtures: ['operations'],
  health: ['health'],
};

/** The mock as the page knows it, and what the page can do with it. */
export class PageModel {
  readonly store = new Store<PageState>(START_STATE);
  readonly kept = new KeptRequests();
  readonly rates = new Rates();
  readonly client: ControlClient;
  readonly callbacks: CallbacksModel;
  readonly #listeners = new Set<() => void>();
  readonly #things = new Refresher<Loadable>((name) => this.#load(name), 250);
  readonly #requests = new Refresher<'requests'>(() => this.#loadRequests(), 1000);
  /** For requests that came too fast; they are counted already. */
  readonly #missed = new Refresher<'requests' | 'callbacks'>(async (name) => {
    if (name === 'requests') await this.#loadRequests(false);
    else this.callbacks.refresh();
  }, 5000);

  constructor(askToken: AskToken) {
    this.client = new ControlClient(askToken);
    this.callbacks = new CallbacksModel(this.client);
  }

  /** Follows what happens, as long as the page is open. */
  async start(): Promise<void> {
    await followEvents(this.client, {
      onOpen: (isOtherMock) => this.#open(isOtherMock),
      onEvents: (events) => this.#take(events),
      onLost: () => {
        if (this.store.state.lostSince === null) this.store.set({ lostSince: new Date() });
      },
    });
  }

  /** Calls a listener when requests came or were removed, until the returned function is called. */
  onRequests(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Chooses the account that the controls are for; `null` for all. */
  choose(scope: string | null): void {
    this.store.set({ scope, own: null, clock: null });
    this.#things.refresh('scope');
    this.#things.refresh('clock');
  }

  /**
   * Changes something, and shows the line for a shell that does the same.
   *
   * @param done what to say when it is done, or how to say it from the body of the response
   * @returns the body of the response
   * @throws ControlRefusal
   */
  async act(call: ControlCall, done: string | ((text: string) => string)): Promise<string> {
    const tell = (outcome: string, hasFailed = false) => {
      this.store.set({ command: { line: this.client.command(call), outcome, hasFailed } });
    };
    try {
      const text = await this.client.text(call);
      tell(typeof done === 'string' ? done : done(text));
      return text;
    } catch (error) {
      const isRefusal = error instanceof ControlRefusal;
      const message = isRefusal ? error.message : 'Failed to reach momo-mock. Is it running?';
      tell(message, true);
      throw isRefusal ? error : new ControlRefusal(0, '', message);
    }
  }

  #open(isOtherMock: boolean): void {
    if (isOtherMock) {
      this.kept.clear();
      this.rates.clear();
      this.callbacks.clear();
      this.store.set({ missed: 0 });
      this.#tell();
    }
    this.store.set({ lostSince: null });
    for (const name of ALL) this.#things.refresh(name);
    this.#requests.refresh('requests');
    this.callbacks.refresh();
  }

  #take(events: readonly ServerEvent[]): void {
    const entries: RequestEvent[] = [];
    const attempts: CallbackEvent[] = [];
    for (const { name, data } of events) {
      const content = JSON.parse(data);
      if (name === 'request') entries.push(content);
      if (name === 'callback') attempts.push(content);
      if (name === 'dropped') this.#miss(content.count);
      if (name === 'change') this.#changed(content.what);
    }
    this.callbacks.add(attempts);
    this.#count(this.kept.add(entries));
    if (entries.length > 0) this.#tell();
    if (entries.some(({ source }) => source === 'script')) this.#things.refresh('responses');
  }

  #changed(what: string): void {
    if (what === 'requests') this.#requests.refresh('requests');
    if (what === 'callbacks') this.callbacks.refresh();
    for (const name of CHANGED[what] ?? []) this.#things.refresh(name);
  }

  #miss(count: number): void {
    this.store.set({ missed: this.store.state.missed + count });
    const now = Date.now() + this.client.clockOffset;
    for (let missed = 0; missed < count; missed++) this.rates.begin(now);
    // What is in flight here may have ended since.
    this.#missed.refresh('requests');
    this.#missed.refresh('callbacks');
  }

  #count({ begun, ended }: Added): void {
    for (const { method, time } of begun) if (method !== null) this.rates.begin(Date.parse(time));
    for (const { method, time, duration } of ended) {
      if (method !== null && duration !== null) this.rates.end(Date.parse(time), duration);
    }
  }

  async #load(name: Loadable): Promise<void> {
    const { scope } = this.store.state;
    try {
      const change = await LOADERS[name](this.client, this.store.state);
      // Another account may have been chosen meanwhile; then it is loaded again.
      if (this.store.state.scope === scope) this.store.set(change(this.store.state));
    } catch (error) {
      const isGone = error instanceof ControlRefusal && error.code === 'MOMO_MOCK_ACCOUNT_UNKNOWN';
      if (isGone && scope !== null) this.choose(null);
      // Without a connection, everything is loaded when it is back.
    }
  }

  async #loadRequests(isCounted = true): Promise<void> {
    const asked = this.kept.newest;
    try {
      const call = { method: 'GET', path: `/requests?limit=${FIRST}` } as const;
      const { requests, total } = await this.client.json<{
        requests: RequestEvent[];
        total: number;
      }>(call);
      const added = this.kept.replace(requests, total, asked);
      if (isCounted) this.#count(added);
      this.#tell();
    } catch {
      // As above.
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
