import { computed, signal } from '@preact/signals';
import type { Health, Overview } from '../control/schemas.ts';
import type { MomoRateLimit } from '../mock/account/rate-limit.ts';
import type { ClockState } from '../mock/clock/clock.ts';
import { BALANCE } from '../mock/contract.ts';
import type { FixtureDetails, OperationSummary } from '../mock/operations/operation-summary.ts';
import type { ScriptedResponse } from '../mock/responses/scripted-response.ts';
import type { MomoTlsMode } from '../tls/tls-mode.ts';
import { read, send } from './client.ts';

/** The configuration of an account, or of the whole service. */
export interface Configuration {
  readonly variant: string | null;
  /** The rate limit that was set; `null` for both if none was. */
  readonly rateLimit: MomoRateLimit | { readonly limit: null; readonly window: null };
  readonly balance: string | null;
  readonly responses: readonly ScriptedResponse[];
}

/** The state of the mock, apart from its journals. */
export interface MockFacts {
  readonly overview: Overview;
  readonly pem: string;
  /** The number of uncaught errors of handlers. */
  readonly uncaughtErrors: number;
  readonly tls: MomoTlsMode;
  readonly operations: readonly OperationSummary[];
  /** The balance's files with their bodies, the default file first. */
  readonly balanceFixtures: readonly FixtureDetails[];
  readonly accounts: readonly { readonly id: string; readonly variant: string | null }[];
  /** The account that the controls are for; `null` for all accounts. */
  readonly scope: string | null;
  readonly service: Configuration;
  readonly accountConfig: Configuration | null;
  /** The clock of the account in `scope`, or of the service. */
  readonly clock: ClockState;
  /** The time of the load, in ms since 1970. */
  readonly loadedAt: number;
}

const loaded = signal<MockFacts | null>(null);
export const isLoaded = computed(() => loaded.value !== null);
/** Undefined until the first load. */
export const mock = computed(() => loaded.value as MockFacts);

/** The current time, by the second, while the page is visible. */
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
      read<{ mode: MomoTlsMode }>('/tls'),
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
  // The user has selected another account meanwhile, and its load replaces this one.
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
  // If no balance is set, the response has no body.
  return { variant, rateLimit, balance: (await balance.text()) || null, responses };
}

export function choose(account: string | null): void {
  chosen = account;
  load().catch(() => {});
}

/**
 * Creates a function that runs a task now or as soon as possible, never twice at a time and not too
 * often. A failed task does not run again, because everything is loaded after reconnecting.
 *
 * @param gap the minimum time between two runs, in ms
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

export const refresh = throttled(load, 250);
