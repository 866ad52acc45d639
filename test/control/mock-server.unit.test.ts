import { once } from 'node:events';
import { type AddressInfo, createServer, Server } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { writeFiles } from '../support/fixture-folder.ts';
import { startServer, type TestServer } from '../support/mock.ts';

/** A fixture tree of one file. */
describe('a reset', () => {
  test('of one account leaves the certificate as it is', async () => {
    const mock = await startServer();
    await mock.tls.set('expired');
    await mock.reset(mock.mock.account('good'));
    expect(mock.tls.mode).toBe('expired');
  });

  test('of everything restores the valid certificate', async () => {
    const mock = await startServer();
    await mock.tls.set('expired');
    await mock.reset(mock.all);
    expect(mock.tls.mode).toBe('normal');
  });
});

describe('a reader of events', () => {
  /** Waits until the events of a mock have told of a change. */
  async function told({ mock }: TestServer, wanted: string): Promise<string> {
    for await (const { changes } of mock.feed.read({}, new AbortController().signal))
      if (changes.includes(wanted)) return wanted;
    throw new Error('the events ended');
  }

  test('receives a change of the fixtures', async () => {
    const file = 'momo/balance.get.json';
    const mock = await startServer({ [file]: { balance: [] } });
    const change = told(mock, 'fixtures');
    writeFiles(mock.folder, { [file]: { balance: [1] } });
    expect(await change).toBe('fixtures');
  });

  test('receives a change of the health for an uncaught error', async () => {
    const mock = await startServer();
    const change = told(mock, 'health');
    mock.reportUncaught(new Error('nobody caught it'));
    expect(await change).toBe('health');
  });

  test('receives a change of the certificate', async () => {
    const mock = await startServer();
    const change = told(mock, 'tls');
    await mock.tls.set('untrusted');
    expect(await change).toBe('tls');
  });
});

describe('a startup', () => {
  test('that cannot open the port of its control API leaves no port open', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const listen = vi.spyOn(Server.prototype, 'listen');
    const { port } = other.address() as AddressInfo;
    const start = startServer({}, { CONTROL_HOST: '127.0.0.1', CONTROL_PORT: `${port}` });
    await expect(start).rejects.toMatchObject({ code: 'MOMO_MOCK_PORT_IN_USE' });
    const servers = listen.mock.contexts as Server[];
    expect(servers.length).toBeGreaterThan(1);
    expect(servers.filter(({ listening }) => listening)).toEqual([]);
  });

  test('shows no key in an error about a fixture', async () => {
    const key = 'sekret-key';
    const files = { 'momo/balance.get.schema.json': { enum: [key] } };
    const start = startServer(files, { API_KEYS: key });
    await expect(start).rejects.toMatchObject({
      code: 'MOMO_MOCK_FIXTURE_INVALID',
      message: expect.stringContaining('the allowed values (["[redacted]"])'),
    });
  });
});

test('a mock closes its control API with itself', async () => {
  const mock = await startServer();
  const { controlUrl } = mock;
  await mock.close();
  await expect(fetch(`${controlUrl}/health`)).rejects.toThrow();
});
