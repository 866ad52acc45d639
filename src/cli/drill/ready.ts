import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bareHost } from '../../tls/names.ts';
import { sendCall } from './http-call.ts';
import type { ProcessGroup } from './process-group.ts';

/** How long the start of an application may take, in ms. */
const START_LIMIT = 120_000;
const CHECK_INTERVAL = 50;
/** How long one check may take, in ms. */
const CHECK_LIMIT = 5000;

/**
 * Waits until a started application is ready.
 *
 * @param asks whether the URL has to respond with a status below 500. Otherwise its port has to accept
 *   connections
 * @throws Error with the end of a sentence
 */
export async function waitUntilReady(
  group: ProcessGroup,
  url: string,
  asks: boolean,
  signal: AbortSignal,
): Promise<void> {
  const isReady = async () => {
    if (!asks) return await accepts(url);
    const response = await sendCall({ url, method: 'GET' }, {}, CHECK_LIMIT, signal).catch(
      () => {},
    );
    return response !== undefined && response.status < 500;
  };
  for (const since = performance.now(); ; await sleep(CHECK_INTERVAL)) {
    const isDone = await isReady();
    if (group.end !== undefined) throw new Error(group.end);
    if (signal.aborted) throw new Error('the drill was stopped');
    if (isDone) return;
    if (performance.now() - since > START_LIMIT) {
      const what = asks ? 'responded with a status below 500' : 'accepted connections';
      throw new Error(`nothing at ${url} ${what} within ${START_LIMIT / 1000} s`);
    }
  }
}

/** Whether anything accepts connections at the host and port of a URL. */
export async function accepts(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const host = bareHost(hostname);
  const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
  socket.setTimeout(CHECK_LIMIT, () => socket.destroy(new Error('timeout')));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
