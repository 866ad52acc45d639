import { computed, type Signal, signal } from '@preact/signals';
import type { Health } from '../control/schemas/health.ts';
import type { Overview } from '../control/schemas/overview.ts';
import type { ScriptedResponse } from '../mock/scripted-response.ts';
import type { FixtureDetails, ShownOperation } from '../mock/shown-operation.ts';
import type { TlsMode } from '../tls/tls-mode.ts';
import { type ControlCall, ControlRefusal, commandOf, read, send } from './client.ts';
import { throttled } from './throttled.ts';
import { BALANCE } from './words.ts';

/** An account in the list of the control API. */
export interface ListedAccount {
  readonly id: string;
  readonly variant: string | null;
}

/** The clock of handlers, of an account or of all. */
export interface ShownClock {
  /** The time in ms since 1970. */
  readonly now: number;
  readonly frozen: boolean;
  /** How many timers are set or running. */
  readonly pending: number;
  /** When the next timer is due; `null` without one. */
  readonly next: number | null;
  /** When the page loaded it, by `performance.now()`. */
  readonly loadedAt: number;
}

/** The configuration of an account, or of all. */
export interface Configuration {
  /** The variant that was set. */
  readonly variant: string | null;
  /** The balance that was set, as JSON. */
  readonly balance: string | null;
  readonly responses: readonly ScriptedResponse[];
}

/** What the page did last. */
export interface Command {
  /** The line for a shell that does the same. */
  readonly line: string;
  /** What came of it, in words. */
  readonly outcome: string;
  readonly hasFailed: boolean;
}

/** The id of the account that the controls are for; `null` for all accounts. */
export const scope = signal<string | null>(null);
export const command = signal<Command | null>(null);
/** A value that is loaded from the mock, and again when it has changed. */
interface Loaded<Value> extends Signal<Value> {
  /** Loads it now, or as soon as may be. Then it is newer than this call. */
  refresh(): void;
}

/** The shortest time between two loads of the same value, in ms. */
const LOAD_GAP = 250;

function loaded<Value>(start: Value, load: () => Promise<Value>): Loaded<Value> {
  const value = signal(start);
  const refresh = throttled(async () => {
    const asked = scope.value;
    try {
      value.value = await load();
    } catch (error) {
      const isGone = error instanceof ControlRefusal && error.code === 'MOMO_MOCK_ACCOUNT_UNKNOWN';
      if (isGone && scope.value === asked) choose(null);
      // Without a connection, everything is loaded when it is back.
    }
  }, LOAD_GAP);
  return Object.assign(value, { refresh });
}

export const overview = loaded<Overview | null>(null, () => read('/'));
export const operations = loaded<readonly ShownOperation[]>([], async () => {
  return (await read<{ operations: ShownOperation[] }>('/operations')).operations;
});
/** The files of the balance with their bodies, the default one first. */
export const balanceFixtures = loaded<readonly FixtureDetails[]>([], async () => {
  const path = `/operations/${encodeURIComponent(BALANCE)}`;
  return (await read<ShownOperation<FixtureDetails>>(path)).fixtures;
});
export const accounts = loaded<readonly ListedAccount[]>([], async () => {
  const asked = scope.value;
  const { accounts } = await read<{ accounts: ListedAccount[] }>('/accounts');
  const isThere = asked === null || accounts.some(({ id }) => id === asked);
  if (!isThere && scope.value === asked) choose(null);
  return accounts;
});
export const tls = loaded<TlsMode | null>(null, async () => {
  return (await read<{ mode: TlsMode }>('/tls')).mode;
});
/** The number of errors of handlers that nothing caught. */
export const uncaughtErrors = loaded(0, async () => (await read<Health>('/health')).uncaughtErrors);

const loadedClock = loaded<{ of: string | null; clock: ShownClock } | null>(null, async () => {
  const of = scope.value;
  const clock = await read<ShownClock>('/clock', of);
  return { of, clock: { ...clock, loadedAt: performance.now() } };
});
/** The clock of the account of the scope, or of all; `null` until it is loaded. */
export const clock = computed(() =>
  loadedClock.value?.of === scope.value ? loadedClock.value.clock : null,
);

/** A part of the configuration: of all accounts, and of an account. */
interface Part<Value> {
  readonly service: Value;
  readonly of: string | null;
  readonly own: Value;
}

function part<Value>(start: Value, load: (account: string | null) => Promise<Value>) {
  return loaded<Part<Value>>({ service: start, of: null, own: start }, async () => {
    const of = scope.value;
    const [service, own] = await Promise.all([load(null), of === null ? start : load(of)]);
    return { service, of, own };
  });
}

const variant = part<string | null>(null, async (account) => {
  return (await read<Pick<Configuration, 'variant'>>('/variant', account)).variant;
});
const balance = part<string | null>(null, async (account) => {
  const response = await send({ method: 'GET', path: '/balance', account });
  // Without a balance that was set, the response has no body.
  return (await response.text()) || null;
});
const responses = part<readonly ScriptedResponse[]>([], async (account) => {
  return (await read<Pick<Configuration, 'responses'>>('/responses', account)).responses;
});
const PARTS = [variant, balance, responses];

/** The configuration of all accounts. */
export const service = computed<Configuration>(() => ({
  variant: variant.value.service,
  balance: balance.value.service,
  responses: responses.value.service,
}));

/** The configuration of the account of the scope; `null` without one, or until all is loaded. */
export const own = computed<Configuration | null>(() => {
  const isLoaded = PARTS.every(({ value }) => value.of === scope.value);
  if (scope.value === null || !isLoaded) return null;
  return {
    variant: variant.value.own,
    balance: balance.value.own,
    responses: responses.value.own,
  };
});

/** Chooses the account that the controls are for; `null` for all. */
export function choose(account: string | null): void {
  scope.value = account;
  for (const one of [...PARTS, loadedClock]) one.refresh();
}

/**
 * Changes something, and shows the line for a shell that does the same.
 *
 * @param done what to say when it is done, or how to say it from the body of the response
 * @returns the body of the response
 * @throws ControlRefusal
 */
export async function act(
  call: ControlCall,
  done: string | ((text: string) => string),
): Promise<string> {
  const tell = (outcome: string, hasFailed = false) => {
    command.value = { line: commandOf(call), outcome, hasFailed };
  };
  try {
    const text = await (await send(call)).text();
    tell(typeof done === 'string' ? done : done(text));
    return text;
  } catch (error) {
    const refusal =
      error instanceof ControlRefusal
        ? error
        : new ControlRefusal('', 'Failed to reach momo-mock. Is it running?');
    tell(refusal.message, true);
    throw refusal;
  }
}

/** What has to be loaded again when something changes. */
const CHANGED: Readonly<Record<string, readonly { refresh(): void }[]>> = {
  balance: [balance],
  variant: [variant, accounts],
  responses: [responses],
  accounts: [accounts],
  tls: [tls, overview],
  clock: [loadedClock],
  fixtures: [operations, balanceFixtures],
  health: [uncaughtErrors],
};

/** Loads what a change of the mock concerns, or everything. */
export function refresh(what?: string): void {
  const values = what === undefined ? Object.values(CHANGED).flat() : (CHANGED[what] ?? []);
  for (const one of new Set(values)) one.refresh();
}
