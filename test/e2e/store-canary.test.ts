import { expect, it, onTestFinished } from 'vitest';
import { control, send } from '../support/client.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { describeUnless, missing } from '../support/machine.ts';
import { sendOverTls } from '../support/raw-connection.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';
import { CONFIGURED, found, requests, SIGNED, SIGNING, WRONG } from './canary.ts';

/** The key of an account that a test makes. */
const MADE = 'canary+made/8d9e0f1a=';
/** Signs a callback that a test scripts: any process may have to send it. */
const SCRIPTED = 'canary+script/6a5b4c3d=';
/** The password in the URL of a callback, and a parameter there. */
const IN_URL = 'canary+url/7e8f9a0b=';

const UNSIGNED = {
  url: `http://user:${encodeURIComponent(IN_URL)}@127.0.0.1:1/?token=${encodeURIComponent(IN_URL)}`,
  headers: { authorization: `Bearer ${IN_URL}`, 'x-note': IN_URL },
  body: { note: IN_URL },
};
const FIXTURES = {
  'momo/call.post.js': 'export default ({ body }, { callback }) => callback(body);',
  'momo/balance.get.signed.response.json': JSON.stringify({ body: SIGNING, callback: SIGNED }),
};
const JSON_TYPE = { 'content-type': 'application/json' };
/** Its journal entry is so long that a few of them lead to a snapshot. */
const LONG = { method: 'POST', body: 'x'.repeat(60_000) };

/** What a store holds: what it needs of accounts and of what tests set, and all the rest. */
interface Dump {
  readonly needed: string;
  readonly rest: string;
}

/** Reads every key of a server, and every value. */
async function dumpOf({ send: run }: RedisServer): Promise<Dump> {
  const needed: string[] = [];
  const rest: string[] = [];
  for (const key of (await run('KEYS', '*')) as string[]) {
    expect(key).toMatch(/^momo-mock:/);
    rest.push(key);
    const read = {
      string: () => run('GET', key),
      hash: () => run('HGETALL', key),
      list: () => run('LRANGE', key, '0', '-1'),
      stream: () => run('XRANGE', key, '-', '+'),
    }[`${await run('TYPE', key)}`];
    if (read === undefined) throw new Error(`dumpOf reads no key like ${key}`);
    const value = await read();
    if (key.endsWith(':events')) {
      for (const [, fields] of value as [string, string[]][]) {
        const isNeeded = /^\{"do":"(join|add|change)"/.test(fields[3] ?? '');
        (isNeeded ? needed : rest).push(...fields);
      }
    } else if (key.endsWith(':snapshot')) {
      const [memory = '', ...records] = (value as string[]).join('\n').split('\n');
      needed.push(memory);
      rest.push(...records);
    } else rest.push(JSON.stringify(value));
  }
  return { needed: needed.join('\n'), rest: rest.join('\n') };
}

describeUnless(missing('redis-server'), 'a store', () => {
  it('has the keys of accounts, the secrets that any process needs, and no others', async () => {
    const server = await startRedis(onTestFinished);
    const folder = temporaryFolder();
    writeFiles(folder, FIXTURES);
    const settings = {
      STORE_URL: server.url,
      API_KEYS: `${CONFIGURED},second=signed`,
      FIXTURES_DIR: folder,
    };
    const [one, other] = [await runMock(settings), await runMock(settings)];
    const apikey = `apikey=${encodeURIComponent(CONFIGURED)}`;
    const ask = (mock: RunningMock, path: string, options = {}) =>
      send(mock, `${path}?${apikey}`, options);
    const call = async (mock: RunningMock, callback: object) => {
      await ask(mock, '/momo/call', { method: 'POST', body: callback });
      await control(mock, 'POST /callbacks', { body: callback });
    };

    for (const request of [CONFIGURED, WRONG].flatMap(requests)) {
      await sendOverTls(one, request).catch(String);
    }
    await call(one, SIGNED);
    await call(one, UNSIGNED);
    await send(one, '/momo/balance?apikey=second');
    const sign = { secret: SCRIPTED, headers: { 'x-copy': '{body}' } };
    const script = {
      times: 2,
      body: SCRIPTED,
      callback: { url: 'http://127.0.0.1:1/', body: SCRIPTED, sign },
    };
    await control(one, 'POST /responses', { body: script });
    // A process knows the secret that another one got before it sends a callback.
    await ask(other, '/momo/nothing', { headers: { 'x-note': SCRIPTED } });
    await one.service.requests.find({ waitFor: 1, path: '/momo/nothing', ended: true });
    await ask(other, '/momo/balance');
    for (const headers of [{ apikey: WRONG }, { authorization: `Bearer ${WRONG}` }]) {
      await control(one, 'PUT /balance', { headers, body: {} });
    }
    for (const body of [
      { apikey: WRONG, nonsense: WRONG },
      { apikey: `${WRONG} x` },
      `{"apikey":"${WRONG}"`,
    ]) {
      await control(one, 'POST /accounts', { headers: JSON_TYPE, body });
    }
    for (const key of [CONFIGURED, MADE]) {
      await control(one, 'POST /accounts', { body: { apikey: key } });
    }
    await control(other, 'POST /verify', { body: { query: { apikey: WRONG } } });
    expect((await other.service.callbacks.find({ waitFor: 6 })).entries).toHaveLength(6);

    // The first snapshot: the store still has all events before it.
    await expect
      .poll(async () => {
        await ask(one, '/momo/balance', LONG);
        await control(one, 'GET /requests?limit=0');
        return await server.send('EXISTS', 'momo-mock:snapshot');
      })
      .toBe(1);
    // One that starts later learns them from the snapshot.
    const later = await runMock({ ...settings, API_KEYS: 'third' });
    const headers = { 'x-of-account': MADE, 'x-of-script': SCRIPTED };
    await send(later, '/momo/later?apikey=third', { headers });
    await later.service.requests.find({ waitFor: 1, path: '/momo/later', ended: true });
    const { needed, rest } = await dumpOf(server);

    expect(found(rest, [CONFIGURED, MADE, WRONG, SIGNING, SCRIPTED, IN_URL])).toEqual([]);
    // Not the text itself, which is long.
    const count = (part: string) => rest.split(part).length - 1;
    expect(count('"do":"begin"')).toBe(1);
    expect(count('"reason":"key-unknown"')).toBeGreaterThan(10);
    expect(count('"verif-hash":"[redacted]"')).toBeGreaterThanOrEqual(3);
    for (const name of ['x-note', 'x-of-account', 'x-of-script']) {
      expect([name, count(`"${name}":"[redacted]"`) > 0]).toEqual([name, true]);
    }
    // What it needs shows that they would be found.
    expect(found(needed, [WRONG, SIGNING, IN_URL])).toEqual([]);
    for (const key of [CONFIGURED, MADE, SCRIPTED]) expect(found(needed, [key])).toContain(key);
  });
});
