import { expect, it } from 'vitest';
import { post, runTree } from './run-tree.ts';

const SECRET = 'sekret-pw';

/** URLs with a password, in all the forms that `new URL` takes, and in others. */
const FORMS = ['http', 'HTTPS', 'ht\ttp', ' http', 'mailto', '']
  .flatMap((scheme) =>
    [':', '://', ':/', ':///', ':////', ':\\\\', ':\\', ':/\t/', ':/\n\\', '//', '\\\\', ''].map(
      (slashes) => scheme + slashes,
    ),
  )
  .flatMap((start) =>
    [
      `user:${SECRET}@`,
      `:${SECRET}@`,
      `${SECRET}@`,
      `user:${SECRET}@@`,
      `us@er:${SECRET}@`,
      `a:b:${SECRET}@`,
      'user:sek\tret-pw@',
      'user:sekret%2Dpw@',
      `user:${SECRET}%40`,
      `user:${SECRET}\uff20`,
    ].map((user) => start + user),
  )
  .flatMap((start) => ['127.0.0.1:1/hook', 'h ost/'].map((host) => start + host));

const MORE = [
  `http://user:${SECRET}@127.0.0.1:1/a/../${SECRET}?x=${SECRET}#${SECRET}`,
  `http://user:${SECRET}@127.0.0.1:1/?to\tken=${SECRET}`,
  `http://127.0.0.1:1/?to\tken=${SECRET}`,
  `http:127.0.0.1:1?a=1&ap\nikey=${SECRET}`,
  `//127.0.0.1:1/?token=${SECRET}`,
  `/hook?token=${SECRET}`,
  `http://user:${SECRET}`,
  `http://user:${SECRET}@127.0.0.1:99999/`,
  `http://user:${SECRET}@[::bad]/`,
];

const shapes = /sek\s*ret(-|%2d)pw/i;

it('shows no password of a callback URL, however odd the URL is', async () => {
  const mock = await runTree(
    {
      'momo/notify.post.js':
        'export default ({ body }, { callback }) => { for (const url of body) callback({ url }); };',
    },
    { LOG_LEVEL: 'trace' },
  );
  const control = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${mock.controlUrl}${path}`, init);
    return await response.text();
  };
  const events = await fetch(`${mock.controlUrl}/events`);
  const all = [...FORMS, ...MORE];
  expect((await post(mock, '/momo/notify', all)).status).toBe(200);
  const listed = await control(`/callbacks?waitFor=${all.length}&limit=10000&timeout=60000`);
  const { callbacks } = JSON.parse(listed) as { callbacks: { id: number; url: string }[] };
  expect(callbacks).toHaveLength(all.length);
  const shown = callbacks.map(({ url }, at) => [all[at], url]);
  expect(shown.filter(([, url]) => shapes.test(`${url}`))).toEqual([]);
  expect(new Set(callbacks.map(({ url }) => url))).toContain('http://[redacted]@127.0.0.1:1/hook');
  expect(listed).not.toMatch(shapes);

  const json = { 'content-type': 'application/json' };
  for (const url of ['http://127.0.0.1:1/none', ...all.slice(0, 5)]) {
    const body = JSON.stringify({ url, status: 299 });
    const failed = await control('/verify/callbacks', { method: 'POST', headers: json, body });
    expect(failed).toContain('MOMO_MOCK_NOT_VERIFIED');
    expect(failed).not.toMatch(shapes);
  }
  for (const id of [1, 2, all.length - 1]) {
    expect(await control(`/callbacks/${id}/send`, { method: 'POST' })).not.toMatch(shapes);
  }
  let stream = '';
  for await (const part of events.body ?? []) {
    stream += Buffer.from(part).toString();
    if (stream.includes(`"id":${all.length + 3},`)) break;
  }
  expect(stream).toContain('event: callback');
  expect(stream).not.toMatch(shapes);
  expect(JSON.stringify(mock.records)).not.toMatch(shapes);
}, 60_000);

it.each([
  ['http:user:pass@127.0.0.1:1/hook?a=1#b', 'http://[redacted]@127.0.0.1:1/hook?a=1'],
  ['HTTP://127.0.0.1:1', 'http://127.0.0.1:1/'],
  ['http://127.0.0.1:1/a b?c=d e&c=%2B', 'http://127.0.0.1:1/a%20b?c=d%20e&c=%2B'],
  ['http://127.0.0.1:1/?token=sekret&n=a+b', 'http://127.0.0.1:1/?token=[redacted]&n=a+b'],
  ['/hook', '/hook'],
  ['127.0.0.1:1/hook', '127.0.0.1:1/hook'],
  ['user:pass@127.0.0.1', '[invalid URL]'],
])('shows %s as %s, and finds it by either', async (url, shown) => {
  const mock = await runTree({
    'momo/notify.post.js':
      'export default ({ body }, { callback }) => callback({ url: body.url });',
  });
  await post(mock, '/momo/notify', { url });
  const path = `/callbacks?waitFor=1&timeout=5000&url=${encodeURIComponent(url)}`;
  const listed = await (await fetch(`${mock.controlUrl}${path}`)).json();
  expect(listed).toMatchObject({ callbacks: [{ url: shown }] });
  for (const expected of [url.replace('sekret', '[redacted]'), shown]) {
    const verified = await fetch(`${mock.controlUrl}/verify/callbacks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: expected, times: 1 }),
    });
    expect(verified.status).toBe(200);
  }
});
