import { describe, expect, it } from 'vitest';
import { control } from '../support/client.ts';
import { describeBothWays, sharedMock } from '../support/mock.ts';
import type { MomoScope, ScriptedWebhook } from '../support/momo-mock.ts';
import { NOTIFY, notify, startWebhook } from '../support/webhook.ts';

/** The attempts, as body, attempt, outcome and time since the first. */
async function madeIn(scope: MomoScope) {
  const made = await scope.webhooks();
  return made.map(({ body, attempt, status, reason, time }) => [
    body,
    attempt,
    status ?? reason,
    Date.parse(time) - Date.parse(`${made[0]?.time}`),
  ]);
}

describeBothWays((start) => {
  it('a webhook script determines each of the next webhooks, however many attempts it needs', async () => {
    const mock = await start(NOTIFY);
    const statuses = [500];
    const { url, calls } = await startWebhook((_request, response) => {
      response.writeHead(statuses.shift() ?? 200).end();
    });
    await mock.freeze();
    await mock.scriptWebhooks([{ repeat: 9 }]);
    await mock.scriptWebhooks([{}, { lose: true }, { delay: 5000 }, { repeat: 2 }]);
    for (const body of ['a', 'b', 'c', 'd', 'e']) await notify(mock, { url, body, retry: [100] });
    await mock.advance('idle');
    expect(await madeIn(mock)).toEqual([
      ['a', 1, 500, 0],
      ['b', 1, 'lost', 0],
      ['d', 1, 200, 0],
      ['e', 1, 200, 0],
      ['d', 1, 200, 0],
      ['a', 2, 200, 100],
      ['c', 1, 200, 5000],
    ]);
    expect(calls.map(({ body }) => body).join('')).toBe('adedac');
    const [, lost] = await mock.webhooks();
    expect(lost?.hint).toContain('{"lose": true}');
  });

  it('a webhook script loses a webhook once, and repeats one with all its attempts', async () => {
    const mock = await start(NOTIFY);
    const { url } = await startWebhook(500);
    await mock.freeze();
    await mock.scriptWebhooks([{ lose: true, repeat: 2 }, { repeat: 2 }]);
    for (const body of ['lost', 'twice']) await notify(mock, { url, body, retry: [1000] });
    await mock.advance('idle');
    expect(await madeIn(mock)).toEqual([
      ['lost', 1, 'lost', 0],
      ['twice', 1, 500, 0],
      ['twice', 2, 500, 1000],
      ['twice', 1, 500, 1000],
      ['twice', 2, 500, 2000],
    ]);
  });

  it('is listed and removed by the library, of an account and of all accounts', async () => {
    const mock = await start(NOTIFY);
    const account = await mock.createAccount();
    await mock.scriptWebhooks([{}, { lose: true }]);
    await account.scriptWebhooks([{ repeat: 2 }]);
    expect([await mock.webhookScript(), await account.webhookScript()]).toEqual([
      [{}, { lose: true }],
      [{ repeat: 2 }],
    ]);
    await mock.clearWebhookScript();
    expect([await mock.webhookScript(), await account.webhookScript()]).toEqual([
      [],
      [{ repeat: 2 }],
    ]);
    await account.clearWebhookScript();
    expect(await account.webhookScript()).toEqual([]);
  });

  it('of an account comes first, is for its webhooks alone, and is not used by one without a URL', async () => {
    const mock = await start(NOTIFY);
    const [one, other] = [await mock.createAccount(), await mock.createAccount()];
    await mock.freeze();
    await mock.scriptWebhooks([{ lose: true }]);
    await one.scriptWebhooks([{ repeat: 2 }]);
    for (const none of [{ url: '' }, { url: null }, {}]) await notify(one, none);
    for (const [account, body] of [
      [one, 'own'],
      [other, 'lost'],
      [one, 'more'],
    ] as const) {
      await notify(account, { url: 'nothing', body });
      await mock.advance('idle');
    }
    expect((await madeIn(mock)).map(([body, , outcome]) => [body, outcome])).toEqual([
      ['own', 'bad-url'],
      ['own', 'bad-url'],
      ['lost', 'lost'],
      ['more', 'bad-url'],
    ]);
  });

  it.each<[message: string, script: unknown]>([
    [
      'must be a list of at most 10000 objects with some of lose, delay, repeat, forge.',
      { lose: true },
    ],
    ['must be a list of at most 10000.', Array(10_001).fill({})],
    ['Unknown field "webhooks[1].loose". Did you mean "lose"?', [{}, { loose: true }]],
    ['[0].lose: must be true or false.', [{ lose: 1 }]],
    ['[0].delay: must be a whole number from 0 to 86400000.', [{ delay: -1 }]],
    ['[0].repeat: must be a whole number from 1 to 100.', [{ repeat: 0 }]],
    ['[0].repeat: must be a whole number from 1 to 100.', [{ repeat: 101 }]],
    ['[0].forge: must be one of signature, timestamp, body, missing.', [{ forge: 'all' }]],
  ])('a wrong webhook script is refused: %s', async (message, script) => {
    const mock = await start();
    const refused = mock.scriptWebhooks(script as ScriptedWebhook[]);
    await expect(refused).rejects.toMatchObject({
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: expect.stringMatching(/^(Failed to read |Unknown field ")webhooks/),
    });
    await expect(refused).rejects.toThrow(message);
  });
});

describe('/webhooks/script', () => {
  const mock = sharedMock(NOTIFY, { control: true });

  it('replaces, shows and removes the script of an account and of all accounts', async () => {
    const { apiKey } = await mock().createAccount();
    const headers = { apikey: apiKey };
    const call = async (method: string, options = {}) => {
      const { status, json } = await control(mock(), `${method} /webhooks/script`, options);
      return [status, (json as { script?: unknown } | undefined)?.script];
    };
    const script = [{}, { lose: true }, { delay: 5000 }, { repeat: 2 }];
    expect(await call('PUT', { body: script })).toEqual([200, script]);
    expect(await call('PUT', { body: [{ loose: true }] })).toEqual([400, undefined]);
    expect(await call('GET')).toEqual([200, script]);
    expect(await call('PUT', { body: [{ lose: true }] })).toEqual([200, [{ lose: true }]]);
    expect(await call('GET', { headers })).toEqual([200, []]);
    expect(await call('PUT', { headers, body: [{ repeat: 3 }] })).toEqual([200, [{ repeat: 3 }]]);
    expect(await call('DELETE')).toEqual([204, undefined]);
    expect(await call('GET')).toEqual([200, []]);
    expect(await call('GET', { headers })).toEqual([200, [{ repeat: 3 }]]);
    await control(mock(), 'POST /reset', { headers });
    expect(await call('GET', { headers })).toEqual([200, []]);
  });
});
