import type { ScriptedResponse } from '../../mock/scripted-response.ts';
import type { FixtureDetails, ShownOperation } from '../../mock/shown-operation.ts';
import type { TlsMode } from '../../tls/tls-mode.ts';
import type { Overview } from '../schemas/overview.ts';
import { type ControlClient, ControlRefusal } from './control-client.ts';
import {
  BALANCE,
  EMPTY_SCOPE,
  type ListedAccount,
  type PageState,
  type ScopeState,
} from './page-state.ts';

/** Loads something, and returns what it changes in the state. */
type Loader = (
  client: ControlClient,
  state: PageState,
) => Promise<(state: PageState) => Partial<PageState>>;

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
  variant: ofScope(async (client, account) => {
    const call = { method: 'GET', path: '/variant', account } as const;
    return client.json<{ variant: string | null }>(call);
  }),
  balance: ofScope(async (client, account) => {
    try {
      return { balance: await client.text({ method: 'GET', path: '/balance', account }) };
    } catch (error) {
      const isNotSet =
        error instanceof ControlRefusal && error.code === 'MOMO_MOCK_BALANCE_NOT_SET';
      if (isNotSet) return { balance: null };
      throw error;
    }
  }),
  responses: ofScope(async (client, account) => {
    const call = { method: 'GET', path: '/responses', account } as const;
    return client.json<{ responses: ScriptedResponse[] }>(call);
  }),
} satisfies Readonly<Record<string, Loader>>;

/** Something that can be loaded. */
export type Loadable = keyof typeof LOADERS;

/** Loads a part of what is configured: for all accounts, and for the one that is chosen. */
function ofScope(
  load: (client: ControlClient, account?: string) => Promise<Partial<ScopeState>>,
): Loader {
  return async (client, { scope }) => {
    const [service, own] = await Promise.all([
      load(client),
      scope === null ? null : load(client, scope),
    ]);
    return (state) => ({
      service: { ...state.service, ...service },
      own: own && { ...(state.own ?? EMPTY_SCOPE), ...own },
    });
  };
}
