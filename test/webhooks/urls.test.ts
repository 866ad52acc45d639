import { expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { sharedMock, startServer } from '../support/mock.ts';
import { NOTIFY, notify } from '../support/webhook.ts';

const SECRET = 'sekret-pw';
const shapes = /sek\s*ret(-|%2d)pw/i;

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

it('the journal shows no password of a webhook URL, however odd the URL is', async () => {
  const mock = await startServer({
    'momo/all.post.js':
      'export default ({ body }, { webhook }) => { for (const url of body) webhook({ url }); };',
  });
  const events = await fetch(`${mock.controlUrl}/events`);
  const all = [...FORMS, ...MORE];
  await ask(mock, '/momo/all', { method: 'POST', body: all });
  const path = `/webhooks?waitFor=${all.length}&limit=10000&timeout=60000`;
  const { text: listed, json } = await control(mock, `GET ${path}`);
  const { webhooks } = json as { webhooks: { url: string }[] };
  expect(webhooks).toHaveLength(all.length);
  const shown = webhooks.map(({ url }, at) => [all[at], url]);
  expect(shown.filter(([, url]) => shapes.test(`${url}`))).toEqual([]);
  expect(new Set(webhooks.map(({ url }) => url))).toContain('http://[redacted]@127.0.0.1:1/hook');
  expect(listed).not.toMatch(shapes);

  for (const url of ['http://127.0.0.1:1/none', ...all.slice(0, 5)]) {
    const failed = await control(mock, 'POST /verify/webhooks', { body: { url, status: 299 } });
    expect(failed.text).toContain('MOMO_MOCK_NOT_VERIFIED');
    expect(failed.text).not.toMatch(shapes);
  }
  for (const id of [1, 2, all.length - 1]) {
    expect((await control(mock, `POST /webhooks/${id}/send`)).text).not.toMatch(shapes);
  }
  let stream = '';
  for await (const part of events.body ?? []) {
    stream += Buffer.from(part).toString();
    if (stream.includes(`"id":${all.length + 3},`)) break;
  }
  expect(stream).toContain('event: webhook');
  expect(stream).not.toMatch(shapes);
  expect(JSON.stringify(mock.records)).not.toMatch(shapes);
});

const mock = sharedMock(NOTIFY);

it.each([
  ['http:user:pass@127.0.0.1:1/hook?a=1#b', 'http://[redacted]@127.0.0.1:1/hook?a=1'],
  ['HTTP://127.0.0.1:1', 'http://127.0.0.1:1/'],
  ['http://127.0.0.1:1/a b?c=d e&c=%2B', 'http://127.0.0.1:1/a%20b?c=d%20e&c=%2B'],
  ['http://127.0.0.1:1/?token=sekret&n=a+b', 'http://127.0.0.1:1/?token=[redacted]&n=a+b'],
  ['http://127.0.0.1:1/%zz?a=1,2&b', 'http://127.0.0.1:1/%zz?a=1,2&b'],
  ['/hook', '/hook'],
  ['127.0.0.1:1/hook', '127.0.0.1:1/hook'],
  ['user:pass@127.0.0.1', '[invalid URL]'],
])(
  'the journal shows the webhook URL %s as %s, and finds it as it was given',
  async (url, shown) => {
    await notify(mock(), { url });
    expect(await mock().webhooks({ waitFor: 1, url })).toMatchObject([{ url: shown }]);
    const refused = /^\[|\[redacted\]/.test(shown);
    for (const expected of refused ? [url] : [url, shown]) {
      await mock().verifyWebhooks({ url: expected, times: 1 });
    }
  },
);

it.each([
  ['/a?token=t0ken&b=t0ken&b=2', '/a?token=[redacted]&b=[redacted]&b=2'],
  ['/alice-key/x#alice-key', '/[redacted]/x'],
  ['/?x=an%20alice%2Dkey', '/?x=an+[redacted]'],
])(
  'the journal shows the webhook URL %s as %s, without a secret by its name or its value',
  async (path, shown) => {
    await mock().createAccount({ apiKey: 'alice-key' });
    await notify(mock(), { url: `http://127.0.0.1:1${path}` });
    const [entry] = await mock().webhooks({ waitFor: 1 });
    expect(entry?.url).toBe(`http://127.0.0.1:1${shown}`);
  },
);

it('the journal shows the password of a webhook URL nowhere else in the attempt', async () => {
  await notify(mock(), { url: 'http://user:t%30ken@127.0.0.1:1/?y=t0ken', body: 'a t0ken' });
  expect(await mock().webhooks({ waitFor: 1 })).toMatchObject([
    { url: 'http://[redacted]@127.0.0.1:1/?y=[redacted]', body: 'a [redacted]' },
  ]);
});
