import { closed, MomoMockError } from '../errors.ts';
import { drillIn, type MomoDrill } from '../mock/operations/drill-file.ts';
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
      await server.handle(operation, handler, server.mock.account(key));
    },
    end: async () => {
      closing.abort();
      await end();
    },
    redirects,
  });
  DRILLS.set(mock, () => drillIn(server.mock.tree, 'run the drill'));
  return mock;
}

const DRILLS = new WeakMap<MomoMock, () => Promise<MomoDrill>>();

/**
 * What the fixtures of a mock say of their provider.
 *
 * @throws MomoMockError `MOMO_MOCK_FIXTURE_INVALID`
 */
export async function drillOf(mock: MomoMock): Promise<MomoDrill> {
  const read = DRILLS.get(mock);
  if (read !== undefined) return await read();
  const text = 'Failed to run the drill: the mock runs elsewhere. Start it with startMomoMock().';
  throw new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
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
