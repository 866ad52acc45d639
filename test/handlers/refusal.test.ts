import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startLogged, startMock } from '../support/mock.ts';

const FILES = {
  'pay.post.js': `export default ({ body }) => ({
    status: 402, reason: 'wrong-pin', hint: 'Send the PIN 1234, not ' + body.password + '.' });`,
  'block.post.js': "export default () => ({ status: 403, reason: 'blocked' });",
  'errors/402.js': 'export default ({ reason }) => ({ body: { why: reason } });',
  'errors/403.json': { fixed: true },
};

it('a handler refuses a request for a reason of its own, as the mock does', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  const sent = { method: 'POST', body: { password: '4321' } };
  expect(await ask(account, '/pay', sent)).toMatchObject({
    status: 402,
    json: { why: 'wrong-pin' },
  });
  const [entry] = await account.requests({ reason: 'wrong-pin' });
  expect(entry).toMatchObject({
    status: 402,
    source: 'handler',
    reason: 'wrong-pin',
    hint: 'Send the PIN 1234, not [redacted].',
  });
  await account.verify({ reason: 'wrong-pin', times: 1 });
  await expect(account.verify({ reason: 'wrong-otp' })).rejects.toThrow('POST /pay 402 wrong-pin');
  await expect(account.verify({ reason: 'key-mising', times: 0 })).rejects.toThrow(
    'reason: must be one of key-missing, ',
  );
});

it('a reason with a key in it is redacted where it is shown, and compared as it is', async () => {
  const mock = await startLogged(FILES, { API_KEYS: 'good,wrong', LOG_LEVEL: 'info' });
  const { apiKey } = await mock.createAccount({ apiKey: 'another' });
  expect((await ask({ ...mock, apiKey }, '/pay', { method: 'POST', body: {} })).status).toBe(402);
  const [entry] = await mock.requests({ reason: 'wrong-pin' });
  expect(entry).toMatchObject({ status: 402, reason: '[redacted]-pin' });
  await mock.verify({ reason: 'wrong-pin' });
  await expect(mock.verify({ reason: 'wrong-pin', times: 2 })).rejects.toThrow(
    'reason "[redacted]-pin" exactly 2 times, but 1 of 1 request matches: request 1, POST /pay 402 [redacted]-pin',
  );
  await expect(mock.verify({ reason: 'wrong-otp' })).rejects.toThrow(
    'reason: expected "[redacted]-otp", received "[redacted]-pin"',
  );
  const metrics = await (await fetch(`${mock.controlUrl}/metrics`)).text();
  expect(metrics).toContain('{status="402",reason="[redacted]-pin"} 1');
  expect(mock.records).toContainEqual(expect.objectContaining({ reason: '[redacted]-pin' }));
  expect(mock.logged() + metrics).not.toContain('wrong');
});

it('the response of a handler without a body has that of the error, and no hint', async () => {
  const mock = await startMock(FILES);
  expect(await ask(mock, '/block', { method: 'POST' })).toMatchObject({
    status: 403,
    json: { fixed: true },
  });
  expect(await mock.requests()).toMatchObject([{ reason: 'blocked', hint: null }]);
});

it('a response that a test scripted instead has no reason of the handler', async () => {
  const mock = await startMock(FILES);
  await mock.respondWith([{ status: 402, afterHandler: true }, { delay: 1 }]);
  for (const why of [null, 'wrong-pin']) {
    const { json } = await ask(mock, '/pay', { method: 'POST', body: {} });
    expect(json).toEqual({ why });
  }
  expect(await mock.requests()).toMatchObject([
    { source: 'script', reason: null, hint: null },
    { source: 'handler', reason: 'wrong-pin' },
  ]);
});

it('an error handler cannot give another reason', async () => {
  const mock = await startMock({
    'errors/404.js': "export default () => ({ reason: 'not-here', body: 1 });",
  });
  expect(await ask(mock, '/missing')).toMatchObject({ status: 500, text: '' });
  expect(await mock.requests()).toMatchObject([{ reason: 'unknown-path' }]);
});

it('metrics count reasons of handlers until there are 1,000 outcomes', async () => {
  const mock = await startMock(
    { 'pay.post.js': "export default ({ body }) => ({ status: 400, reason: 'no-' + body });" },
    { control: true },
  );
  for (let at = 0; at < 1003; at++) await ask(mock, '/pay', { method: 'POST', body: `${at}` });
  const metrics = await (await fetch(`${mock.controlUrl}/metrics`)).text();
  expect(metrics.match(/_requests_total\{.*reason="no-\d+"/g)).toHaveLength(1000);
  expect(metrics).toMatch(/_requests_total\{.*reason="other".*\} 3\n/);
});
