import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, control } from '../support/client.ts';
import { FREE_PORTS, spawnCommand } from '../support/command.ts';
import { type Files, writeFiles } from '../support/fixture-folder.ts';
import { describeUnless, missing } from '../support/machine.ts';
import { forSuite, type LocalTestMock, startMock } from '../support/mock.ts';
import { connectMomoMock, type StartOptions, startMomoMock } from '../support/momo-mock.ts';
import { startRedis } from '../support/redis-server.ts';
import { storeProxy } from '../support/store-proxy.ts';
import { NOTIFY, SLOW, startHeldWebhook } from '../support/webhook.ts';

const FILES = {
  ...NOTIFY,
  ...SLOW,
  'momo/later.post.js': `export default ({ body }, { after, state }) => {
    after(body.ms, async () => {
      if (body.url) await fetch(body.url);
      if (body.name) await state.set(body.name, true);
    });
  };`,
  'momo/now.get.js': 'export default (_request, { now }) => ({ body: { now: now() } });',
};
/** Its journal entry is so long that a few of them make the store drop older events. */
const LONG = { method: 'POST', body: 'x'.repeat(60_000) };

describeUnless(missing('redis-server'), 'processes with one store', () => {
  const server = forSuite((over) => startRedis(over));
  let names = 0;

  /** Two mocks that are one, the first behind a proxy that a test can break. */
  async function two(options: StartOptions = {}, files: Files = FILES, url = server().url) {
    const proxy = await storeProxy(url, onTestFinished);
    const shared = { storeName: `two-${++names}`, control: true, ...options };
    const one = await startMock(files, { ...shared, storeUrl: proxy.url });
    const other = await startMock(files, { ...shared, storeUrl: url });
    return { one, other, proxy, shared, url };
  }

  const clockOf = async (mock: LocalTestMock) =>
    (await control(mock, 'GET /clock')).json as {
      now: number;
      frozen: boolean;
      pending: number;
      missing?: number;
    };
  /** A command with the same store, and a client of it. */
  async function spawnOther({ folder, apikey }: LocalTestMock, storeName: string) {
    const env = {
      MOMO_MOCK_STORE_URL: server().url,
      MOMO_MOCK_STORE_NAME: storeName,
      MOMO_MOCK_API_KEYS: apikey,
    };
    const spawned = await spawnCommand([...FREE_PORTS, '--fixtures-dir', folder], { env });
    const { controlUrl } = await spawned.ready;
    return { child: spawned.child, mock: await connectMomoMock(`${controlUrl}`, { apikey }) };
  }

  /** Sends requests to a mock until the store no longer has the events until now. */
  async function dropEvents(mock: LocalTestMock, storeName: string): Promise<void> {
    const events = `${storeName}:events`;
    const first = async (...range: string[]) => {
      const [[id = ''] = []] = (await server().send(...range, 'COUNT', '1')) as [string[]];
      return id;
    };
    const newest = await first('XREVRANGE', events, '+', '-');
    await expect
      .poll(async () => {
        for (let n = 0; n < 8; n++) await ask(mock, '/momo/balance', LONG);
        await mock.requests({ waitFor: 8, limit: 1 });
        return (await first('XRANGE', events, '-', '+')) > newest;
      })
      .toBe(true);
  }

  const later = (mock: LocalTestMock, body: object) =>
    ask(mock, '/momo/later', { method: 'POST', body });

  it('that stands still misses no freeze, reset and emptied journal, and drops its timers', async () => {
    const { other, shared } = await two();
    const { child, mock: still } = await spawnOther(other, shared.storeName);
    await other.freeze();
    await ask(still, '/momo/later', { method: 'POST', body: { ms: 1000, name: 'of old' } });
    // A record that it writes only after SIGCONT would come after the deletion.
    await still.requests({ waitFor: 1, ended: true });
    expect((await control(still, 'GET /clock')).json).toMatchObject({ pending: 1 });
    child.kill('SIGSTOP');
    await other.reset();
    await other.freeze();
    await dropEvents(other, shared.storeName);
    await control(other, 'DELETE /requests');
    await ask(other);
    await other.requests({ waitFor: 1, ended: true });
    const advanced = control(other, 'POST /clock', { body: { advance: 5000 } });
    child.kill('SIGCONT');
    expect((await advanced).json).toMatchObject({ missing: 0 });
    expect((await control(still, 'GET /clock')).json).toMatchObject({
      ...{ now: (await clockOf(other)).now, frozen: true, pending: 0 },
    });
    expect(await still.requests()).toEqual(await other.requests());
    expect(await still.requests()).toHaveLength(1);
    expect(await other.state.get('of old')).toBeUndefined();
  });

  it('say again that they have run what came due, where the first time is lost', async () => {
    const { one, other, proxy } = await two();
    const { url, calls, respond } = await startHeldWebhook();
    await other.freeze();
    await later(one, { ms: 1000, url });
    const advanced = other.advance(1000);
    await expect.poll(() => calls).toHaveLength(1);
    proxy.cut();
    respond();
    await expect.poll(async () => (await ask(one)).status).toBe(503);
    proxy.mend();
    await advanced;
    expect((await clockOf(one)).now).toBe((await clockOf(other)).now);
  });

  it('connect again where the first new connection is half dead, too', async () => {
    const { one, proxy } = await two();
    const { opened } = proxy;
    proxy.stall();
    expect((await ask(one)).status).toBe(503);
    await expect.poll(() => proxy.opened).toBeGreaterThan(opened);
    proxy.mendNew();
    await expect.poll(async () => (await ask(one)).status).toBe(200);
  });

  it('need only the connection for commands', async () => {
    const { one, other, proxy } = await two();
    proxy.stall('events');
    await ask(other);
    await other.setBalance({ balance: 1 });
    expect(await one.requests({ waitFor: 1 })).toHaveLength(1);
    expect((await control(one, 'GET /health')).status).toBe(200);
    await one.verify({ times: 1 });
    await one.reset();
    expect((await ask(other)).text).not.toBe('{"balance":1}');
    await other.freeze();
    await later(one, { ms: 1, name: 'a' });
    await other.advance(1);
  });

  it('begin anew together when the store has lost its data', async () => {
    const { one, other } = await two();
    await one.respondWith({ status: 200, body: 'old', times: 'always' });
    expect([(await ask(one)).text, (await ask(other)).text]).toEqual(['old', 'old']);
    await one.freeze();
    await later(one, { ms: 1000, name: 'of old' });
    await one.state.set('n', 1);
    const account = await other.createAccount({ apikey: 'made' });
    await one.requests({ waitFor: 3, ended: true });
    await server().send('FLUSHALL');
    for (const mock of [one, other]) {
      await expect.poll(async () => (await ask(mock)).status).toBe(200);
      await mock.requests({ limit: 0 });
    }
    // Writes what it still has of its requests, before the journal is emptied.
    await other.requests();
    await one.reset();
    await other.respondWith({ status: 200, body: 'new', times: 'always' });
    for (const mock of [other, other, one]) expect((await ask(mock)).text).toBe('new');
    expect((await ask({ ...one, apikey: account.apikey })).status).toBe(401);
    await other.requests({ waitFor: 4, ended: true });
    const [seen, seenByOther] = [await one.requests(), await other.requests()];
    expect(seen).toHaveLength(4);
    expect(seenByOther).toEqual(seen);
    expect(await clockOf(one)).toMatchObject({ frozen: false, pending: 0 });
    expect(await one.state.list()).toEqual([]);
  });

  it('drop their timers when the store has lost its data', async () => {
    const { one } = await two();
    await one.freeze();
    await later(one, { ms: 1000, name: 'of old' });
    await server().send('FLUSHALL');
    await expect.poll(async () => (await ask(one)).status).toBe(200);
    await expect.poll(() => clockOf(one)).toMatchObject({ frozen: false, pending: 0 });
  });

  it('change nothing with a reset for which a full store has no place', async () => {
    const own = await startRedis(onTestFinished);
    const { one, other } = await two({}, FILES, own.url);
    const { apikey } = await one.createAccount();
    await one.setBalance({ balance: 1 });
    await ask(one);
    await one.requests({ waitFor: 1, ended: true });
    await own.send('CONFIG', 'SET', 'maxmemory', '1');
    await expect(one.reset()).rejects.toMatchObject({
      code: 'MOMO_MOCK_STORE_UNAVAILABLE',
      message: expect.stringContaining('it refused the command (OOM)'),
    });
    await own.send('CONFIG', 'SET', 'maxmemory', '0');
    for (const mock of [one, other]) {
      expect((await ask({ ...mock, apikey })).text).toBe('{"balance":1}');
      expect((await mock.requests({ waitFor: 1 }))[0]).toMatchObject({ id: 1, ended: true });
    }
  });

  it('tell later how a request ended while the store was away', async () => {
    const { one, other, proxy } = await two();
    const { url, calls, respond } = await startHeldWebhook();
    const asked = ask(one, '/momo/slow', { method: 'POST', body: { url } });
    await expect.poll(() => calls).toHaveLength(1);
    expect(await other.requests({ waitFor: 1 })).toMatchObject([{ ended: false }]);
    proxy.cut();
    respond();
    expect((await asked).status).toBe(200);
    const { text } = await control(one, 'GET /metrics');
    expect(text).toMatch(/requests_total\{operation="POST \/momo\/slow",status="200",[^}]*\} 1/);
    proxy.mend();
    const ended = await other.requests({ waitFor: 1, ended: true, timeout: 600_000 });
    expect(ended).toMatchObject([{ id: 1, ended: true, status: 200 }]);
  });

  it('keep any text that is a name in the state', async () => {
    const { one, other } = await two();
    const names = ['a\ud800', '\udc00', '__proto__', 'é\u0000'];
    for (const name of names) await one.state.set(name, name);
    expect(await Promise.all(names.map((name) => other.state.get(name)))).toEqual(names);
    expect(await other.state.list()).toEqual(names.sort().map((name) => [name, name]));
  });

  it('have the same ETag for the same state, and take that of each other', async () => {
    const { one, shared, url } = await two({ watch: true }, { 'state.json': '{"initial":1}' });
    const etag = async (mock: LocalTestMock) =>
      `${(await control(mock, 'GET /state')).headers.etag}`;
    await one.state.set('n', 1);
    await etag(one);
    writeFiles(one.folder, { 'state.json': '{"initial":2}' });
    await expect.poll(() => one.state.get('initial')).toBe(2);
    const other = await startMock({ 'state.json': '{"initial":2}' }, { ...shared, storeUrl: url });
    const tag = await etag(one);
    expect(await etag(other)).toBe(tag);
    const sent = { headers: { 'if-match': tag }, body: { set: { n: 2 } } };
    // What does not change the state changes no ETag.
    await ask(one);
    await other.setBalance({});
    expect((await control(other, 'PATCH /state', sent)).status).toBe(204);
    expect((await control(one, 'PATCH /state', sent)).status).toBe(412);
    expect(await etag(one)).toBe(await etag(other));
  });

  it.each([[[1]], [[2]], [[3]], [[1, 2]], [[1, 3, 4]]])(
    'start also if connections break: %j of those that it opens',
    async (numbers) => {
      const { shared, url } = await two({}, {});
      const proxy = await storeProxy(url, onTestFinished);
      proxy.breakAt(numbers);
      const mock = await startMock({}, { ...shared, storeUrl: proxy.url });
      expect((await ask(mock)).status).toBe(200);
    },
  );

  it('leave no connection open if the startup fails', async () => {
    const own = await startRedis(onTestFinished);
    const count = async () => `${await own.send('CLIENT', 'LIST')}`.trim().split('\n').length;
    expect(await count()).toBe(1);
    const port = Number(new URL((await startMock()).url).port);
    await expect(startMomoMock({ storeUrl: own.url, port })).rejects.toMatchObject({
      code: 'MOMO_MOCK_PORT_IN_USE',
    });
    await expect.poll(count).toBe(1);
  });

  it('move the clock by all that is advanced at once', async () => {
    const { one, other } = await two();
    await one.freeze();
    const { now } = await clockOf(other);
    const mocks = Array.from({ length: 10 }, (_, n) => (n % 2 ? one : other));
    await Promise.all(mocks.map((mock) => mock.advance(1000)));
    for (const mock of [one, other]) expect((await clockOf(mock)).now).toBe(now + 10_000);
  });

  it('have one time when a clock that was frozen before a restart runs again', async () => {
    const { one, other, shared, url } = await two();
    const account = await one.createAccount();
    await one.freeze();
    await account.freeze();
    await one.advance(3_600_000);
    const began = Date.now();
    const { now: frozenAt } = await clockOf(other);
    for (const mock of [one, other]) await mock.close();
    const start = () => startMock(FILES, { ...shared, storeUrl: url });
    const [first, second] = [await start(), await start()];
    const headers = { apikey: account.apikey };
    for (const own of [headers, {}]) {
      expect((await control(first, 'GET /clock', { headers: own })).json).toMatchObject({
        now: frozenAt,
      });
      await control(first, 'POST /clock', { headers: own, body: { freeze: false } });
    }
    for (const mock of [second, first]) {
      for (const apikey of [mock.apikey, account.apikey]) {
        const { now } = JSON.parse((await ask({ ...mock, apikey }, '/momo/now')).text);
        expect(now).toBeGreaterThanOrEqual(frozenAt);
        expect(now - frozenAt).toBeLessThanOrEqual(Date.now() - began);
      }
    }
  });

  it('send a callback of each other again, and say the id of the attempt', async () => {
    const { one, other, proxy } = await two();
    const { url, calls, respond } = await startHeldWebhook();
    respond();
    await ask(one, '/momo/notify', { method: 'POST', body: { url: `${url}?token=t0ken` } });
    await other.callbacks({ waitFor: 1 });
    expect((await control(one, 'POST /callbacks/1/send')).json).toMatchObject({
      id: 2,
      attempt: 2,
    });
    expect((await control(other, 'POST /callbacks/2/send')).json).toMatchObject({
      ...{ id: 3, attempt: 3, status: 200 },
    });
    expect(calls.map(({ target }) => target)).toEqual(Array(3).fill('/hook?token=t0ken'));
    expect((await control(other, 'POST /callbacks/7/send')).status).toBe(404);
    proxy.cut();
    await one.close();
    await expect
      .poll(async () => (await control(other, 'POST /callbacks/1/send')).status)
      .toBe(404);
  });

  it('see a frozen clock in the next request, however late events are', async () => {
    const { one, other, proxy } = await two();
    proxy.stall('events');
    for (let n = 0; n < 10; n++) {
      await other.freeze();
      const { now } = await clockOf(other);
      expect(JSON.parse((await ask(one, '/momo/now')).text)).toEqual({ now });
      await other.freeze(false);
    }
  });

  it('run timers when another process lets the clock run again', async () => {
    const { one, other } = await two();
    await one.freeze();
    await later(one, { ms: 1, name: 'rang' });
    await other.freeze(false);
    await expect
      .poll(
        async () =>
          (await control(other, 'GET /state', { headers: { apikey: other.apikey } })).json,
      )
      .toEqual({ rang: true });
  });

  it('limit the journal to its bytes, whichever process has stored them', async () => {
    const { one, other } = await two({ journalBytes: 150_000 });
    for (const mock of [other, other, other, one]) {
      await ask(mock, '/momo/balance', LONG);
      await mock.requests({ limit: 0 });
    }
    for (const mock of [one, other]) {
      const { json } = await control(mock, 'GET /requests');
      expect(json).toMatchObject({ dropped: 2, requests: [{ id: 3 }, { id: 4 }] });
    }
  });

  it('count a process that ends in an advance as missing', async () => {
    const { other, shared } = await two();
    const { child, mock: ending } = await spawnOther(other, shared.storeName);
    const { url, calls } = await startHeldWebhook();
    await other.freeze();
    const { now } = await clockOf(other);
    await ask(ending, '/momo/later', { method: 'POST', body: { ms: 10, name: 'a', url } });
    await later(other, { ms: 10, name: 'b' });
    const advanced = control(other, 'POST /clock', { body: { advance: 10 } });
    await expect.poll(() => calls).toHaveLength(1);
    child.kill('SIGKILL');
    expect((await advanced).json).toMatchObject({ missing: 1, now: now + 10 });
  });

  it('wait in an advance for another process as long as for a client', async () => {
    const { one, shared, url: storeUrl } = await two();
    const hasty = await startMock(FILES, { ...shared, storeUrl, clientTimeout: 1000 });
    const { url, calls, respond } = await startHeldWebhook();
    await hasty.freeze();
    const { now } = await clockOf(hasty);
    await later(one, { ms: 10, url });
    const advanced = control(hasty, 'POST /clock', { body: { advance: 10 } });
    await expect.poll(() => calls).toHaveLength(1);
    expect((await advanced).json).toMatchObject({ missing: 1, now: now + 10 });
    respond();
    await hasty.advance(5);
    await expect.poll(async () => (await clockOf(one)).now).toBe(now + 15);
  });

  it('end readers of events that missed some, so that they start anew', async () => {
    const { one, other, proxy, shared } = await two();
    const text = (await fetch(`${one.controlUrl}/events`)).text();
    await ask(one);
    await other.requests({ waitFor: 1 });
    proxy.cut();
    await dropEvents(other, shared.storeName);
    proxy.mend();
    expect(await text).not.toMatch(/^id:/m);
    const all = async (mock: LocalTestMock) => JSON.stringify(await mock.requests());
    await expect.poll(async () => (await all(one)) === (await all(other))).toBe(true);
  });

  it('read no scripted responses from the store to list accounts', async () => {
    const own = await startRedis(onTestFinished);
    const { other } = await two({}, {}, own.url);
    const scripts = Array.from({ length: 2000 }, () => ({ status: 503 }) as const);
    for (let n = 0; n < 5; n++) await (await other.createAccount()).respondWith(scripts);
    const sent = async () =>
      Number(/total_net_output_bytes:(\d+)/.exec(`${await own.send('INFO', 'stats')}`)?.[1]);
    const before = await sent();
    const { json } = await control(other, 'GET /accounts');
    expect((json as { accounts: object[] }).accounts).toHaveLength(6);
    expect(
      (await control(other, 'GET /balance', { headers: { account: 'account-1' } })).status,
    ).not.toBe(503);
    expect((await sent()) - before).toBeLessThan(100_000);
  });

  describe('say why it refuses', () => {
    it.each([
      ['NOAUTH', ''],
      ['WRONGPASS', ':former'],
    ])('with %s, when its password is another one', async (refusal, credentials) => {
      const more = credentials === '' ? [] : ['--requirepass', credentials.slice(1)];
      const own = await startRedis(onTestFinished, ...more);
      const url = own.url.replace('redis://', `redis://${credentials}${credentials && '@'}`);
      const mock = await startMock({}, { storeUrl: url, control: true });
      const admin = credentials === '' ? own.send : own.sendAs(credentials.slice(1));
      await admin('CONFIG', 'SET', 'requirepass', 'latter');
      await own.sendAs('latter')('CLIENT', 'KILL', 'TYPE', 'normal');
      const message = async () => {
        const { json } = await control(mock, 'GET /requests');
        return (json as { error?: { message: string } }).error?.message;
      };
      await expect
        .poll(message)
        .toBe(
          `Failed to use the store: it refused the command (${refusal}). Check that it runs, and MOMO_MOCK_STORE_URL.`,
        );
    });
  });

  /** Starts a server that is not a store. */
  async function startOther(respond: (socket: Socket, first: Buffer) => void): Promise<number> {
    const other = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (data) => respond(socket, data));
    });
    await once(other.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void other.close());
    return (other.address() as { port: number }).port;
  }

  it('end a startup that finds no store, and say why; a password is sent over TLS alone', async () => {
    const first: Buffer[] = [];
    const web = await startOther((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const silent = await startOther(() => {});
    const spy = await startOther((socket, data) => {
      first.push(data);
      socket.destroy();
    });
    const starts = [
      `redis://127.0.0.1:${web}`,
      `redis://127.0.0.1:${silent}`,
      `REDISS://:sekret@127.0.0.1:${spy}`,
      `Valkeys://:sekret@127.0.0.1:${spy}`,
    ].map((storeUrl) => startMomoMock({ storeUrl }).catch(({ message }) => message));
    const [garbage, ...others] = await Promise.all(starts);
    expect(garbage).toBe(
      'Failed to use the store: it is not Valkey or Redis. Check that it runs, and MOMO_MOCK_STORE_URL.',
    );
    for (const other of others)
      expect(other).toContain('Failed to use the store: it does not respond');
    expect(first.length).toBeGreaterThan(1);
    // The first byte of a TLS record.
    expect(first.every((data) => data[0] === 0x16 && !data.includes('sekret'))).toBe(true);
  });
});
