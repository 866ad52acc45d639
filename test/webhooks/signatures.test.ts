import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sharedMock, startMock } from '../support/mock.ts';
import { BODY, PROVIDERS, SECRET } from '../support/providers.ts';
import { type Call, NOTIFY, notify, startWebhook } from '../support/webhook.ts';

const mock = sharedMock(NOTIFY);

describe('a signature', () => {
  it.each(PROVIDERS)(
    'of %s is valid, and its secret is shown nowhere',
    async (_name, sign, verify) => {
      const { url, calls } = await startWebhook();
      await notify(mock(), { url, body: BODY, sign });
      const entries = await mock().webhooks({ waitFor: 1 });
      const [call] = calls;
      expect(JSON.parse(`${call?.body}`)).toEqual(BODY);
      verify(call as Call);
      expect(entries).toMatchObject([{ status: 200 }]);
      for (const shown of [entries, await mock().requests()]) {
        expect(JSON.stringify(shown)).not.toContain(SECRET.slice('whsec_'.length));
      }
      const [name = ''] = Object.keys(sign.headers ?? {}).slice(-1);
      expect(entries[0]?.headers[name.toLowerCase()]).toBe('[redacted]');
    },
  );

  it('is created for each attempt with the real time, and keeps its id when the webhook is sent again', async () => {
    const mock = await startMock(NOTIFY, { control: true });
    const { url, calls } = await startWebhook(500);
    const [, sign, verify] = PROVIDERS.find(([name]) => name === 'Standard Webhooks') ?? [];
    await mock.freeze();
    await mock.advance(86_400_000);
    await mock.scriptWebhooks([{ repeat: 2 }]);
    await notify(mock, { url, body: BODY, sign, retry: [86_400_000] });
    const began = Math.floor(Date.now() / 1000);
    await mock.advance('idle');
    const [first] = await mock.webhooks();
    await fetch(`${mock.controlUrl}/webhooks/${first?.id}/send`, { method: 'POST' });
    expect(calls).toHaveLength(5);
    for (const call of calls) {
      verify?.(call);
      expect(Number(call.headers['webhook-timestamp'])).toBeGreaterThanOrEqual(began);
    }
    expect(new Set(calls.map((call) => call.headers['webhook-id'])).size).toBe(1);
    await notify(mock, { url, body: BODY, sign });
    await mock.advance('idle');
    expect(new Set(calls.map((call) => call.headers['webhook-id'])).size).toBe(2);
  });

  it('can have any payload, in which apparent patterns are only text', async () => {
    const { url, calls } = await startWebhook();
    const sign = {
      secret: 'k$&y',
      algorithm: 'sha1',
      payload: '$1{secret}|{body}|{"x":1}',
      headers: { 'x-mac': '{signature}', 'x-copy': '{body}{id}{id}' },
    };
    await notify(mock(), { url, form: { a: '$& {id}' }, sign, headers: { 'X-Mac': 'mine' } });
    await mock().webhooks({ waitFor: 1 });
    const [call] = calls;
    const expected = createHmac('sha1', 'k$&y')
      .update(`$1k$&y|${call?.body}|{"x":1}`)
      .digest('hex');
    expect(call?.headers['x-mac']).toBe(expected);
    expect(call?.headers['x-copy']).toMatch(/^a=%24%26\+%7Bid%7D([\w-]{36})\1$/);
  });
});
