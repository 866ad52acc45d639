import type { MemoryStore } from '../../src/mock/store/memory-store.ts';
import { isBefore, readEvent } from '../../src/redis-store/event-text.ts';
import type { RedisServer } from './redis-server.ts';
import { type RunningMock, runMock } from './running-mock.ts';

/** A mock in this process, without a store, that can have what a store has led to. */
export interface Replica {
  readonly mock: RunningMock;
  /** Forgets all that it has, and applies the snapshot and the events of the store. */
  readonly apply: () => Promise<void>;
}

/** Starts a mock whose memory applies what other processes have written to a store. */
export async function startReplica(
  server: RedisServer,
  folder: string,
  apikey: string,
): Promise<Replica> {
  const mock = await runMock({ FIXTURES_DIR: folder, API_KEYS: apikey });
  const { memory } = mock.mock.store as MemoryStore;
  await memory.loadScripts();
  const apply = async () => {
    const head = `${await server.send('GET', 'momo-mock:head')}`;
    const pieces = (await server.send('LRANGE', 'momo-mock:snapshot', '0', '-1')) as string[];
    const events = (await server.send('XRANGE', 'momo-mock:events', '-', '+')) as [
      id: string,
      fields: string[],
    ][];
    const [epoch = '', , position = ''] = head.split(' ');
    memory.epoch = epoch;
    memory.load(pieces.flatMap((piece) => piece.split('\n')));
    for (const [id, fields] of events) {
      const event = readEvent(epoch, fields);
      if (event === undefined || !isBefore(position, id)) continue;
      try {
        memory.apply(event);
      } catch {
        // Refused for all.
      }
    }
  };
  return { mock, apply };
}
