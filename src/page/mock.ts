import { computed, type Signal, signal } from '@preact/signals';
import type { Health, Overview } from '../control/schemas.ts';
import type { ClockState } from '../mock/clock/clock.ts';
import type { ScriptedResponse } from '../mock/scripted-response.ts';
import type { FixtureDetails, ShownOperation } from '../mock/shown-operation.ts';
import type { TlsMode } from '../tls/tls-mode.ts';
import { read, send } from './client.ts';
import { BALANCE } from './words.ts';

/** An account in the list of the control API. */
export interface ListedAccount {
  readonly id: string;
  readonly variant: string | null;
}

/** The clock of handlers, of an account or of all. */
export interface ShownClock extends ClockState {
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

/** The id of the account that the controls are for; `null` for all accounts. */
export const scope = signal<string | null>(null);

/**
 * A function that runs a task now, or as soon as may be: never twice at a time, and not too often.
 * A task that fails is not run again: without a connection, everything is loaded when it is back.
 *
 * @param gap the shortest time between two runs, in ms
 */
export function throttled(task: () => Promise<unknown>, gap: number): () => void {
  let isBusy = false;
  let isWanted = false;
  const run = async () => {
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await task().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, gap));
    }
    isBusy = false;
  };
  return () => {
    isWanted = true;
    if (!isBusy) void run();
  };
}

/** A value that is loaded from the mock, and again when it has changed. */
interface Loaded<Value> extends Signal<Value> {
  /** Loads it now, or as soon as may be. Then it is newer than this call. */
  refresh(): void;
}

/** The shortest time between two loads of the same value, in ms. */
const LOAD_GAP = 250;

/** @param load loads the value for the account of the scope */
function loaded<Value>(start: Value, load: (of: string | null) => Promise<Value>): Loaded<Value> {
  const value = signal(start);
  const refresh = throttled(async () => {
    const of = scope.value;
    value.value = await load(of);
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
export const accounts = loaded<readonly ListedAccount[]>([], async (of) => {
  const { accounts } = await read<{ accounts: ListedAccount[] }>('/accounts');
  const isThere = of === null || accounts.some(({ id }) => id === of);
  if (!isThere && scope.value === of) choose(null);
  return accounts;
});
export const tls = loaded<TlsMode | null>(null, async () => {
  return (await read<{ mode: TlsMode }>('/tls')).mode;
});
/** The certificate to trust, as PEM. */
export const pem = loaded('', async () => {
  return (await send({ method: 'GET', path: '/certificate' })).text();
});
/** The number of errors of handlers that nothing caught. */
export const uncaughtErrors = loaded(0, async () => (await read<Health>('/health')).uncaughtErrors);

const loadedClock = loaded<{ of: string | null; clock: ShownClock } | null>(null, async (of) => {
  const clock = await read<ClockState>('/clock', of);
  return { of, clock: { ...clock, loadedAt: performance.now() } };
});
/** The clock of the account of the scope, or of all; `null` until it is loaded. */
export const clock = computed(() =>
  loadedClock.value?.of === scope.value ? loadedClock.value.clock : null,
);

const NOTHING: Configuration = { variant: null, balance: null, responses: [] };

const configurations = loaded({ service: NOTHING, of: '', own: NOTHING }, async (of) => {
  const loads = [readConfiguration(null), of === null ? NOTHING : readConfiguration(of)] as const;
  const [service, own] = await Promise.all(loads);
  return { service, of: of ?? '', own };
});

async function readConfiguration(account: string | null): Promise<Configuration> {
  const [{ variant }, balance, { responses }] = await Promise.all([
    read<Pick<Configuration, 'variant'>>('/variant', account),
    send({ method: 'GET', path: '/balance', account }),
    read<Pick<Configuration, 'responses'>>('/responses', account),
  ]);
  // Without a balance that was set, the response has no body.
  return { variant, balance: (await balance.text()) || null, responses };
}

/** The configuration of all accounts. */
export const service = computed(() => configurations.value.service);

/** The configuration of the account of the scope; `null` without one, or until it is loaded. */
export const own = computed(() =>
  configurations.value.of === scope.value ? configurations.value.own : null,
);

/** Chooses the account that the controls are for; `null` for all. */
export function choose(account: string | null): void {
  scope.value = account;
  configurations.refresh();
  loadedClock.refresh();
}

/** What has to be loaded again when something changes. */
const CHANGED: Readonly<Record<string, readonly { refresh(): void }[]>> = {
  balance: [configurations],
  variant: [configurations, accounts],
  responses: [configurations],
  accounts: [accounts],
  tls: [tls, overview, pem],
  clock: [loadedClock],
  fixtures: [operations, balanceFixtures],
  health: [uncaughtErrors],
};

/** Loads what a change of the mock concerns, or everything. */
export function refresh(what?: string): void {
  const values = what === undefined ? Object.values(CHANGED).flat() : (CHANGED[what] ?? []);
  for (const one of new Set(values)) one.refresh();
}
