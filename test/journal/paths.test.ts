import { describe, expect, it } from 'vitest';
import { ask, send } from '../support/client.ts';
import { preparedMock, startMock, type TestMock } from '../support/mock.ts';

const SHOWN = 'export default ({ path, params }) => ({ body: { path, params } });';
const FILES = {
  'p/[id].get.js': SHOWN,
  'p/a/[id].get.js': SHOWN,
  'x /b.get.json': [],
  'b.get.json': [],
};

/** Two paths that are different to the mock, each with other ways to write it. */
const PATHS: readonly (readonly [path: string, ...same: string[]])[] = [
  ['/p/a%2Fsub', '/p/a%2fsub', '/P/%61%2Fsub/'],
  ['/p/a/sub', '/p/a/%73ub', '/P/A/sub'],
  ['/p/1%25', '/p/%31%25'],
  ['/p/1%3F', '/p/1%3f'],
  ['/p/a%20b', '/p/a b'],
  ['/p/a+b', '/p/a%2Bb'],
  ['/p/Ref', '/p/Ref/', '/P/Ref'],
  ['/p/ref', '/p/ref/'],
  ['/p/%C3%A9', '/p/é', '/p/%c3%a9'],
  ['/p/..', '/p/%2e%2E'],
  ['/p/%5Bredacted%5D'],
];

const receive = async (mock: TestMock) => {
  for (const [path] of PATHS) await send(mock, `${path}?apikey=${mock.apiKey}`);
};
const mock = preparedMock(receive, FILES);

it('the journal has each path as it was requested', async () => {
  const entries = await mock().requests();
  expect(entries.map(({ path }) => path)).toEqual(PATHS.map(([path]) => path));
  expect(entries.every(({ status }) => status === 200)).toBe(true);
});

it.each(PATHS.flatMap((paths, at) => paths.map((path) => [path, at + 1] as const)))(
  'the path %s finds request %i, and no other',
  async (path, id) => {
    expect((await mock().requests({ path })).map((entry) => entry.id)).toEqual([id]);
    await mock().verify({ path, times: 1 });
    await expect(mock().verify({ path, times: 0 })).rejects.toThrow(`request ${id}, GET /p/`);
  },
);

it.each([
  ['p/ref', 'begin with a slash'],
  ['/p/ref?a=1', '%3F'],
  ['/p/1%', '%25'],
])('the path %s is refused, because no request can have it', async (path, words) => {
  const refused = { code: 'MOMO_MOCK_REQUEST_INVALID', message: expect.stringContaining(words) };
  await expect(mock().requests({ path })).rejects.toMatchObject(refused);
  await expect(mock().verify({ path, times: 0 })).rejects.toMatchObject(refused);
  await expect(mock().verify([{ path }])).rejects.toMatchObject(refused);
});

describe('a path', () => {
  it('of an operation is the whole path after the method', async () => {
    const mock = await startMock(FILES);
    await ask(mock, '/x%20/b');
    expect(await mock.requests({ path: '/b' })).toEqual([]);
    expect(await mock.requests({ path: '/x /b' })).toHaveLength(1);
  });

  it('that is unknown is found in any encoding, in its own letter case', async () => {
    const mock = await startMock();
    await send(mock, `/%6Domo/balnce?apikey=${mock.apiKey}`);
    expect(await mock.requests()).toMatchObject([{ path: '/momo/balnce', operation: null }]);
    for (const path of ['/momo/balnce', '/%6Domo/balnce']) await mock.verify({ path, times: 1 });
    for (const path of ['/Momo/balnce', '/momo/balnce/']) await mock.verify({ path, times: 0 });
  });

  it('of a handler is as it was requested, and its parameters are decoded', async () => {
    const mock = await startMock(FILES);
    const { json } = await ask(mock, '/p/a%2Fsub%20');
    expect(json).toEqual({ path: '/p/a%2Fsub%20', params: { id: 'a/sub ' } });
  });

  it('shows no key and no secret of its request, even if it is percent-encoded twice', async () => {
    const mock = await startMock(FILES, { apiKeys: ['right-key-4711', 'slash/key+15'] });
    const headers = { cookie: 's=sekret-sid' };
    const secrets = ['right%2Dkey%2d4711', 'slash%2Fkey%2B15', '%73ekret-sid', 'sekret-sid'];
    for (const secret of secrets) {
      await send(mock, `/p/x${secret}?apikey=right-key-4711`, { headers });
      await send(mock, `/q/7${secret}?apikey=right-key-4711`, { headers });
    }
    await send(mock, '/p/right%252Dkey%252d4711?apikey=right-key-4711');
    const paths = secrets.flatMap(() => ['/p/x[redacted]', '/q/…']);
    expect((await mock.requests()).map(({ path }) => path)).toEqual([...paths, '[redacted]']);
  });
});
