import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Over } from './fixture-folder.ts';

/** Which connections of a mock to a store: those for commands, or the one that waits for events. */
export type Which = 'commands' | 'events';

/** A way to a store that a test can break. */
export interface StoreProxy {
  readonly url: string;
  /** Ends all connections, and refuses new ones until {@link mend}. */
  cut(): void;
  /** Passes nothing on from now on, with the connections open. @param which default: all */
  stall(which?: Which): void;
  /** How many connections a mock has opened. */
  readonly opened: number;
  /** Passes on what has waited, and accepts connections again. */
  mend(): void;
  /** Works for new connections. Those that are stalled stay so. */
  mendNew(): void;
  /** Ends connections as soon as they send something: those with these numbers, from 1. */
  breakAt(numbers: readonly number[]): void;
}

/** Starts a proxy in front of a store. */
export async function storeProxy(target: string, over: Over): Promise<StoreProxy> {
  const { port, username, password } = new URL(target);
  const pairs = new Set<{ client: Socket; upstream: Socket; which: Which }>();
  let isCut = false;
  let stalled: readonly Which[] = [];
  let broken: readonly number[] = [];
  let count = 0;
  const server = createServer((client) => {
    if (isCut) {
      client.resetAndDestroy();
      return;
    }
    const number = ++count;
    const upstream = connect(Number(port), '127.0.0.1');
    const pair = { client, upstream, which: 'commands' as Which };
    pairs.add(pair);
    client.on('data', (data) => {
      if (broken.includes(number)) {
        client.resetAndDestroy();
        return;
      }
      if (/\bBLOCK\b/i.test(data.toString('latin1'))) {
        pair.which = 'events';
        if (stalled.includes('events')) upstream.pause();
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => client.write(data));
    if (stalled.includes('commands')) upstream.pause();
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    isCut = true;
    for (const { client } of pairs) client.resetAndDestroy();
  };
  over(() => {
    cut();
    server.close();
  });
  const credentials = password === '' ? '' : `${username}:${password}@`;
  const { port: own } = server.address() as { port: number };
  return {
    url: `redis://${credentials}127.0.0.1:${own}`,
    cut,
    stall: (which) => {
      stalled = which === undefined ? ['commands', 'events'] : [which];
      for (const pair of pairs) if (stalled.includes(pair.which)) pair.upstream.pause();
    },
    get opened() {
      return count;
    },
    mendNew: () => {
      stalled = [];
    },
    mend: () => {
      isCut = false;
      stalled = [];
      for (const { upstream } of pairs) upstream.resume();
    },
    breakAt: (numbers) => {
      broken = numbers;
    },
  };
}
