import { execFile } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask } from '../support/client.ts';
import { describeBothWays, startMock } from '../support/mock.ts';
import { connectMomoMock, type MomoMock } from '../support/momo-mock.ts';

const PACKAGE = new URL('../../dist/index.js', import.meta.url);

/** Whether a key opens anything. */
const isGood = (mock: MomoMock) =>
  ask(mock).then(
    ({ status }) => status === 200,
    () => false,
  );

describeBothWays((open) => {
  it('a mock is closed at the end of its using block', async () => {
    let left: MomoMock;
    {
      await using mock = await open();
      left = mock;
      expect(await isGood(left)).toBe(true);
    }
    expect(await isGood(left)).toBe(false);
  });

  it('a mock can be closed twice, and while a response hangs', async () => {
    const end = new AbortController();
    onTestFinished(() => end.abort());
    const mock = await open();
    await mock.respondWith({ fault: 'hang' });
    ask(mock, undefined, { signal: end.signal }).catch(() => {});
    await mock.requests({ waitFor: 1 });
    await Promise.all([mock.close(), mock.close()]);
    await mock.close();
  });

  it('a closed mock fails with a clear error, even for calls that were waiting', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    // In one call: a longer wait is divided into several.
    const timeout = 30_000;
    const waiting = [
      mock.requests({ waitFor: 1, timeout }),
      mock.verify({}, { timeout }),
      account.verify([{}], { timeout }),
      mock.webhooks({ waitFor: 1, timeout }),
      mock.verifyWebhooks({}, { timeout }),
    ].map((wait) =>
      wait.then(
        () => 'over',
        (error) => error,
      ),
    );
    // Those before it wait by the time it has ended.
    const isOver = { code: 'MOMO_MOCK_NOT_VERIFIED' };
    await expect(mock.verify({})).rejects.toMatchObject(isOver);
    await expect(mock.verifyWebhooks({})).rejects.toMatchObject(isOver);
    await mock.close();
    const closed = { code: 'MOMO_MOCK_CLOSED', message: expect.stringContaining('was closed.') };
    for (const error of await Promise.all(waiting)) expect(error).toMatchObject(closed);
    const calls = [
      () => mock.setBalance({}),
      () => mock.requests(),
      () => mock.setTls('expired'),
      () => mock.state.get('a'),
      () => mock.reset(),
      () => mock.createAccount(),
      () => account.respondWith({}),
      () => mock.sendWebhook({ url: 'x' }),
      () => account.remove(),
    ];
    for (const call of calls) await expect(call(), `${call}`).rejects.toMatchObject(closed);
  });
});

it('a server that closes ends the waits of a connection with the error of a closed mock', async () => {
  const server = await startMock({}, { control: true });
  const mock = await connectMomoMock(`${server.controlUrl}`);
  const timeout = 30_000;
  let started = 0;
  const count = () => void started++;
  subscribe('http.server.request.start', count);
  onTestFinished(() => void unsubscribe('http.server.request.start', count));
  const waiting = [
    mock.requests({ waitFor: 1, timeout }),
    mock.verify({}, { timeout }),
    mock.webhooks({ waitFor: 1, timeout }),
    mock.verifyWebhooks({}, { timeout }),
  ].map((wait) => expect(wait).rejects.toMatchObject({ code: 'MOMO_MOCK_CLOSED' }));
  await expect.poll(() => started).toBe(waiting.length);
  // Those before it wait by the time it has ended.
  await expect(mock.verify({})).rejects.toMatchObject({ code: 'MOMO_MOCK_NOT_VERIFIED' });
  await server.close();
  await Promise.all(waiting);
  await mock.close();
});

it('a connection can be closed after the server is gone', async () => {
  const server = await startMock({}, { control: true });
  const mock = await connectMomoMock(`${server.controlUrl}`);
  await server.close();
  await expect(mock.close()).resolves.toBeUndefined();
});

describe('a process ends by itself', () => {
  it.each<[string, string]>([
    ['the server in it', 'const mock = server;'],
    ['a connection to it', 'const mock = await connectMomoMock(server.controlUrl);'],
  ])('after it closed %s, whatever was in progress', async (_what, line) => {
    const code = `
      import { once } from 'node:events';
      import { get } from 'node:https';
      import { connectMomoMock, startMomoMock } from '${PACKAGE}';
      const server = await startMomoMock({ control: true });
      ${line}
      const target = mock.url + '/momo/balance?apikey=' + mock.apiKey;
      const [incoming] = await once(get(target, { agent: mock.agent }), 'response');
      for await (const chunk of incoming) void chunk;
      await mock.respondWith({ fault: 'hang' });
      get(target, { ca: mock.ca }).on('error', () => {});
      await mock.requests({ waitFor: 2 });
      mock.requests({ waitFor: 3, timeout: 600_000 }).catch(() => {});
      await mock.close();
      await server.close();
      console.log('closed');`;
    const args = ['--input-type=module', '-e', code];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    expect({ stdout, stderr }).toEqual({ stdout: 'closed\n', stderr: '' });
  });
});
