import { closed, MomoMockError } from '../errors.ts';
import { drillIn, type LedgerEntry, type MomoDrill } from '../mock/ledger/momo-drill.ts';
import type { MomoState } from '../mock/state/state.ts';
import type { MockServer } from '../server/mock-server.ts';
import type { Config } from '../settings/config.ts';
import { openClient, type Send } from './client.ts';
import type { MomoMock, RedirectOptions } from './momo-mock.ts';

/** @param end called once, when the client is closed */
export async function openServer(
  server: MockServer,
  config: Config,
  redirects: RedirectOptions,
  end: () => Promise<void>,
): Promise<MomoMock> {
  const { url, controlUrl } = server;
  const { cert, file } = server.certificate;
  const closing = new AbortController();
  const checkOpen = () => {
    if (closing.signal.aborted) throw closed();
  };
  const apiKey = config.keys[0]?.key ?? '';
  // A reset or a snapshot does not change the id of a configured account.
  const { id = '' } = server.mock.account(apiKey);
  const mock = await openClient({
    url,
    controlUrl,
    apiKey,
    id: () => id,
    ca: cert,
    caFile: file,
    send: localSend(server, closing.signal, checkOpen),
    stateOf: (key) => () => {
      checkOpen();
      return server.mock.account(key).redactedState;
    },
    handle: async (operation, handler, key) => {
      checkOpen();
      server.handle(operation, handler, server.mock.account(key));
    },
    end: async () => {
      closing.abort();
      await end();
    },
    redirects,
  });
  INSIDES.set(mock, {
    drill: () => drillIn(server.mock.tree, 'run the drill'),
    account: (key) => {
      checkOpen();
      // A reset and a restore replace it.
      const current = () => server.mock.account(key);
      return {
        get state() {
          return current().state;
        },
        ledger: async () => {
          // Loaded on demand, because only a drill needs it.
          const { rawLedgerOf } = await import('../mock/ledger/ledger.ts');
          return await rawLedgerOf(current(), server.mock);
        },
      };
    },
  });
  return mock;
}

/** What only the drill may know of a mock. */
interface Insides {
  readonly drill: () => Promise<MomoDrill>;
  readonly account: (key: string) => RawAccount;
}

/** An account with its secrets, as handlers see it. */
export interface RawAccount {
  readonly state: MomoState;
  readonly ledger: () => Promise<LedgerEntry[]>;
}

const INSIDES = new WeakMap<MomoMock, Insides>();

function insidesOf(mock: MomoMock): Insides {
  const insides = INSIDES.get(mock);
  if (insides !== undefined) return insides;
  const text = 'Failed to run the drill: the mock runs elsewhere. Start it with startMomoMock().';
  throw new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
}

/** What the fixtures of a mock say of their provider. */
export async function drillOf(mock: MomoMock): Promise<MomoDrill> {
  return await insidesOf(mock).drill();
}

/**
 * An account as the drill judges it: a key that is a word, such as an amount, must not change a verdict. What
 * is shown of it has to be redacted.
 */
export function rawAccountOf(mock: MomoMock, apiKey: string): RawAccount {
  return insidesOf(mock).account(apiKey);
}

/** @param signal aborted when the mock closes, which ends the calls */
function localSend(server: MockServer, signal: AbortSignal, checkOpen: () => void): Send {
  return async (name, { apiKey, params = {}, query, json = '' } = {}) => {
    // Loaded on demand, because most tests only start and close a mock.
    const [{ perform }, { ROUTES }] = await Promise.all([
      import('../control/perform.ts'),
      import('../control/routes.ts'),
    ]);
    checkOpen();
    const call = {
      apiKey,
      params,
      query: JSON.parse(JSON.stringify(query ?? {})),
      bytes: Buffer.from(json),
      headers: {},
      signal,
    };
    const result = await perform(ROUTES[name], server, call).finally(checkOpen);
    return JSON.parse(JSON.stringify(result ?? {}));
  };
}
