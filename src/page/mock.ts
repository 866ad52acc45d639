import { computed, signal } from '@preact/signals';
import type { Health, Overview } from '../control/schemas.ts';
import type { ClockState } from '../mock/clock/clock.ts';
import type { FixtureDetails, OperationSummary } from '../mock/operation-summary.ts';
import type { RateLimit } from '../mock/rate-limit.ts';
import type { ScriptedResponse } from '../mock/scripted-response.ts';
import type { TlsMode } from '../tls/tls-mode.ts';
import { read, send } from './client.ts';
import { BALANCE } from './words.ts';

/** The configuration of an account, or of all. */
export interface Configuration {
  readonly variant: string | null;
  /** The rate limit that was set; `null` for both if none was. */
  readonly rateLimit: RateLimit | { readonly limit: null; readonly window: null };
  readonly balance: string | null;
  readonly responses: readonly ScriptedResponse[];
}

/** The state of the mock, apart from its journals. */
export interface MockFacts {
  readonly overview: Overview;
  readonly pem: string;
  /** The number of errors of handlers that nothing caught. */
  readonly uncaughtErrors: number;
  readonly tls: TlsMode;
  readonly operations: readonly OperationSummary[];
  /** The files of the balance with their bodies, the default one first. */
  readonly balanceFixtures: readonly FixtureDetails[];
  readonly accounts: readonly { readonly id: string; readonly variant: string | null }[];
  /** The id of the account that the controls are for; `null` for all accounts. */
  readonly scope: string | null;
  readonly service: Configuration;
  /** The configuration of the account of the scope, if there is one. */
  readonly accountConfig: Configuration | null;
  /** The clock of the account of the scope, or of all. */
  readonly clock: ClockState;
  /** When it was loaded, as a Unix time in ms. */
  readonly loadedAt: number;
}

const loaded = signal<MockFacts | null>(null);
export const isLoaded = computed(() => loaded.value !== null);
/** Not set before the first load. */
export const mock = computed(() => loaded.value as MockFacts);

/** The time now, by the second, while somebody sees the page. */
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

/** The selected account. Its configuration may not be loaded yet. */
let chosen: string | null = null;

async function load(): Promise<void> {
  const account = chosen;
  const [overview, pem, { uncaughtErrors }, { mode }, { operations }, { fixtures }, { accounts }] =
    await Promise.all([
      read<Overview>('/'),
      send({ method: 'GET', path: '/certificate' }).then((response) => response.text()),
      read<Health>('/health'),
      read<{ mode: TlsMode }>('/tls'),
      read<{ operations: OperationSummary[] }>('/operations'),
      read<OperationSummary<FixtureDetails>>(`/operations/${encodeURIComponent(BALANCE)}`),
      read<Pick<MockFacts, 'accounts'>>('/accounts'),
    ]);
  // The account was removed.
  if (account !== null && !accounts.some(({ id }) => id === account)) return choose(null);
  const [service, accountConfig, clock] = await Promise.all([
    configurationOf(null),
    account === null ? null : configurationOf(account),
    read<ClockState>('/clock', account),
  ]);
  // The user has selected another account in the meantime, which is loaded now.
  if (account !== chosen) return;
  loaded.value = {
    ...{ overview, pem, uncaughtErrors, tls: mode, operations, balanceFixtures: fixtures },
    ...{ accounts, scope: account, service, accountConfig, clock, loadedAt: Date.now() },
  };
}

async function configurationOf(account: string | null): Promise<Configuration> {
  const [{ variant }, rateLimit, balance, { responses }] = await Promise.all([
    read<Pick<Configuration, 'variant'>>('/variant', account),
    read<Configuration['rateLimit']>('/rate-limit', account),
    send({ method: 'GET', path: '/balance', account }),
    read<Pick<Configuration, 'responses'>>('/responses', account),
  ]);
  // Without a balance that was set, the response has no body.
  return { variant, rateLimit, balance: (await balance.text()) || null, responses };
}

/** Selects the account for the controls; `null` for all. */
export function choose(account: string | null): void {
  chosen = account;
  load().catch(() => {});
}

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

/** Loads the mock, now or after the running load. */
export const refresh = throttled(load, 250);
