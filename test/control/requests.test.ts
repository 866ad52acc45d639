import { describe, expect, it } from 'vitest';
import { controlApp, refused } from './control-app.ts';

type App = Awaited<ReturnType<typeof controlApp>>;

/** Writes down a request, as the service does. */
function receive({ mock }: App, status: number, more: { account?: string; path?: string } = {}) {
  const entry = mock.journal.open({ method: 'GET', headers: { accept: '*/*' } });
  mock.journal.note(entry, { status, path: '/momo/balance', ...more });
}

async function idsOf({ send }: App, query: string, headers = {}): Promise<number[]> {
  const { json } = await send(`GET /requests${query}`, { headers });
  return (json as { requests: { id: number }[] }).requests.map(({ id }) => id);
}

describe('the journal', () => {
  it('is an empty list where nothing was received', async () => {
    const { send } = await controlApp();
    expect((await send('GET /requests')).body).toBe('{"requests":[],"dropped":0,"total":0}');
  });

  it('shows what was received, in order, and how much was dropped', async () => {
    const app = await controlApp();
    for (let count = 0; count < 103; count++) receive(app, 200);
    const { json } = await app.send('GET /requests?limit=1');
    expect(json).toEqual({
      dropped: 3,
      total: 100,
      requests: [expect.objectContaining({ id: 103, status: 200, method: 'GET' })],
    });
  });

  it.each([
    ['', [1, 2, 3]],
    ['?status=404', [2]],
    ['?status=418', []],
    ['?path=/momo/balance', [1, 3]],
    ['?path=%2Fother', [2]],
    ['?method=get', [1, 2, 3]],
    ['?method=POST', []],
    ['?operation=GET+%2Fmomo%2Fbalance', []],
    ['?since=1', [2, 3]],
    ['?limit=2', [2, 3]],
    ['?limit=0', []],
    ['?since=1&status=200', [3]],
    ['?reason=key-missing', []],
    ['?waitFor=3&timeout=600000', [1, 2, 3]],
    ['?waitFor=4&timeout=0', [1, 2, 3]],
  ])('is filtered by %s', async (query, ids) => {
    const app = await controlApp();
    receive(app, 200);
    receive(app, 404, { path: '/other' });
    receive(app, 200);
    expect(await idsOf(app, query)).toEqual(ids);
  });

  it('of an account has what came with its key, and is emptied alone', async () => {
    const app = await controlApp();
    const headers = { apikey: 'alice-key' };
    const account = app.mock.accounts.get('alice-key')?.id ?? '';
    receive(app, 200, { account });
    receive(app, 200);
    expect(await idsOf(app, '', headers)).toEqual([1]);
    expect(await app.send('DELETE /requests', { headers })).toMatchObject({ status: 204 });
    expect(await idsOf(app, '')).toEqual([2]);
    await app.send('DELETE /requests');
    expect(await idsOf(app, '')).toEqual([]);
  });

  it('waits until as many have arrived as are wanted', async () => {
    const app = await controlApp();
    const ids = idsOf(app, '?status=200&waitFor=2&timeout=600000');
    for (const status of [200, 500, 200]) {
      await new Promise(setImmediate);
      receive(app, status);
    }
    expect(await ids).toEqual([1, 3]);
  });

  it('is sent as a stream, without a length, and to HEAD not at all', async () => {
    const app = await controlApp();
    for (let count = 0; count < 3; count++) receive(app, 200);
    const { headers } = await app.send('GET /requests');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['content-length']).toBeUndefined();
    expect(await app.send('HEAD /requests')).toMatchObject({ status: 200, body: '' });
  });

  it('keeps nobody waiting when the mock stops', async () => {
    const app = await controlApp();
    receive(app, 200);
    const ids = idsOf(app, '?waitFor=9&timeout=600000');
    await new Promise(setImmediate);
    app.mock.journal.close();
    expect(await ids).toEqual([1]);
  });

  it.each([
    ['?status=200&status=404', 'status: must be a whole number from 100 to 599, or null.'],
    ['?path=a&path=sekret', 'path: must be text.'],
    ['?__proto__=1', '__proto__: unknown field. Use only method'],
    [
      '?apikey=sekret-key',
      'the query: must not contain a key. Send the key of the account in the header',
    ],
    [
      '?apiKey=sekret-key',
      'the query: must not contain a key. Send the key of the account in the header',
    ],
    ['?alice-key=1', 'filter: unknown field. Use only method, path, operation, status, reason'],
  ])('refuses %s and names what is wrong', async (query, named) => {
    const { send } = await controlApp();
    const reply = await send(`GET /requests${query}`);
    const message = expect.stringContaining(`Failed to read ${named}`);
    expect(reply).toMatchObject(refused(400, 'MOMO_MOCK_REQUEST_INVALID', message));
    expect(reply.body).not.toContain('sekret');
  });
});
