import { computed, signal } from '@preact/signals';
import type { Health, Overview } from '../control/schemas.ts';
import type { MomoRateLimit } from '../mock/account/rate-limit.ts';
import type { MomoClock } from '../mock/clock/clock.ts';
import { BALANCE } from '../mock/contract.ts';
import type { FixtureDetails, OperationSummary } from '../mock/operations/operation-summary.ts';
import type { ScriptedResponse } from '../mock/responses/scripted-response.ts';
import type { ScriptedWebhook } from '../mock/webhooks/webhook-script.ts';
import type { MomoTlsMode } from '../tls/tls-mode.ts';
import { read, send } from './control-api.ts';

type Facts = Awaited<ReturnType<typeof factsOf>>;

/** The state of the mock, apart from its journals. */
const loaded = signal<Facts | null>(null);
export const isLoaded = computed(() => loaded.value !== null);
/** Undefined until the first load. */
export const mock = computed(() => loaded.value as Facts);

/** The current time, by the second, while the page is visible. */
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

/** Counts the changes of any state. */
export const stateVersion = signal(0);

/** The selected account. Its configuration may not be loaded yet. */
let chosen: string | null = null;

async function load(): Promise<void> {
  const scope = chosen;
  const { accounts } = await read<Pick<Facts, 'accounts'>>('/accounts');
  // The account was removed.
  if (scope !== null && !accounts.some(({ id }) => id === scope)) return choose(null);
  const facts = await factsOf(scope, accounts);
  // The user has selected another account meanwhile, and its load replaces this one.
  if (scope === chosen) loaded.value = facts;
}

/** @param scope the account that the controls are for; `null` for all accounts */
async function factsOf(
  scope: string | null,
  accounts: readonly { readonly id: string; readonly variant: string | null }[],
) {
  const { operations } = await read<{ operations: OperationSummary[] }>('/operations');
  const hasBalance = operations.some(({ name }) => name === BALANCE);
  const [overview, certificate, health, tls, balance, allConfig, account, clock, allClock] =
    await Promise.all([
      read<Overview>('/'),
      send({ method: 'GET', path: '/certificate' }),
      read<Health>('/health'),
      read<{ mode: MomoTlsMode }>('/tls'),
      hasBalance
        ? read<OperationSummary<FixtureDetails>>(`/operations/${encodeURIComponent(BALANCE)}`)
        : { fixtures: [] },
      configurationOf(null),
      scope === null ? null : configurationOf(scope),
      read<MomoClock>('/clock', scope),
      read<MomoClock>('/clock'),
    ]);
  return {
    ...{ scope, accounts, overview, operations, hasBalance, allConfig, clock, allClock },
    pem: await certificate.text(),
    uncaughtErrors: health.uncaughtErrors,
    tls: tls.mode,
    /** The balance's files with their bodies, the default file first. */
    balanceFixtures: balance.fixtures,
    accountConfig: account,
    loadedAt: Date.now(),
  };
}

async function configurationOf(account: string | null) {
  const [{ variant }, rateLimit, balance, scripted, webhooks] = await Promise.all([
    read<{ variant: string | null }>('/variant', account),
    read<MomoRateLimit | { limit: null; window: null }>('/rate-limit', account),
    send({ method: 'GET', path: '/balance', account }),
    read<{ responses: ScriptedResponse[]; ids: number[] }>('/responses', account),
    read<{ script: ScriptedWebhook[]; ids: number[] }>('/webhooks/script', account),
  ]);
  // If no balance is set, the response has no body.
  return {
    ...{ variant, rateLimit, balance: (await balance.text()) || null },
    responses: withIds(scripted.responses, scripted.ids),
    webhooks: withIds(webhooks.script, webhooks.ids),
  };
}

/** Something that was scripted, which is removed by its id. */
export interface Scripted<Given> {
  readonly id: number;
  readonly given: Given;
}

function withIds<Given>(list: readonly Given[], ids: readonly number[]): Scripted<Given>[] {
  return list.map((given, at) => ({ given, id: ids[at] ?? 0 }));
}

export function choose(account: string | null): void {
  chosen = account;
  load().catch(() => {});
}

/**
 * Runs a task now or as soon as possible, never twice at a time, and with a gap in ms. A failed task
 * does not run again, because everything is loaded after reconnecting.
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
