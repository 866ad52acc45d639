import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import { connectMomoMock } from '../support/momo-mock.ts';

const increase = (n = 0) => n + 1;
const COUNT =
  "export default (_request, { state }) => state.update('n', (n = 0) => n + 1).then(() => undefined);";

/** A mock whose handlers count, and two clients that are connected to it. */
async function connected() {
  // Without a key, a handler has the state of all accounts.
  const files = { 'momo/count.get.js': COUNT, 'errors/401.js': COUNT };
  const mock = await startMock(files, { control: true });
  const connect = async () => {
    const client = await connectMomoMock(`${mock.controlUrl}`);
    onTestFinished(() => client.close());
    return client;
  };
  return { mock, clients: [await connect(), await connect()] as const };
}

it('two clients and a handler lose no change at the same time', async () => {
  const { mock, clients } = await connected();
  const [one, two] = clients;
  const asked = Array.from({ length: 50 }, () => [
    one.state.update('n', increase),
    two.state.transaction((draft) => draft.set('n', increase(draft.get('n')))),
    ask({ ...mock, apiKey: 'wrong' }, '/momo/count'),
  ]);
  await Promise.all(asked.flat());
  expect(await mock.state.get('n')).toBe(150);
});

it('a client and a handler lose no change in the state of an account', async () => {
  const { clients } = await connected();
  const account = await clients[0].createAccount({ state: { n: 0 } });
  const asked = Array.from({ length: 50 }, () => [
    account.state.update('n', increase),
    ask(account, '/momo/count'),
  ]);
  await Promise.all(asked.flat());
  expect(await account.state.get('n')).toBe(100);
});

it('a client runs its function again if the state has changed since it was read', async () => {
  const { mock, clients } = await connected();
  const [{ state }] = clients;
  for (const run of [
    (work: (value: unknown) => unknown) => state.update('a', work),
    (work: (value: unknown) => unknown) =>
      state.transaction((draft) => draft.set('a', work(draft.get('a')))),
  ]) {
    await mock.state.set('a', 1);
    const seen: unknown[] = [];
    await run((value) => {
      seen.push(value);
      // In the same process, so it has happened before the write is sent.
      if (seen.length === 1) void mock.state.set('a', 5);
      return Number(value) + 1;
    });
    expect([seen, await state.get('a')]).toEqual([[1, 5], 6]);
  }
  const seen: unknown[] = [];
  const first = await state.update('new', (value) => {
    if (seen.push(value) === 1) void mock.state.set('new', 'of another');
    return value ?? 'mine';
  });
  expect([first, seen]).toEqual(['of another', [undefined, 'of another']]);
});

it('a client that sees a key as [redacted] does not write it back so', async () => {
  const { mock, clients } = await connected();
  const account = await clients[0].createAccount();
  const value = { token: account.apiKey, n: 1 };
  await account.state.set('kept', value);
  const redacted = { name: 'MomoMockError', code: 'MOMO_MOCK_STATE_REDACTED' };
  const add = account.state.update('kept', (old) => ({ ...old, n: 2 }));
  await expect(add).rejects.toMatchObject(redacted);
  const move = account.state.transaction((draft) => {
    draft.set('moved', draft.get('kept'));
    draft.delete('kept');
  });
  await expect(move).rejects.toMatchObject(redacted);
  await account.state.update('kept', (old) => ({ token: account.apiKey, n: old.n + 1 }));
  expect(await account.state.get('kept')).toEqual({ token: '[redacted]', n: 2 });
  expect(await mock.state.list()).toEqual({});
});

it('a client writes several long values at once', async () => {
  const { state } = (await connected()).clients[0];
  const long = 'x'.repeat(1_048_574);
  await state.transaction((draft) => {
    for (const name of ['a', 'b', 'c']) draft.set(name, long);
  });
  expect(Object.keys(await state.list())).toEqual(['a', 'b', 'c']);
  expect(await state.update('a', (value) => value)).toBe(long);
});

/** A client of a control API whose state is another one each time, and the calls that it made. */
async function everChanging(onCall: (count: number) => void = () => {}) {
  const { ca, url } = await startMock();
  const called: string[] = [];
  const server = createServer(({ method = '', url: path }, response) => {
    if (path === '/health') return response.end(JSON.stringify({ url }));
    if (path === '/certificate') return response.end(ca);
    if (path === '/accounts') return response.end('{"apiKey":"good"}');
    called.push(method);
    onCall(called.length);
    response.setHeader('etag', `"${called.length}"`);
    const error = { code: 'MOMO_MOCK_STATE_CHANGED', message: 'It has changed.' };
    if (method === 'GET') return response.end('{}');
    return response.writeHead(412).end(JSON.stringify({ error }));
  }).listen(0, 'localhost');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const client = await connectMomoMock(
    `http://localhost:${(server.address() as AddressInfo).port}`,
  );
  return { called, client };
}

it('a client gives up after 1,000 attempts, and says so', async () => {
  const { called, client } = await everChanging();
  await expect(client.state.transaction((draft) => draft.set('a', 1))).rejects.toMatchObject({
    name: 'MomoMockError',
    code: 'MOMO_MOCK_STATE_CHANGED',
    message: expect.stringContaining('other calls changed it during each of 1,000 attempts'),
  });
  expect(called).toEqual(Array(1000).fill(['GET', 'PATCH']).flat());
});

it('a closed client stops trying', async () => {
  const { called, client } = await everChanging((count) => {
    if (count === 10) void client.close();
  });
  const closed = { code: 'MOMO_MOCK_CLOSED' };
  const writes = [1, 2].map(() => client.state.transaction((draft) => draft.set('a', 1)));
  for (const write of writes) await expect(write).rejects.toMatchObject(closed);
  expect(called.length).toBeLessThanOrEqual(12);
});
