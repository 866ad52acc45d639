import { expect, it } from 'vitest';
import { ask, send } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

it('the journal shows no configured key and no secret of a request, wherever they are', async () => {
  const mock = await startMock({}, { apiKeys: ['right-key-4711'] });
  const body = { token: 'wrong-token-42', note: 'sekret-sid wrong-key-0815' };
  const headers = {
    'x-note': 'right-key-4711',
    'x-right-key-4711': 'v',
    'x-other': 'wrong-key-0815 wrong-token-42',
    cookie: 'sid=sekret-sid',
  };
  await send(mock, '/momo/balance?apikey=wrong-key-0815&x=sekret-sid', { headers, body });
  await send(mock, '/momo/right-key-4711?z=right-key-4711&right-key-4711=1&short=key');
  const text = JSON.stringify(await mock.requests());
  for (const key of ['right-key-4711', 'wrong-key-0815', 'wrong-token-42', 'sekret-sid']) {
    expect(text).not.toContain(key);
  }
  expect(text).toContain('"short":"key"');
});

it('the journal shows no part of a key at the end of a cut body', async () => {
  const mock = await startMock({}, { apiKeys: ['right-key-4711'] });
  const body = `${'x'.repeat(65_536 - 'right-key'.length)}right-key-4711`;
  await ask(mock, '/momo/balance', { body });
  const [entry] = await mock.requests();
  expect(entry?.body).toMatch(/x\[redacted\]$/);
});

it('the journal shows no value of a header or parameter with the name of a secret, however short', async () => {
  const mock = await startMock();
  const secrets = { cookie: 'x=1', authorization: 'abc', 'x-session-token': 't' };
  await ask(mock, '/momo/balance?key=k', { headers: { ...secrets, 'idempotency-key': 'i' } });
  expect(await mock.requests()).toMatchObject([
    {
      query: { key: '[redacted]', apikey: '[redacted]' },
      headers: {
        cookie: '[redacted]',
        authorization: '[redacted]',
        'x-session-token': '[redacted]',
        'idempotency-key': 'i',
      },
    },
  ]);
});

it('the journal stays readable if a key is a common word', async () => {
  const mock = await startMock({}, { apiKeys: ['balance', 'GET'] });
  await send(mock, '/momo/balance?apikey=balance&x=balance&y=my-balance');
  await send(mock, '/momo/balance?apikey=GET');
  expect(await mock.requests()).toMatchObject([
    {
      path: '/momo/balance',
      operation: 'GET /momo/balance',
      query: { x: '[redacted]', y: 'my-[redacted]' },
    },
    { method: 'GET', path: '/momo/balance', account: 'account-2' },
  ]);
});
