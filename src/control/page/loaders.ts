import type { FixtureDetails, ShownOperation } from '../../mock/controller/shown-operation.ts';
import type { TlsMode } from '../../tls/tls-mode.ts';
import type { Health } from '../schemas/health.ts';
import type { Overview } from '../schemas/overview.ts';
import type { ControlClient } from './control-client.ts';
import {
  BALANCE,
  type ListedAccount,
  type PageState,
  type ScopeState,
  type ShownClock,
} from './page-state.ts';

/** Loads something, and returns what it changes in the state. */
type Loader = (
  client: ControlClient,
  state: PageState,
) => Promise<(state: PageState) => Partial<PageState>>;

/** Reads a part of the configuration of an account, or of all. */
type Reader<Part extends keyof ScopeState> = (
  client: ControlClient,
  account?: string,
) => Promise<Pick<ScopeState, Part>>;

const readVariant: Reader<'variant'> = (client, account) =>
  client.json({ method: 'GET', path: '/variant', account });

const readResponses: Reader<'responses'> = (client, account) =>
  client.json({ method: 'GET', path: '/responses', account });

const readBalance: Reader<'balance'> = async (client, account) => {
  const text = await client.text({ method: 'GET', path: '/balance', account });
  // Without a balance that was set, the response has no body.
  return { balance: text === '' ? null : text };
};

const readScope: Reader<keyof ScopeState> = async (client, account) => {
  const [variant, balance, responses] = await Promise.all([
    readVariant(client, account),
    readBalance(client, account),
    readResponses(client, account),
  ]);
  return { ...variant, ...balance, ...responses };
};

/** How each thing is loaded. */
export const LOADERS = {
  overview: async (client) => {
    const overview = await client.json<Overview>({ method: 'GET', path: '/' });
    return () => ({ overview });
  },
  operations: async (client) => {
    const one = `/operations/${encodeURIComponent(BALANCE)}`;
    const [{ operations }, { fixtures }] = await Promise.all([
      client.json<{ operations: ShownOperation[] }>({ method: 'GET', path: '/operations' }),
      client.json<ShownOperation<FixtureDetails>>({ method: 'GET', path: one }),
    ]);
    return () => ({ operations, balanceFixtures: fixtures });
  },
  accounts: async (client) => {
    const path = '/accounts';
    const { accounts } = await client.json<{ accounts: ListedAccount[] }>({ method: 'GET', path });
    return ({ scope }) => {
      const isThere = scope === null || accounts.some(({ id }) => id === scope);
      return isThere ? { accounts } : { accounts, scope: null, own: null };
    };
  },
  tls: async (client) => {
    const { mode } = await client.json<{ mode: TlsMode }>({ method: 'GET', path: '/tls' });
    return () => ({ tls: mode });
  },
  health: async (client) => {
    const { uncaughtErrors } = await client.json<Health>({ method: 'GET', path: '/health' });
    return () => ({ uncaughtErrors });
  },
  clock: async (client, { scope }) => {
    const account = scope ?? undefined;
    const clock = await client.json<ShownClock>({ method: 'GET', path: '/clock', account });
    return () => ({ clock });
  },
  variant: partly(readVariant),
  balance: partly(readBalance),
  responses: partly(readResponses),
  /** All that is configured, after another account was chosen. */
  scope: async (client, { scope }) => {
    const [service, own] = await Promise.all([
      readScope(client),
      scope === null ? null : readScope(client, scope),
    ]);
    return () => ({ service, own });
  },
} satisfies Readonly<Record<string, Loader>>;

/** Something that can be loaded. */
export type Loadable = keyof typeof LOADERS;

/** Loads a part of what is configured: for all accounts, and for the one that is chosen. */
function partly<Part extends keyof ScopeState>(read: Reader<Part>): Loader {
  return async (client, { scope }) => {
    const [service, own] = await Promise.all([
      read(client),
      scope === null ? null : read(client, scope),
    ]);
    return (state) => ({
      service: { ...state.service, ...service },
      // Nothing is shown of an account before all of it is loaded.
      own: own && state.own && { ...state.own, ...own },
    });
  };
}
