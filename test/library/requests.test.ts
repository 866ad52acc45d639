import { expect, it } from 'vitest';
import { describeBothWays } from './both-ways.ts';
import { get, send } from './client.ts';

describeBothWays((open) => {
  it('tells what was received, in order, without the key', async () => {
    const mock = await open();
    await get(mock, '/momo/balance?currency=XOF');
    await get({ ...mock, apikey: 'wrong-one' });
    const all = await mock.requests();
    expect(all).toMatchObject([
      {
        method: 'GET',
        path: '/momo/balance',
        operation: 'GET /momo/balance',
        query: { currency: 'XOF' },
        status: 200,
        source: 'fixture',
        reason: null,
        aborted: false,
      },
      { account: null, status: 401, source: 'error', reason: 'key-unknown' },
    ]);
    expect(all[0]?.account).toEqual(expect.any(String));
    expect(JSON.stringify(all)).not.toMatch(new RegExp(`wrong-one|${mock.apikey}`));
  });

  it('tells an account what it received itself', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    await get(mock);
    await get(account, '/momo/status/7');
    expect(await account.requests()).toMatchObject([{ path: '/momo/status/7' }]);
    expect(await mock.requests()).toHaveLength(2);
  });

  it('tells where an answer came from', async () => {
    const mock = await open();
    await mock.setBalance({});
    await mock.respondWith({ status: 503 });
    await get(mock);
    await get(mock);
    const sources = (await mock.requests()).map(({ status, source }) => [status, source]);
    expect(sources).toEqual([
      [503, 'script'],
      [200, 'override'],
    ]);
  });

  it('filters by status, reason, path, id and number, also by several', async () => {
    const mock = await open();
    await get(mock);
    await get({ ...mock, apikey: '' });
    await get(mock, '/momo/status/7');
    await get(mock, '/momo/status/8');
    const all = await mock.requests();
    const [first, second, third, fourth] = all;
    expect(all).toHaveLength(4);
    expect(await mock.requests({ status: 401 })).toEqual([second]);
    expect(await mock.requests({ reason: 'key-empty' })).toEqual([second]);
    expect(await mock.requests({ reason: 'key-missing' })).toEqual([]);
    expect(await mock.requests({ path: '/momo/status/8' })).toEqual([fourth]);
    expect(await mock.requests({ path: '/momo/status/:reference' })).toEqual([third, fourth]);
    expect(await mock.requests({ since: second?.id ?? 0 })).toEqual([third, fourth]);
    expect(await mock.requests({ limit: 1 })).toEqual([fourth]);
    expect(await mock.requests({ limit: 0 })).toEqual([]);
    expect(await mock.requests({ status: 200, limit: 2 })).toEqual([third, fourth]);
    expect(await mock.requests({ status: 200, path: '/momo/balance' })).toEqual([first]);
  });

  it('waits until so many have arrived', async () => {
    const mock = await open();
    let isThere = false;
    const waiting = mock.requests({ waitFor: 2, timeout: 600_000 }).then((requests) => {
      isThere = true;
      return requests;
    });
    await get(mock);
    await mock.requests({ waitFor: 1 });
    expect(isThere).toBe(false);
    send(mock).on('error', () => {});
    expect(await waiting).toHaveLength(2);
  });

  it('waits for one account alone', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    await get(mock);
    expect(await account.requests({ waitFor: 1, timeout: 1 })).toEqual([]);
    await get(account);
    expect(await account.requests({ waitFor: 1 })).toHaveLength(1);
  });
});
