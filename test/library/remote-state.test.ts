import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectMomoMock } from '../../src/library/connect-momo-mock.ts';
import type { MomoMock } from '../../src/library/momo-mock.ts';
import { RemoteControl } from '../../src/library/remote-send.ts';
import { remoteState } from '../../src/library/remote-state.ts';
import type { State } from '../../src/mock/state/state.ts';
import { runTree } from '../handlers/run-tree.ts';

const increase = (n = 0) => n + 1;
const COUNT = "(_, { state }) => state.update('n', (n = 0) => n + 1).then(() => undefined)";

/** A mock whose handlers count, and two clients that are connected to it. */
async function connected() {
  const mock = await runTree({
    'momo/count.get.js': `export default async ${COUNT};`,
    // Without a key, a handler has the state of the service.
    'errors/401.js': `export default async ${COUNT};`,
    'momo/kept.get.js':
      "export default async (_, { state }) => ({ body: { kept: await state.get('kept') } });",
  });
  const connect = () => connectMomoMock(`${mock.controlUrl}`);
  const clients: [MomoMock, MomoMock] = [await connect(), await connect()];
  onTestFinished(async () => {
    for (const client of clients) await client.close();
  });
  return { mock, clients };
}

describe('update and transaction over HTTP', () => {
  it('lose no change of two clients and a handler at the same time', async () => {
    const { mock, clients } = await connected();
    const [one, two] = clients;
    const asked = Array.from({ length: 50 }, () => [
      one.state.update('n', increase),
      two.state.transaction((draft) => draft.set('n', increase(draft.get('n')))),
      mock.get('/momo/count').then(({ status }) => expect(status).toBe(401)),
    ]);
    await Promise.all(asked.flat());
    expect(await one.state.get('n')).toBe(150);
  });

  it('lose no change of a handler in the state of its account', async () => {
    const { mock, clients } = await connected();
    const account = await clients[0].createAccount({ state: { n: 0 } });
    const asked = Array.from({ length: 50 }, () => [
      account.state.update('n', increase),
      mock.get(`/momo/count?apikey=${account.apikey}`),
    ]);
    await Promise.all(asked.flat());
    expect(await account.state.get('n')).toBe(100);
  });

  it('run the function again if the state has changed since it was read', async () => {
    const { mock, clients } = await connected();
    const [{ state }] = clients;
    for (const run of [
      (work: (value: unknown) => unknown) => state.update('a', work),
      (work: (value: unknown) => unknown) =>
        state.transaction((draft) => draft.set('a', work(draft.get('a')))),
    ]) {
      await state.set('a', 1);
      const seen: unknown[] = [];
      await run((value) => {
        seen.push(value);
        // In the same process, so it has happened before the write is sent.
        if (seen.length === 1) void mock.controller.state(undefined).set('a', 5);
        return Number(value) + 1;
      });
      expect(seen).toEqual([1, 5]);
      expect(await state.get('a')).toBe(6);
    }
  });

  it('write a value that nobody else has made in the meantime', async () => {
    const { mock, clients } = await connected();
    const [{ state }] = clients;
    const seen: unknown[] = [];
    const first = await state.update('new', (value) => {
      if (seen.push(value) === 1) void mock.controller.state(undefined).set('new', 'of another');
      return value ?? 'mine';
    });
    expect([first, seen]).toEqual(['of another', [undefined, 'of another']]);
  });

  it('do not write a key as it is shown: [redacted]', async () => {
    const { mock, clients } = await connected();
    const account = await clients[0].createAccount();
    const kept = async () =>
      JSON.parse((await mock.get(`/momo/kept?apikey=${account.apikey}`)).body).kept;
    const value = { token: account.apikey, n: 1 };
    await account.state.set('kept', value);
    const redacted = { name: 'MomoMockError', code: 'MOMO_MOCK_STATE_REDACTED' };
    const add = account.state.update('kept', (old) => ({ ...old, n: 2 }));
    await expect(add).rejects.toMatchObject(redacted);
    const move = account.state.transaction((draft) => {
      draft.set('moved', draft.get('kept'));
      draft.delete('kept');
    });
    await expect(move).rejects.toMatchObject(redacted);
    expect(await kept()).toEqual(value);
    await account.state.update('kept', (old) => ({ token: account.apikey, n: old.n + 1 }));
    expect(await kept()).toEqual({ ...value, n: 2 });
  });

  it('write several long values at once', async () => {
    const { clients } = await connected();
    const [{ state }] = clients;
    const long = 'x'.repeat(1_048_574);
    await state.transaction((draft) => {
      for (const name of ['a', 'b', 'c']) draft.set(name, long);
    });
    expect((await state.list()).map(([name]) => name)).toEqual(['a', 'b', 'c']);
    expect(await state.update('a', (value) => value)).toBe(long);
  });
});

/** A control API whose state is another one each time, and the methods that it was called with. */
async function everChanging(onCall: (count: number) => void = () => {}) {
  const called: string[] = [];
  const server = createServer(({ method = '' }, response) => {
    called.push(method);
    onCall(called.length);
    response.setHeader('etag', `"${called.length}"`);
    const error = { code: 'MOMO_MOCK_STATE_CHANGED', message: 'It has changed.' };
    if (method === 'GET') response.end('{}');
    else response.writeHead(412).end(JSON.stringify({ error }));
  }).listen(0, 'localhost');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const control = new RemoteControl(new URL(`http://localhost:${port}`), undefined);
  return { called, control, state: remoteState(control) as State };
}

it('gives up after 1,000 attempts, and says so', async () => {
  const { called, state } = await everChanging();
  await expect(state.transaction((draft) => draft.set('a', 1))).rejects.toMatchObject({
    name: 'MomoMockError',
    code: 'MOMO_MOCK_STATE_CHANGED',
    message: expect.stringContaining('others changed it at each of 1,000 attempts'),
  });
  expect(called).toEqual(Array(1000).fill(['GET', 'PATCH']).flat());
}, 30_000);

it('stops to try when it is closed', async () => {
  const { control, called, state } = await everChanging((count) => {
    if (count === 10) control.close();
  });
  const closed = { code: 'MOMO_MOCK_CLOSED' };
  const writes = [1, 2].map(() => state.transaction((draft) => draft.set('a', 1)));
  for (const write of writes) await expect(write).rejects.toMatchObject(closed);
  expect(called).toHaveLength(10);
});
