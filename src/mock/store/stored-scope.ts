import type { ScriptedCallback } from '../callbacks/callback-script.ts';
import type { HttpResponse } from '../http-response.ts';
import { type CountedRequests, type RateLimit, RequestCounter } from '../rate-limit.ts';
import type { Script, ScriptedResponse } from '../scripted-response.ts';
import { sizeOf } from '../state/state-values.ts';
import { type JsonAccount, type JsonResponse, jsonOfResponse, responseOf } from './event.ts';
import { type Account, type ClockTime, type Overrides, RUNNING } from './store.ts';

export interface JsonScope {
  readonly balance?: JsonResponse | undefined;
  readonly variant?: string | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly counted?: CountedRequests | undefined;
  readonly scripts: readonly (readonly [given: ScriptedResponse, used: number])[];
  readonly callbacks: readonly ScriptedCallback[];
  readonly clock: ClockTime;
  readonly values: readonly (readonly [name: string, json: string | null])[];
  readonly version: number;
}

/** The data of an account, or of the service. */
export class StoredScope implements Overrides {
  balance: HttpResponse | undefined;
  variant: string | undefined;
  rateLimit: RateLimit | undefined;
  counter = new RequestCounter();
  scripts: Script[] = [];
  callbacks: ScriptedCallback[] = [];
  clock: ClockTime = RUNNING;
  /** The state. A name with `null` hides the value in the layers below. */
  readonly values = new Map<string, string | null>();
  /** The size of all names and values of the state, in bytes. */
  bytes = 0;
  version = 0;
  readonly #start: Omit<JsonAccount, 'key' | 'variant'>;

  constructor(start: Omit<JsonAccount, 'key' | 'variant'> = {}) {
    this.#start = start;
    this.reset();
  }

  reset(): void {
    const { balance, state = [] } = this.#start;
    this.balance = balance && responseOf(balance);
    this.variant = undefined;
    this.rateLimit = undefined;
    this.counter = new RequestCounter();
    this.scripts = [];
    this.callbacks = [];
    this.clock = RUNNING;
    this.setValues(state);
  }

  setValues(values: JsonScope['values']): void {
    this.values.clear();
    this.bytes = 0;
    for (const [name, json] of values) {
      this.values.set(name, json);
      this.bytes += sizeOf(name, json);
    }
  }

  /** The index of the first scripted response for an operation; -1 if there is none. */
  find(operation: string, beforeKeyCheck: boolean): number {
    return this.scripts.findIndex(
      (script) => script.operation === operation && script.beforeKeyCheck === beforeKeyCheck,
    );
  }

  /** Takes the first scripted response for an operation. */
  take(operation: string, beforeKeyCheck: boolean): Script | undefined {
    const index = this.find(operation, beforeKeyCheck);
    const script = this.scripts[index];
    if (script === undefined) return undefined;
    script.used++;
    script.left--;
    if (script.left === 0) this.scripts.splice(index, 1);
    const delay = script.delay();
    return { ...script, delay: () => delay };
  }

  toJSON(): JsonScope {
    return {
      balance: this.balance && jsonOfResponse(this.balance),
      variant: this.variant,
      rateLimit: this.rateLimit,
      counted: this.counter.counted,
      scripts: this.scripts.map(({ given, used }) => [given, used]),
      callbacks: this.callbacks,
      clock: this.clock,
      values: [...this.values],
      version: this.version,
    };
  }

  load(
    { balance, counted, scripts, callbacks, values, ...others }: JsonScope,
    scriptOf: (given: ScriptedResponse, used: number) => Script,
  ): void {
    this.balance = balance && responseOf(balance);
    this.variant = others.variant;
    this.rateLimit = others.rateLimit;
    this.counter = new RequestCounter(counted);
    this.scripts = scripts.map(([given, used]) => scriptOf(given, used));
    this.callbacks = [...callbacks];
    this.clock = others.clock;
    this.version = others.version;
    this.setValues(values);
  }
}

export class StoredAccount extends StoredScope implements Account {
  readonly id: string;
  readonly start: JsonAccount;
  /** When it was last used, in ms since 1970. */
  used: number;

  constructor(id: string, start: JsonAccount, used: number) {
    super(start);
    this.id = id;
    this.start = start;
    this.used = used;
  }

  get key(): string {
    return this.start.key;
  }

  get initialVariant(): string | undefined {
    return this.start.variant;
  }
}
