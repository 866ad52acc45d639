import * as crypto from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { ask, control } from '../support/client.ts';
import { sharedMock } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';

vi.mock('node:crypto', async (original) => ({ ...(await original<typeof crypto>()) }));

const mock = sharedMock(
  {
    'momo/sign.post.js': 'export default ({ body }, { webhook }) => webhook(body);',
    'momo/list.post.js': `export default ({ body }, { webhook }) => {
      for (let n = 0; n < body.count; n++) {
        webhook({ url: body.url, body: 'x'.repeat(1_048_576), delay: 60_000 });
      }
    };`,
  },
  { control: true },
);

const SECRET = 'k'.repeat(4096);
const URL = 'http://127.0.0.1:9/';
const MIB = 1_048_576;
const header = 'x-signature';
const repeated = (text: string, count: number) => text.repeat(count);

const REFUSED: [what: string, webhook: object, words: string][] = [
  [
    'a payload of many secrets',
    { sign: { secret: SECRET, header, payload: repeated('{secret}', 1025) } },
    'sign.payload: must be at most 4 MiB with its placeholders filled',
  ],
  [
    'a payload of many bodies',
    {
      body: repeated('x', 100_000),
      sign: { secret: 'k', header, payload: repeated('{body}', 42) },
    },
    'sign.payload: must be at most 4 MiB',
  ],
  [
    'headers of many secrets that a forgery makes longer',
    { sign: { secret: 'k', headers: { a: repeated('{secret}', 380) } } },
    'sign.headers: must be at most 16 KiB',
  ],
  [
    'headers of many secrets',
    {
      sign: { secret: SECRET, headers: { a: repeated('{secret}', 2), b: repeated('{secret}', 2) } },
    },
    'sign.headers: must be at most 16 KiB with their placeholders filled',
  ],
  [
    'a header with a long body',
    { body: repeated('x', 17_000), sign: { secret: 'k', headers: { a: '{body}' } } },
    'sign.headers: must be at most 16 KiB',
  ],
  ['long headers', { headers: { a: repeated('x', 17_000) } }, 'headers: must be at most 16 KiB'],
  [
    'a long secret',
    { sign: { secret: `${SECRET}k`, header } },
    'sign.secret: must be text of at most 4096',
  ],
];

it.each(REFUSED)(
  'a webhook is refused for %s, wherever it is given',
  async (_what, more, words) => {
    const webhook = { url: URL, ...more };
    const digest = vi.spyOn(crypto, 'createHmac');
    for (const [line, body] of [
      ['POST /webhooks', webhook],
      ['PUT /responses', { webhook }],
      ['PUT /responses', [{ webhook: [webhook] }]],
    ] as const) {
      const { status, text } = await control(mock(), line, { body });
      expect([status, JSON.parse(text).error.message]).toEqual([
        400,
        expect.stringContaining(words),
      ]);
    }
    await expect(mock().respondWith({ webhook })).rejects.toThrow(words);
    expect((await ask(mock(), '/momo/sign', { method: 'POST', body: webhook })).status).toBe(500);
    expect(digest).not.toHaveBeenCalled();
    expect(await mock().webhooks()).toEqual([]);
  },
);

it('a body of 1 MiB can be signed a few times', async () => {
  const { url, calls } = await startWebhook();
  const body = repeated('x', MIB);
  const sign = { secret: SECRET, header, payload: '{body}.{body}.{body}' };
  await mock().handle('POST /momo/long', (_request, { webhook }) => {
    webhook({ url, body, sign });
    return {};
  });
  expect((await ask(mock(), '/momo/long', { method: 'POST' })).status).toBe(200);
  expect(await mock().webhooks({ waitFor: 1 })).toMatchObject([{ status: 200 }]);
  expect(calls).toHaveLength(1);
});

it.each([
  ['a response', (sign: object) => mock().respondWith({ webhook: { url: URL, sign } as never })],
  [
    'a call',
    (sign: object) => void control(mock(), 'POST /webhooks', { body: { url: URL, sign } }),
  ],
])(
  'a webhook of %s that cannot be signed is a failed attempt with a reason',
  async (_what, send) => {
    vi.spyOn(crypto, 'createHmac').mockImplementation(() => {
      throw new Error('digital envelope routines::unsupported');
    });
    await mock().scriptWebhooks([{ repeat: 3 }]);
    await send({ secret: 'k', header });
    await ask(mock());
    expect(await mock().webhooks({ waitFor: 1 })).toMatchObject([
      { status: null, reason: 'not-signed', hint: expect.stringContaining('sign') },
    ]);
    await mock().advance('idle');
    expect(await mock().webhooks()).toHaveLength(1);
    const { text } = await control(mock(), 'GET /health');
    expect(text).not.toContain('"pending":1');
  },
);

it('webhooks of 64 MiB can be queued, and again after a reset', async () => {
  const post = async (count: number) =>
    (await ask(mock(), '/momo/list', { method: 'POST', body: { url: URL, count } })).status;
  await mock().freeze();
  expect(await post(64)).toBe(200);
  expect(await post(1)).toBe(500);
  expect((await mock().requests()).at(-1)).toMatchObject({ reason: 'handler-failed' });
  await mock().reset();
  await mock().freeze();
  expect(await post(1)).toBe(200);
});

it('a webhook at the end of the year 9999 is sent and retried, and none is left', async () => {
  const { url } = await startWebhook(500);
  await mock().freeze();
  const most = 100 * 365 * 86_400_000;
  let left = Date.parse('9999-12-31T23:59:59Z') - Date.now();
  for (; left > 0; left -= most) await mock().advance(Math.min(left, most));
  const webhook = { url, delay: 60_000, retry: [60_000] };
  expect((await ask(mock(), '/momo/sign', { method: 'POST', body: webhook })).status).toBe(200);
  await mock().advance('idle');
  expect(await mock().webhooks()).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
});
