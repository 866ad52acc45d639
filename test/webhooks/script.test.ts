import { describe, expect, it } from 'vitest';
import { AS_JSON, control } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';
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

it('a webhook script determines each of the next webhooks, however many attempts it needs', async () => {
  const mock = await startMock(NOTIFY);
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
  const mock = await startMock(NOTIFY);
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
  const mock = await startMock(NOTIFY);
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
  const mock = await startMock(NOTIFY);
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

it('is for the webhook that it means: the first entry that fits, and each is used once', async () => {
  const mock = await startMock(NOTIFY);
  const { url } = await startWebhook();
  await mock.freeze();
  await mock.scriptWebhooks([
    { match: { body: { data: { status: 'success' } } }, lose: true },
    { match: { body: 'plain', headers: { 'X-Kind': 'b' } }, delay: 1 },
    { match: { url, method: 'put' }, delay: 2 },
    { match: { body: { n: 12345678901234567890n } }, delay: 3 },
    { delay: 4 },
  ]);
  const json = (status: string) => ({ data: { status, id: 7 }, more: [] });
  const webhooks = [
    { body: json('pending') },
    { body: json('success') },
    { body: json('success') },
    { body: 'a plain text', headers: { 'x-kind': 'a' } },
    { body: 'a plain text', headers: { 'x-kind': 'b' } },
    { body: 'put', method: 'PUT' },
    { body: '{"n":12345678901234567891}' },
    { body: '{"n":12345678901234567890.0}' },
  ];
  for (const webhook of webhooks) await notify(mock, { url: `${url}?query=1`, ...webhook });
  await mock.advance('idle');
  const made = (await madeIn(mock)).map(([body, , outcome, ms]) => [body, outcome, ms]);
  const [pending, success] = [json('pending'), json('success')].map((body) => JSON.stringify(body));
  expect(made).toEqual([
    [success, 'lost', 0],
    [success, 200, 0],
    ['a plain text', 200, 0],
    ['{"n":12345678901234567891}', 200, 0],
    ['a plain text', 200, 1],
    ['put', 200, 2],
    ['{"n":12345678901234567890.0}', 200, 3],
    [pending, 200, 4],
  ]);
});

it('is for a webhook on demand too, and stays for one that it does not mean', async () => {
  const mock = await startMock();
  const { url } = await startWebhook();
  await mock.scriptWebhooks([{ match: { url: `${url}?a=2` }, lose: true }]);
  expect((await mock.sendWebhook({ url: `${url}?a=1` })).status).toBe(200);
  expect((await mock.sendWebhook({ url: `${url}?a=2` })).reason).toBe('lost');
  expect((await mock.sendWebhook({ url: `${url}?a=2` })).status).toBe(200);
});

it.each<[part: string, match: (url: string) => object, shown: object]>([
  [
    'the password of its URL',
    (url) => ({ url: url.replace('//', '//shop:sekret@') }),
    { url: expect.stringMatching(/^http:\/\/\[redacted\]@[^@]*\/hook$/) },
  ],
  [
    'a parameter of its URL',
    (url) => ({ url: `${url}?token=sekret&a=sekret` }),
    { url: expect.stringContaining('/hook?token=[redacted]&a=[redacted]') },
  ],
  [
    'a header',
    () => ({ headers: { 'X-Signature': 'sekret' } }),
    { headers: { 'x-signature': '[redacted]' } },
  ],
  [
    'a member of its body',
    () => ({ body: { token: 'sekret', items: [{ id: 'a sekret' }] } }),
    { body: { token: '[redacted]', items: [{ id: 'a [redacted]' }] } },
  ],
  ['its body', () => ({ body: '"token":"sekret"' }), { body: '"token":"[redacted]"' }],
])('means a secret in %s, and does not show it', async (_part, match, shown) => {
  const mock = await startMock();
  const { url } = await startWebhook();
  const send = async (secret: string) => {
    const { reason } = await mock.sendWebhook({
      url: `${url.replace('//', `//shop:${secret}@`)}?token=${secret}&a=${secret}`,
      headers: { 'x-signature': secret },
      body: { token: secret, items: [{ id: `a ${secret}` }] },
    });
    return reason;
  };
  await mock.scriptWebhooks([{ match: match(url), lose: true }]);
  expect(await mock.webhookScript()).toEqual([{ match: shown, lose: true }]);
  const unused = await mock.verifyUsed().catch(({ message }) => message);
  expect(unused).toContain('1 scripted webhook was not used');
  expect(unused).not.toContain('sekret');
  expect(await send('other')).toBeNull();
  expect(await send('sekret')).toBe('lost');
});

it('keeps what it means, with all digits, in a snapshot', async () => {
  const mock = await startMock();
  const { url } = await startWebhook();
  const account = await mock.createAccount();
  await account.scriptWebhooks([{ match: { body: { n: 12345678901234567890n } }, lose: true }]);
  const snapshot = await account.snapshot();
  await account.reset();
  await account.restore(snapshot);
  const send = async (body: string) => (await account.sendWebhook({ url, body })).reason;
  expect(await send('{"n":12345678901234567891}')).toBeNull();
  expect(await send('{"n":12345678901234567890}')).toBe('lost');
});

it('a webhook is searched for 100 texts at most, and compared with many more objects', async () => {
  const { scriptWebhooks } = await startMock();
  const texts = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ match: { body: `"order-${at}"` } }));
  const objects = Array.from({ length: 4000 }, (_, at) => ({ match: { body: { order: at } } }));
  await scriptWebhooks([...texts(100), ...objects]);
  const refused = 'webhooks: must be at most 100 with a text as match.body in total.';
  await expect(scriptWebhooks(texts(101))).rejects.toThrow(refused);
});

it.each<[message: string, script: unknown]>([
  [
    'Unknown field "webhooks[1].match.status". Use only url, method, headers, body.',
    [{}, { match: { status: 200 } }],
  ],
  ['Unknown field "webhooks[0].match.bodi". Did you mean "body"?', [{ match: { bodi: 1 } }]],
  ['[0].match.method: must be an HTTP method', [{ match: { method: 'PUSH' } }]],
  ['[1].match.url: must begin with http:// or https://', [{}, { match: { url: 'localhost' } }]],
  [
    '[0].match.body.a: [redacted] and … only stand for what the journal hides. Expect the value',
    [{ match: { body: { a: 'x [redacted]' } } }],
  ],
  ['[0].match: must be an object with some of', [{ match: 'success' }]],
  ['[0].before: must be true or false or a whole number from 1 to 10000.', [{ before: 0 }]],
  ['[0].before: must be true or false or a whole number from 1 to 10000.', [{ before: 10_001 }]],
  ['[0].before: must be true or false or a whole number from 1 to 10000.', [{ before: 'yes' }]],
  [
    'must be a list of at most 10000 objects with some of match, lose, delay, repeat, forge, before.',
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
  const mock = await startMock();
  const refused = mock.scriptWebhooks(script as ScriptedWebhook[]);
  await expect(refused).rejects.toMatchObject({
    code: 'MOMO_MOCK_REQUEST_INVALID',
    message: expect.stringMatching(/^(Failed to read |Unknown field ")webhooks/),
  });
  await expect(refused).rejects.toThrow(message);
});

describe('/webhooks/script', () => {
  const mock = sharedMock(NOTIFY, { control: true });

  it('gets more entries, and loses one by its id, whatever was taken meanwhile', async () => {
    const { url, calls } = await startWebhook();
    const idsOf = ({ json }: { json: unknown }) => (json as { ids: number[] }).ids;
    await mock().scriptWebhooks([{ lose: true }]);
    const script = [{}, { match: { body: { n: 1 } }, repeat: 2 }, { lose: true }];
    const added = await control(mock(), 'POST /webhooks/script', { body: script });
    expect(added.json).toMatchObject({ script: [{ lose: true }, ...script] });
    const [first, second, third, last] = idsOf(added);
    await mock().sendWebhook({ url, body: { n: 1 } });
    expect(idsOf(await control(mock(), 'GET /webhooks/script'))).toEqual([second, third, last]);
    for (const [id, status] of [
      ...[
        [third, 204],
        [last, 204],
        [last, 404],
        [first, 404],
      ],
      ...[['sekret', 404]],
    ]) {
      const { json, ...removed } = await control(mock(), `DELETE /webhooks/script/${id}`);
      expect(removed, `${id}`).toMatchObject({ status });
      const error = { code: 'MOMO_MOCK_WEBHOOK_UNKNOWN' };
      expect(json).toEqual(status === 204 ? undefined : { error: expect.objectContaining(error) });
      expect(removed.text).not.toContain('sekret');
    }
    expect(await mock().webhookScript()).toEqual([{}]);
    await mock().sendWebhook({ url, body: { n: 1 } });
    expect(calls).toHaveLength(1);
    expect(await mock().webhookScript()).toEqual([]);
    const refused = await control(mock(), 'POST /webhooks/script', { body: [{ loose: true }] });
    expect(refused.status).toBe(400);
    await mock().scriptWebhooks(Array(10_000).fill({}));
    const full = await control(mock(), 'POST /webhooks/script', { body: [{}] });
    expect(full.json).toMatchObject({
      error: { message: expect.stringContaining('at most 10000 in total, and 10000 are left') },
    });
  });

  it('is shown with its digits, and without a key that it means', async () => {
    const put = (body: string) =>
      control(mock(), 'PUT /webhooks/script', { body, headers: AS_JSON });
    const idOf = async () => {
      const { json } = await control(mock(), 'GET /webhooks/script');
      return (json as { ids: number[] }).ids;
    };
    const digits = '[{"match":{"body":{"n":12345678901234567890}},"before":true}]';
    expect((await put(digits)).text).toBe(`{"script":${digits},"ids":[${await idOf()}]}`);
    await put('[{"match":{"body":{"payer":"key-of-later"}}}]');
    await mock().createAccount({ apiKey: 'key-of-later' });
    const { text } = await control(mock(), 'GET /webhooks/script');
    expect(text).toBe(
      `{"script":[{"match":{"body":{"payer":"[redacted]"}}}],"ids":[${await idOf()}]}`,
    );
  });
});
