import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ask, control } from '../support/client.ts';
import { FREE_PORTS, spawnCommand, usedFolder } from '../support/command.ts';
import { describeUnless, missing } from '../support/machine.ts';
import { startMock } from '../support/mock.ts';
import { freePort, slowly, startRedis } from '../support/redis-server.ts';
import { runMock } from '../support/running-mock.ts';

describeUnless(missing('redis-server'), 'a store that', () => {
  it('does not answer is a 503 of the service and of the control API, until it does', async () => {
    const server = await startRedis(onTestFinished);
    const mock = await runMock({ STORE_URL: server.url, CLIENT_TIMEOUT: '30000' }, { own: true });
    const get = (key = 'good') => mock.get(`/momo/balance?apikey=${key}`);
    expect((await get()).status).toBe(200);
    expect((await control(mock, 'GET /requests')).json).toMatchObject({ total: 1 });
    await server.stop();
    for (const key of ['good', 'bad', '']) {
      const { status, body } = await get(key);
      expect([status, JSON.parse(body).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    }
    for (const line of ['GET /health', 'GET /requests', 'PUT /balance', 'POST /reset']) {
      const sent = line.startsWith('PUT') ? { body: {} } : {};
      expect(await control(mock, line, sent)).toMatchObject({
        status: 503,
        json: {
          error: {
            code: 'MOMO_MOCK_STORE_UNAVAILABLE',
            message: expect.stringMatching(
              /^Failed to use the store: it does not respond( \(E[A-Z]+\))?\. Check that it runs, and MOMO_MOCK_STORE_URL\.$/,
            ),
          },
        },
      });
    }
    const refused = mock.records.filter(({ reason }) => reason === 'store-unavailable');
    expect(refused).toHaveLength(3);
    expect(refused[0]?.hint).toContain('MOMO_MOCK_STORE_URL');
    await startRedis(onTestFinished, '--port', new URL(server.url).port);
    // It has lost its data, and has the configured keys again.
    await expect.poll(async () => (await get()).status).toBe(200);
    const served = await control(mock, 'GET /requests?status=200');
    expect(served.json).toMatchObject({ total: 1 });
    expect((await control(mock, 'GET /health')).status).toBe(200);
  });

  it('hangs holds no request for long, and what it was asked is not asked again', async () => {
    const server = await startRedis(onTestFinished);
    const options = { storeUrl: server.url, control: true };
    const [mock, other] = [await startMock({}, options), await startMock({}, options)];
    await mock.respondWith({ status: 500, times: 3 });
    server.pause();
    expect((await ask(mock)).status).toBe(503);
    server.resume();
    const statuses: (number | undefined)[] = [];
    await expect
      .poll(async () => {
        const { status } = await ask(other);
        if (status !== 503) statuses.push(status);
        return status;
      })
      .toBe(200);
    // One may have been taken for the request that was 503; then nobody gets it.
    const given = statuses.length - 1;
    expect([2, 3]).toContain(given);
    expect(statuses).toEqual([...Array(given).fill(500), 200]);
  });

  it('is far away is as exact as one that is near', async () => {
    const server = await startRedis(onTestFinished);
    const storeUrl = await slowly(server.url, 300, onTestFinished);
    const [far, near] = [
      await startMock({}, { storeUrl, control: true }),
      await startMock({}, { storeUrl: server.url, control: true }),
    ];
    await far.respondWith({ status: 503, times: 5 });
    const asked = Array.from({ length: 10 }, (_, n) => ask(n % 2 ? far : near));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(5);
    await near.state.set('n', 1);
    expect(await far.state.get('n')).toBe(1);
    expect(await far.requests({ waitFor: 10, ended: true })).toHaveLength(10);
    await near.verify({ times: 10 });
  });

  it('is full refuses what is written, and says why', async () => {
    const server = await startRedis(onTestFinished, '--maxmemory', '3mb');
    const mock = await startMock({}, { storeUrl: server.url, control: true });
    const large = 'x'.repeat(500_000);
    const write = async () => {
      for (let n = 0; n < 20; n++) await mock.state.set(`n${n}`, large);
    };
    await expect(write()).rejects.toMatchObject({
      code: 'MOMO_MOCK_STORE_UNAVAILABLE',
      message: expect.stringContaining('it refused the command (OOM)'),
    });
  });

  it.each(['valkey', 'redis'])(
    'needs a password gets that of the %s:// URL, which nothing shows',
    async (scheme) => {
      const { url } = await startRedis(onTestFinished, '--requirepass', 'sekret-4711');
      const own = url.replace('redis://', `${scheme}://:sekret-4711@`);
      const mock = await runMock({ STORE_URL: `${own}/3` }, { own: true });
      expect((await mock.get('/momo/balance?apikey=good')).status).toBe(200);
      const shown = [await control(mock, 'GET /'), await control(mock, 'GET /health')];
      expect(JSON.stringify([shown, mock.records])).not.toContain('sekret');
    },
  );

  it('is reached over TLS, or ends the start after ten seconds with the reason, without its password', async () => {
    const cwd = await usedFolder();
    const certificate = join(cwd, 'certs/momo-mock.pem');
    const key = join(cwd, 'certs/momo-mock-key.pem');
    const tlsPort = `${await freePort()}`;
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key];
    const tls = ['--tls-port', tlsPort, '--tls-auth-clients', 'no', ...files];
    const { url } = await startRedis(onTestFinished, '--requirepass', 'good', ...tls);
    const start = (storeUrl: string, env = {}) =>
      spawnCommand(FREE_PORTS, { cwd, env: { ...env, MOMO_MOCK_STORE_URL: storeUrl } });
    const overTls = `rediss://:good@localhost:${tlsPort}`;

    const trusting = await start(overTls, { NODE_EXTRA_CA_CERTS: certificate });
    expect((await control(await trusting.ready, 'GET /health')).status).toBe(200);
    const refused = {
      [overTls]: 'does not respond (DEPTH_ZERO_SELF_SIGNED_CERT)',
      [url.replace('redis://', 'redis://:sekret@')]: 'refused the command (WRONGPASS)',
      [`redis://:sekret@127.0.0.1:${await freePort()}`]: 'does not respond (ECONNREFUSED)',
    };
    const starts = Object.entries(refused).map(async ([storeUrl, problem]) => {
      const { code, stderr } = await (await start(storeUrl)).ended;
      expect(stderr).toContain(`Failed to use the store: it ${problem}.`);
      expect(stderr).not.toMatch(/sekret|good/);
      expect(code).toBe(1);
    });
    await Promise.all(starts);
  });

  it('has data of another version is not used', async () => {
    const { url, send } = await startRedis(onTestFinished);
    await send('SET', 'momo-mock:format', '0');
    await expect(startMock({}, { storeUrl: url })).rejects.toMatchObject({
      code: 'MOMO_MOCK_STORE_FORMAT',
      message: expect.stringContaining('delete the keys that begin with "momo-mock:"'),
    });
    await startMock({}, { storeUrl: url, storeName: 'other' });
  });

  it('is shared with a process that was killed has its accounts, and counts its timers as lost', async () => {
    const { url, send } = await startRedis(onTestFinished);
    const files = {
      'momo/later.post.js':
        'export default (_, { after }) => { after(1e9, () => {}); after(2e9, () => {}); };',
    };
    const mock = await startMock(files, { storeUrl: url, control: true });
    const args = ['--port', '0', '--control-port', '0', '--fixtures-dir', mock.folder];
    const env = { MOMO_MOCK_STORE_URL: url, MOMO_MOCK_API_KEYS: 'of-the-other' };
    const { child, ready, ended, output } = await spawnCommand(args, { env });
    const { url: otherUrl } = await ready;
    await expect.poll(output).toMatch(/"store":"momo-mock","lost":0,.*Timers run in the process/);
    const ca = await (await fetch(`${(await ready).controlUrl}/certificate`)).text();
    const other = { url: otherUrl, ca, apikey: 'of-the-other' };
    expect((await ask(other, '/momo/later', { method: 'POST' })).status).toBe(200);
    // The sign of life of each second says how many timers there are.
    const timers = () => send('HVALS', 'momo-mock:timers');
    await expect.poll(timers).toContain('2');
    child.kill('SIGKILL');
    await ended;
    await expect
      .poll(async () => (await control(mock, 'GET /clock')).json)
      .toMatchObject({ lost: 2 });
    expect((await ask({ ...mock, apikey: 'of-the-other' })).status).toBe(200);
    await mock.advance(1000);
  });

  it('keeps its data as long as STORE_TTL says after the last process', async () => {
    const { url, send } = await startRedis(onTestFinished);
    const ttls = async () => {
      const keys = (await send('KEYS', '*')) as string[];
      return await Promise.all(keys.map(async (key) => Number(await send('PTTL', key))));
    };
    const mock = await startMock({}, { storeUrl: url, storeTtl: 60_000, control: true });
    await mock.respondWith({ status: 503 });
    for (const ttl of await ttls()) expect(ttl).toBeGreaterThan(0);
    await mock.close();
    for (const ttl of await ttls()) {
      expect(ttl).toBeGreaterThan(0);
      expect(ttl).toBeLessThanOrEqual(60_000);
    }
    const again = await startMock({}, { storeUrl: url, control: true });
    expect((await ask(again)).status).toBe(503);
  });
});
