import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

const OPTIONS = { notSecret: ['Key', 'pass_type'], apiKeys: ['configured-key'] };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

it.each<{ kind: string; body: unknown; headers?: Record<string, string>; shown: string }>([
  {
    kind: 'JSON',
    body: '{"a":[{"Key":"Amount","Value":10}],"pass_type":"gold","note":"Amount"}',
    shown: '{"a":[{"Key":"Amount","Value":10}],"pass_type":"gold","note":"Amount"}',
  },
  {
    kind: 'JSON with another letter case, and a longer name',
    body: { key: 'sekret', KEY: 'sekret', apiKey: 'sekret', Key: 'Amount' },
    shown: '{"key":"[redacted]","KEY":"[redacted]","apiKey":"[redacted]","Key":"Amount"}',
  },
  {
    kind: 'JSON with known secrets inside',
    body: { Key: 'a configured-key', token: 'sekret-7', a: [{ Key: 'a sekret-7' }] },
    shown: '{"Key":"a [redacted]","token":"[redacted]","a":[{"Key":"a [redacted]"}]}',
  },
  {
    kind: 'JSON below a secret name',
    body: { token: { Key: 'sekret-8' }, note: 'sekret-8' },
    shown: '{"token":"[redacted]","note":"[redacted]"}',
  },
  {
    kind: 'a form',
    body: 'Key=Amount&key=sekret&pass_type=gold&x=1',
    headers: FORM,
    shown: 'Key=Amount&key=[redacted]&pass_type=gold&x=1',
  },
  {
    kind: 'broken JSON',
    body: '{"Key":"Amount","key":"sekret"',
    shown: '{"Key":"Amount","key":"[redacted]"',
  },
  {
    kind: 'XML',
    body: '<a><Key>Amount</Key><key>sekret</key></a>',
    shown: '<a><Key>Amount</Key><key>[redacted]</key></a>',
  },
])(
  'a name that is no secret is shown with its value in $kind',
  async ({ body, headers, shown }) => {
    const mock = await startMock({}, OPTIONS);
    await ask(mock, '/momo/balance', { method: 'POST', body, ...(headers && { headers }) });
    const [entry] = await mock.requests();
    expect(entry?.body).toBe(shown);
  },
);

it('a name that is no secret in bodies is one in headers and queries', async () => {
  const mock = await startMock({}, OPTIONS);
  await ask(mock, '/momo/balance?Key=sekret', { headers: { Key: 'sekret' } });
  const [entry] = await mock.requests();
  expect(entry).toMatchObject({ query: { Key: '[redacted]' }, headers: { key: '[redacted]' } });
});

it('a failed verification shows the values of names that are no secrets', async () => {
  const mock = await startMock({}, OPTIONS);
  await ask(mock, '/momo/balance?Key=sekret', {
    method: 'POST',
    body: { Key: 'Amount', key: 'sekret' },
  });
  const expected = { query: { Key: 'other' }, body: { Key: 'Fee', key: 'other' } };
  await expect(mock.verify(expected)).rejects.toThrow(
    [
      'expected a request with query {"Key":"[redacted]"}, body {"Key":"Fee","key":"[redacted]"} at least once, but 0 of 1 request matches.',
      'The closest is request 1, POST /momo/balance 405 wrong-method:',
      '  query.Key: expected [redacted], received [redacted]',
      '  body.Key: expected "Fee", received "Amount"',
      '  body.key: expected [redacted], received [redacted]',
    ].join('\n'),
  );
});

it('without the setting, a name that looks like a secret is one', async () => {
  const mock = await startMock();
  await ask(mock, '/momo/balance', { method: 'POST', body: { Key: 'Amount' } });
  expect((await mock.requests())[0]?.body).toBe('{"Key":"[redacted]"}');
});
