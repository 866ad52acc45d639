import { describe, expect, it } from 'vitest';
import { sharedMock, startMock } from '../support/mock.ts';
import type { WebhookForgery, WebhookSignature } from '../support/momo-mock.ts';
import { BODY, PROVIDERS } from '../support/providers.ts';
import { type Call, NOTIFY, notify, startWebhook } from '../support/webhook.ts';

const FORGERIES: readonly WebhookForgery[] = ['signature', 'timestamp', 'body', 'missing'];

/** What of a provider can be forged. */
function forgeable([
  ,
  { payload, headers },
]: (typeof PROVIDERS)[number]): readonly WebhookForgery[] {
  const text = JSON.stringify({ payload, headers });
  return FORGERIES.filter(
    (forge) =>
      (forge !== 'timestamp' || text.includes('{timestamp}')) &&
      (forge !== 'body' || text.includes('{signature}')),
  );
}

it.each(PROVIDERS)('a forged webhook of %s is refused, in every attempt', async (...provider) => {
  const [, sign, verify] = provider;
  const mock = await startMock(NOTIFY);
  const { url, calls } = await startWebhook(401);
  const forgeries = forgeable(provider);
  await mock.freeze();
  await mock.scriptWebhooks(forgeries.map((forge) => ({ forge, repeat: 2, delay: 5 })));
  for (const _ of forgeries) await notify(mock, { url, body: BODY, sign, retry: [10] });
  await notify(mock, { url, body: BODY, sign });
  await mock.advance('idle');
  const entries = await mock.webhooks();
  expect(calls).toHaveLength(forgeries.length * 4 + 1);
  const refused = calls.filter((call) => {
    JSON.parse(call.body);
    return isRefused(() => verify(call));
  });
  expect(refused).toHaveLength(forgeries.length * 4);
  expect(entries.map(({ forge }) => forge).sort()).toEqual(
    [null, ...forgeries.flatMap((forge) => [forge, forge, forge, forge])].sort(),
  );
});

it('a webhook on demand can be forged, and the other signature of the secret is refused', async () => {
  const mock = await startMock();
  const { url, calls } = await startWebhook(401);
  const [, sign, verify] = PROVIDERS[0] as (typeof PROVIDERS)[number];
  await mock.scriptWebhooks([{ forge: 'body', delay: 86_400_000 }]);
  const entry = await mock.sendWebhook({ url, body: BODY, sign });
  expect(entry).toMatchObject({ forge: 'body', status: 401, attempt: 1 });
  expect(JSON.parse(`${calls[0]?.body}`)).toEqual({ ...BODY, amount: BODY.amount + 1 });
  expect(isRefused(() => verify(calls[0] as Call))).toBe(true);
  expect(await mock.sendWebhook({ url, body: BODY, sign })).toMatchObject({ forge: null });
  verify(calls[1] as Call);
});

function isRefused(verify: () => void): boolean {
  try {
    verify();
    return false;
  } catch {
    return true;
  }
}

describe('a forgery', () => {
  const mock = sharedMock(NOTIFY);
  const hmac = { secret: 'sekret', headers: { 'x-mac': '{signature}' } };
  const copied = { secret: 'sekret', headers: { 'verif-hash': '{secret}' } };
  const dated = { secret: 'sekret', headers: { 'x-time': '{timestamp}' } };

  it.each<{
    forge: WebhookForgery;
    why: string;
    webhook: { sign?: WebhookSignature; body?: unknown };
  }>([
    { forge: 'signature', why: 'nothing is signed', webhook: { body: 1 } },
    { forge: 'missing', why: 'nothing is signed', webhook: { body: 1 } },
    {
      forge: 'signature',
      why: 'no header has the signature or the secret',
      webhook: { body: 1, sign: dated },
    },
    { forge: 'timestamp', why: 'it has no timestamp', webhook: { body: 1, sign: hmac } },
    { forge: 'body', why: 'there is no body', webhook: { sign: hmac } },
    { forge: 'body', why: 'the signature is not of the body', webhook: { body: 1, sign: copied } },
    {
      forge: 'body',
      why: 'the payload has no body',
      webhook: { body: 1, sign: { ...hmac, payload: '{id}' } },
    },
  ])(
    'of the kind $forge is not sent if $why, and the journal says so',
    async ({ forge, webhook }) => {
      const { url, calls } = await startWebhook();
      await mock().freeze();
      await mock().scriptWebhooks([{ forge, repeat: 3, lose: forge === 'missing' }]);
      await notify(mock(), { url, retry: [1], ...webhook });
      await mock().advance('idle');
      expect(await mock().webhooks()).toMatchObject([
        { forge, reason: 'not-forged', status: null, hint: expect.stringContaining('sign') },
      ]);
      expect(calls).toEqual([]);
    },
  );

  it.each<[sent: string, webhook: object]>([
    ['{"a":{"b":[6]},"c":1}', { body: { a: { b: [5] }, c: 1 } }],
    ['{"a":"x0","b":false}', { body: { a: 'x', b: false } }],
    ['{"a":true,"b":null}', { body: { a: false, b: null } }],
    ['{"a":1152921504606847001}', { body: { a: 2 ** 60 } }],
    ['{"forged":true}', { body: {} }],
    ['[null]', { body: [] }],
    ['{"forged":true}', { body: null }],
    ['6', { body: '5' }],
    ['plain text0', { body: 'plain text' }],
    ['amount=5&order=A10', { form: { amount: '5', order: 'A1' } }],
  ])('of a body sends %s after signing', async (sent, webhook) => {
    const { url, calls } = await startWebhook();
    await mock().scriptWebhooks([{ forge: 'body' }, {}]);
    const entry = await mock().sendWebhook({ url, ...webhook, sign: hmac });
    await mock().sendWebhook({ url, ...webhook, sign: hmac });
    const [forged, genuine] = calls;
    expect(entry).toMatchObject({ body: sent, status: 200 });
    expect(forged).toMatchObject({ body: sent, headers: { 'content-length': `${sent.length}` } });
    expect(forged?.headers['x-mac']).toBe(genuine?.headers['x-mac']);
  });

  it('without a signature also omits a header of the same name, and a lost webhook stays lost', async () => {
    const { url, calls } = await startWebhook();
    await mock().scriptWebhooks([{ forge: 'missing' }, { forge: 'missing', lose: true }]);
    const webhook = { url, headers: { 'X-Mac': 'mine' }, sign: hmac };
    const first = await mock().sendWebhook(webhook);
    expect(await mock().sendWebhook(webhook)).toMatchObject({ forge: 'missing', reason: 'lost' });
    expect(calls).toHaveLength(1);
    expect(calls[0]?.headers).not.toHaveProperty('x-mac');
    expect(first.headers).not.toHaveProperty('x-mac');
  });
});
