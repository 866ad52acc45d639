import { describe, expect, it } from 'vitest';
import { AS_JSON, ask, control } from '../support/client.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';

/** A payment is paid after a minute, with a webhook, and what is asked for later fails. */
const FILES = {
  'momo/pay.post.js': `export default ({ body, query }, { state, after, webhook }) => {
    if (query.refused) return { status: 422 };
    after(60_000, async () => {
      await state.update('paid', (paid = 0) => paid + 1);
      if (body?.url) webhook({ url: body.url, body: { status: 'success' } });
    });
    return { body: 'pending' };
  };`,
  'momo/fail.post.js': `export default (_request, { after }) => {
    after(1000, () => { throw new Error('sekret'); });
  };`,
};
const PAY = { method: 'POST', path: '/momo/pay' } as const;

const pay = (of: Pick<TestMock, 'url' | 'ca' | 'apiKey'>, query = '', body = '{}') =>
  ask(of, `/momo/pay${query}`, { method: 'POST', body, headers: AS_JSON });

/** No test waits as long. */
const LONG = 60_000;

it('finishes a payment whose request arrives later, or has arrived', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  const { url, calls } = await startWebhook();
  const finished = account.finish({ ...PAY, timeout: LONG });
  await pay(account, '', JSON.stringify({ url }));
  await finished;
  expect(await account.state.get('paid')).toBe(1);
  expect(calls).toMatchObject([{ body: '{"status":"success"}' }]);
  await pay(account);
  await account.finish();
  expect(await account.state.get('paid')).toBe(2);
});

it('waits for a successful request, unless it is told the status', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await account.respondWith({ operation: 'POST /momo/pay', status: 503, fault: 'reset' });
  await pay(account).catch(() => {});
  await pay(account, '?refused=1');
  let isOver = false;
  const finished = account.finish({ timeout: LONG }).finally(() => (isOver = true));
  await account.finish({ status: 422 });
  await account.finish({ status: null, fault: 'reset' });
  expect(isOver).toBe(false);
  await pay(account);
  await finished;
  expect(await account.state.get('paid')).toBe(1);
});

it('waits for as many requests as it is told, with those before', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await pay(account);
  await account.finish(PAY);
  let isOver = false;
  const finished = account
    .finish({ ...PAY, waitFor: 2, timeout: LONG })
    .finally(() => (isOver = true));
  // Does not count.
  await ask(account);
  await account.finish({ method: 'GET', timeout: LONG });
  expect(isOver).toBe(false);
  await pay(account);
  await finished;
  expect(await account.state.get('paid')).toBe(2);
});

it('waits for the request of its own account, and moves only its clock', async () => {
  const mock = await startMock(FILES);
  const [ada, bob] = [await mock.createAccount(), await mock.createAccount()];
  await Promise.all([ada.freeze(), bob.freeze()]);
  await pay(bob);
  let isOver = false;
  const finished = ada.finish({ timeout: LONG }).finally(() => (isOver = true));
  await mock.requests({ waitFor: 1 });
  expect(isOver).toBe(false);
  await pay(ada);
  await finished;
  expect([await ada.state.get('paid'), await bob.state.get('paid')]).toEqual([1, undefined]);
  // A request of any account counts for the mock, and all clocks move.
  await mock.finish();
  expect(await bob.state.get('paid')).toBe(1);
});

it('fails after its timeout, and says what came instead', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  const none = account.finish({ timeout: 1 });
  await expect(none).rejects.toMatchObject({
    code: 'MOMO_MOCK_NOT_VERIFIED',
    message: expect.stringMatching(
      /^Failed to finish: expected a request with .*at least once, but 0 of 0 requests match\.\nNo request arrived\. Check /,
    ),
  });
  await ask({ ...account, apiKey: account.apiKey }, '/momo/paid', { method: 'POST' });
  await pay(account, '?refused=1');
  const refused = account.finish({ ...PAY, timeout: 1 });
  await expect(refused).rejects.toMatchObject({
    code: 'MOMO_MOCK_NOT_VERIFIED',
    message: expect.stringContaining(
      'The closest is request 2, POST /momo/pay 422:\n  status: expected "2xx", received 422\nIf this is the request, set status: 422.\nIf the request may still arrive, set a longer timeout.',
    ),
  });
  await account.respondWith({ operation: 'POST /momo/pay', fault: 'reset' });
  await pay(account).catch(() => {});
  await expect(account.finish({ fault: 'reset', timeout: 1 })).rejects.toThrow(
    'set status: null.\n',
  );
  expect(await account.state.get('paid')).toBeUndefined();
});

it('fails as advance does if a timer fails', async () => {
  const mock = await startMock(FILES);
  await ask(mock, '/momo/fail', { method: 'POST' });
  await expect(mock.finish()).rejects.toMatchObject({ code: 'MOMO_MOCK_TIMER_FAILED' });
});

it.each([
  [{ metod: 'POST' }, /metod.*Did you mean "method"/],
  [{ operation: 'POST /momo/pai' }, /Did you mean "POST \/momo\/pay"/],
  [{ waitFor: 0 }, /waitFor: must be a whole number from 1/],
  [{ timeout: -1 }, /timeout: must be a whole number from 0/],
  [{ times: 2 }, /times: unknown field|"times"/],
  [{ operation: undefined }, /everything matches if operation is undefined/],
  [null, /options: must be an object/],
])('refuses %j, for which nothing or everything could come', async (options, message) => {
  const mock = await startMock(FILES);
  await expect(mock.finish(options as object)).rejects.toThrow(message);
});

describe('POST /finish', () => {
  it('responds with the clock, without a body too', async () => {
    const mock = await startMock(FILES, { control: true });
    const account = await mock.createAccount();
    await pay(account);
    const { apiKey: apikey } = account;
    const bare = await control(mock, 'POST /finish', { headers: { apikey } });
    expect(bare).toMatchObject({ status: 200, json: { pending: 0, next: null } });
    expect(await account.state.get('paid')).toBe(1);
    await pay(account);
    const body = '{"operation":"POST /momo/pay"}';
    const headers = { apikey, ...AS_JSON };
    const both = await control(mock, 'POST /finish?waitFor=2', { headers, body });
    expect(both).toMatchObject({ status: 200, json: { pending: 0 } });
    expect(await account.state.get('paid')).toBe(2);
    const more = await control(mock, 'POST /finish?waitFor=3&timeout=1', { headers, body });
    expect(more).toMatchObject({
      status: 422,
      json: { error: { code: 'MOMO_MOCK_NOT_VERIFIED' } },
    });
  });
});
