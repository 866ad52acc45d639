import { Agent } from 'node:https';
import { expect, it, onTestFinished } from 'vitest';
import { ask, control } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import type { Files } from '../support/fixture-folder.ts';
import { describeUnless, missing } from '../support/machine.ts';
import { forSuite, type LocalTestMock, startMock } from '../support/mock.ts';
import type { StartOptions } from '../support/momo-mock.ts';
import { startRedis } from '../support/redis-server.ts';
import { NOTIFY, notify, startWebhook } from '../support/webhook.ts';

const FILES = {
  ...NOTIFY,
  'momo/later.post.js': `export default ({ body }, { after, state }) => {
    after(body.ms, () => state.update('ran', (ran = []) => [...ran, body.name]));
  };`,
};

const BALANCE = { balance: [{ amount: 5, currency: 'XOF' }] };
let names = 0;

describeUnless(missing('redis-server'), 'several processes with one store', () => {
  const server = forSuite((over) => startRedis(over));

  /** Mocks that are one. */
  async function replicas(options: StartOptions = {}, files: Files = FILES, count = 3) {
    const storeName = `team-${++names}`;
    const shared = { storeUrl: server().url, storeName, control: true, ...options };
    const mocks: LocalTestMock[] = [];
    for (let n = 0; n < count; n++) mocks.push(await startMock(files, shared));
    const [one, two, three] = mocks as [LocalTestMock, LocalTestMock, LocalTestMock];
    return { one, two, three, mocks, storeName };
  }

  /** What a mock answers to the key of an account of another one. */
  const answer = async (mock: LocalTestMock, apikey = mock.apikey) => {
    const { status, text } = await ask({ ...mock, apikey });
    return status === 200 ? text : status;
  };

  it('have the same accounts, balances, variants and scripted responses at once', async () => {
    const { one, two, three } = await replicas();
    const { apikey, remove } = await one.createAccount({ balance: BALANCE });
    expect(await answer(two, apikey)).toBe(JSON.stringify(BALANCE));
    await expect(two.createAccount({ apikey })).rejects.toMatchObject({
      code: 'MOMO_MOCK_ACCOUNT_EXISTS',
    });
    await two.setBalance({ balance: 7 });
    expect(await answer(three)).toBe('{"balance":7}');
    await three.setBalance(undefined);
    await three.setVariant('empty');
    expect(await answer(one)).toMatch(/"balance": ?\[\]/);
    await one.respondWith([{ status: 503 }, { body: { n: 2 }, headers: { 'x-a': '1' } }]);
    expect([await answer(two), await answer(three), await answer(one)]).toEqual([
      503,
      '{"n":2}',
      expect.stringMatching(/"balance": ?\[\]/),
    ]);
    await remove();
    expect(await answer(three, apikey)).toBe(401);
  });

  it('have the keys of all that run, also after a reset, and never use an id again', async () => {
    const { one, storeName } = await replicas({ apiKeys: ['first'] }, {}, 1);
    const other = await startMock(
      {},
      { storeUrl: server().url, storeName, control: true, apiKeys: ['second=empty'] },
    );
    for (const mock of [one, other]) {
      expect(await answer(mock, 'first')).not.toBe(401);
      expect(await answer(mock, 'second')).toMatch(/"balance": ?\[\]/);
    }
    await one.createAccount({ apikey: 'third' });
    await other.reset();
    expect(await answer(one, 'second')).toMatch(/"balance": ?\[\]/);
    expect(await answer(other, 'first')).not.toBe(401);
    expect(await answer(one, 'third')).toBe(401);
    const { json } = await control(one, 'GET /accounts');
    const ids = (json as { accounts: { id: string }[] }).accounts.map(({ id }) => id);
    expect(ids.every((id) => Number(id.slice(8)) > 3)).toBe(true);
  });

  it('give a scripted response exactly as often as it says, in its order, with its delays', async () => {
    const { mocks, one } = await replicas({ journalSize: 0 });
    await one.respondWith([{ status: 503, times: 300 }, { status: 429 }]);
    const agents = mocks.map(({ ca }) => new Agent({ ca, keepAlive: true, maxSockets: 8 }));
    onTestFinished(() => {
      for (const agent of agents) agent.destroy();
    });
    const statuses: (number | undefined)[] = [];
    await Promise.all(
      Array.from({ length: 24 }, async (_, worker) => {
        const mock = mocks[worker % 3] as LocalTestMock;
        for (let n = 0; n < 40; n++) {
          const sent = { agent: agents[worker % 3] };
          statuses.push((await ask(mock, '/momo/balance', sent as object)).status);
        }
      }),
    );
    expect(statuses.filter((status) => status === 503)).toHaveLength(300);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect(await one.requests()).toEqual([]);
  });

  it('count the requests of an account together, in the window of its clock', async () => {
    const { mocks, one, two, three } = await replicas({ rateLimit: '5/1h' });
    await two.freeze();
    const burst = async () => {
      const asked = Array.from({ length: 12 }, (_, at) => answer(mocks[at % 3] as LocalTestMock));
      return (await Promise.all(asked)).filter((status) => status !== 429).length;
    };
    expect(await burst()).toBe(5);
    await three.advance(3_599_999);
    expect(await answer(one)).toBe(429);
    await one.advance(1);
    expect(await burst()).toBe(5);
    await three.setRateLimit({ limit: 2, window: 1000 });
    expect(await burst()).toBe(2);
  });

  it('change the state one after the other, and a handler reads what another process wrote', async () => {
    const { mocks, one, two, three } = await replicas();
    const changed = mocks.flatMap((mock) =>
      Array.from({ length: 20 }, () => mock.state.update('n', (n = 0) => Number(n) + 1)),
    );
    await Promise.all(changed);
    expect(await three.state.get('n')).toBe(60);
    const account = await one.createAccount({ state: { n: 1 } });
    const { json } = await control(two, 'GET /state', { headers: { apikey: account.apikey } });
    expect(json).toEqual({ n: 1 });
    await two.state.transaction((draft) => {
      draft.delete('n');
      draft.set('m', 1);
    });
    expect(await one.state.list()).toEqual([['m', 1]]);
  });

  it('have one journal, whose ids count up over all, with waits and verification', async () => {
    const { one, two, three, mocks } = await replicas();
    const waiting = three.requests({ waitFor: 3, ended: true, timeout: 600_000 });
    for (const mock of mocks) await ask(mock, '/momo/balance?x=1', { headers: { 'x-id': '7' } });
    const seen = await waiting;
    expect(seen.map(({ id }) => id)).toEqual([1, 2, 3]);
    for (const mock of mocks) expect(await mock.requests()).toEqual(seen);
    await two.verify({ exactly: [{ query: { x: '1' }, headers: { 'X-Id': '7' }, times: 3 }] });
    await expect(one.verify({ status: 418 })).rejects.toThrow('The closest is request 3,');
    expect((await control(two, 'GET /requests/1')).json).toEqual({
      ...seen[0],
      response: expect.objectContaining({ status: 200 }),
    });
    const account = await one.createAccount();
    await ask({ ...two, apikey: account.apikey });
    expect(await account.requests({ waitFor: 1, ended: true })).toMatchObject([{ id: 4 }]);
    await control(three, 'DELETE /requests');
    expect(await one.requests()).toEqual([]);
  });

  it('show the events of all', async () => {
    const { one, two } = await replicas();
    const end = new AbortController();
    onTestFinished(() => end.abort());
    const { body } = await fetch(`${one.controlUrl}/events`, { signal: end.signal });
    let text = '';
    const read = async () => {
      for await (const part of body ?? []) text += Buffer.from(part).toString();
    };
    read().catch(() => {});
    await expect.poll(() => text).toContain(':');
    await ask(two);
    await expect.poll(() => text).toMatch(/"id":1,.*"ended":true/);
    await two.setBalance({});
    await expect.poll(() => text).toContain('{"what":"balance"}');
  });

  it('have one clock: it is frozen for all, and advance runs what is due in each', async () => {
    const { one, two, three } = await replicas();
    await one.freeze();
    for (const [mock, name, ms] of [
      [one, 'c', 3000],
      [two, 'a', 1000],
      [three, 'b', 2000],
    ] as const) {
      await ask(mock, '/momo/later', { method: 'POST', body: { name, ms } });
    }
    const account = await two.createAccount();
    await three.advance(2000);
    const own = { apikey: two.apikey };
    const ran = async () => (await control(one, 'GET /state/ran', { headers: own })).json;
    expect(((await ran()) as string[]).sort()).toEqual(['a', 'b']);
    const clocks = await Promise.all([one, two, three].map((mock) => control(mock, 'GET /clock')));
    const times = new Set(clocks.map(({ json }) => (json as { now: number }).now));
    expect(times.size).toBe(1);
    await one.advance('idle');
    expect(((await ran()) as string[]).sort()).toEqual(['a', 'b', 'c']);
    const after = await Promise.all([one, two, three].map((mock) => control(mock, 'GET /clock')));
    const [{ json } = { json: {} }] = after;
    expect(json).toMatchObject({ now: Number([...times][0]) + 1000, frozen: true, lost: 0 });
    for (const clock of after)
      expect(clock.json).toMatchObject({ now: (json as { now: number }).now });
    await three.freeze(false);
    expect((await control(two, 'GET /clock')).json).toMatchObject({ frozen: false });
    expect(account.url).toBe(two.url);
  });

  it('say which timer failed, whichever process has set it', async () => {
    const files = {
      'momo/fail.post.js':
        'export default (_, { after }) => { after(1, () => { throw new Error(); }); };',
    };
    const { one, two } = await replicas({}, files, 2);
    await one.freeze();
    await ask(two, '/momo/fail', { method: 'POST' });
    await expect(one.advance(1)).rejects.toMatchObject({
      code: 'MOMO_MOCK_TIMER_FAILED',
      message: expect.stringMatching(/fail\.post\.js:1:/),
    });
    await one.advance(1);
  });

  it('script the callbacks of each other, and have one journal of them', async () => {
    const { one, two, three } = await replicas();
    const { url, calls } = await startWebhook();
    await one.scriptCallbacks([{ lose: true }, {}]);
    await notify(two, { url });
    await notify(three, { url });
    const attempts = await one.callbacks({ waitFor: 2 });
    expect(attempts.map(({ id, status, reason }) => [id, status ?? reason]).sort()).toEqual([
      [1, expect.anything()],
      [2, expect.anything()],
    ]);
    expect(calls).toHaveLength(1);
    await two.verifyCallbacks({ exactly: [{}, {}] });
    await three.verifyCallbacks({ url, status: 200, times: 1 });
  });

  it('drop the timers of all at a reset', async () => {
    const { one, two } = await replicas();
    await one.freeze();
    await ask(two, '/momo/later', { method: 'POST', body: { name: 'a', ms: 1000 } });
    await one.reset();
    expect((await control(two, 'GET /clock')).json).toMatchObject({ frozen: false, pending: 0 });
    expect(await two.state.list()).toEqual([]);
  });

  it('are two mocks where their names differ', async () => {
    const [{ one }, { one: other }] = [await replicas({}, {}, 1), await replicas({}, {}, 1)];
    await one.createAccount({ apikey: 'mine' });
    await one.respondWith({ status: 503 });
    expect(await answer(other, 'mine')).toBe(401);
    expect(await answer(other)).not.toBe(503);
    expect(await one.requests()).toEqual([]);
  });

  it('remember everything but timers when all were stopped', async () => {
    const { one, mocks, storeName } = await replicas({ apiKeys: ['first'] }, FILES, 1);
    const { apikey } = await one.createAccount({ variant: 'empty' });
    await one.respondWith({ status: 503, times: 2 });
    expect(await answer(one)).toBe(503);
    await one.state.set('n', { a: [1] });
    await one.freeze();
    await ask(one, '/momo/later', { method: 'POST', body: { name: 'a', ms: 1000 } });
    const before = [await one.requests(), (await control(one, 'GET /clock')).json];
    for (const mock of mocks) await mock.close();
    const again = await startMock(FILES, {
      ...{ storeUrl: server().url, storeName, control: true, apiKeys: ['first'] },
    });
    const clock = { ...(before[1] as object), pending: 0, next: null, lost: 1 };
    expect([await again.requests(), (await control(again, 'GET /clock')).json]).toEqual([
      before[0],
      clock,
    ]);
    expect(await again.state.list()).toEqual([['n', { a: [1] }]]);
    expect(await answer(again, apikey)).toBe(503);
    expect(await answer(again, apikey)).toMatch(/"balance": ?\[\]/);
    await again.verifyScripts();
  });

  it('count, at the end of momo-mock run, its own requests alone', async () => {
    const code = `const { MOMO_MOCK_URL: url, MOMO_MOCK_APIKEY: key } = process.env;
      await fetch(url + '/momo/balance?apikey=' + key);`;
    const args = ['run', '--', process.execPath, '--input-type=module', '-e', code];
    const env = { MOMO_MOCK_STORE_URL: server().url, MOMO_MOCK_STORE_NAME: `team-${++names}` };
    for (let run = 0; run < 2; run++) {
      expect((await runCommand(args, { env })).stderr).toBe('momo-mock: 1 request: 1 × 200\n');
    }
  });
});
