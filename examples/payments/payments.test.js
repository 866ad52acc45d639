import { startMomoMock } from 'momo-mock';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { call } from './client.js';
import { startWebhook } from './webhook.js';

let mock;
let momo;
beforeAll(async () => {
  mock = await startMomoMock({ fixturesDir: new URL('fixtures', import.meta.url).pathname });
});
afterAll(() => mock.close());
beforeEach(async () => {
  // The clock is frozen in each test, unless the test moves it.
  momo = await mock.createAccount();
  await momo.freeze();
});

const ORDER = { orderId: 'A1', phone: '22990000000', amount: 500 };
const collect = (order) => call(momo, 'POST', '/momo/collect', { ...ORDER, ...order });
const payout = (order) => call(momo, 'POST', '/momo/payout', { ...ORDER, ...order });
const statusOf = async ({ reference }) =>
  (await call(momo, 'GET', `/momo/status/${reference}`)).payment.status;
const balance = async () => (await call(momo, 'GET', '/momo/balance')).balance[0].amount;

/** Starts a webhook for one test. */
async function webhook(options) {
  const started = await startWebhook(options);
  onTestFinished(started.close);
  return started;
}

it('collects, calls back and raises the balance', async () => {
  const { url, payments } = await webhook();
  const { status, payment } = await collect({ callbackUrl: url });
  expect([status, payment.status]).toEqual([201, 'PENDING']);
  await momo.advance(4999);
  expect(await statusOf(payment)).toBe('PENDING');
  await momo.advance(1);
  expect(await statusOf(payment)).toBe('SUCCESS');
  expect(payments).toEqual([{ ...payment, status: 'SUCCESS' }]);
  expect(await balance()).toBe(100_500);
});

it('calls back again until the webhook accepts it', async () => {
  const { url, payments } = await webhook({ failures: 2 });
  const { payment } = await collect({ callbackUrl: url });
  await momo.advance('idle');
  expect(payments).toEqual([{ ...payment, status: 'SUCCESS' }]);
  await momo.verifyCallbacks({ exactly: [{ status: 503, times: 2 }, { status: 200 }] });
  // 5 s until the payment succeeds, then a retry after 1 s and one after 5 s.
  const [first, , third] = (await momo.callbacks()).map(({ time }) => Date.parse(time));
  expect(third - first).toBe(6000);
});

it('has a status for a callback that is lost, and repeats one', async () => {
  const { url, payments } = await webhook();
  await momo.scriptCallbacks([{ lose: true }, { repeat: 2 }]);
  const { payment } = await collect({ callbackUrl: url });
  await collect({ callbackUrl: url, orderId: 'A2' });
  await momo.advance('idle');
  expect(await statusOf(payment)).toBe('SUCCESS');
  expect(payments.map(({ orderId }) => orderId)).toEqual(['A2', 'A2']);
});

it.each([
  ['22990000001', 'DECLINED'],
  ['22990000002', 'NOT_ENOUGH_MONEY'],
  ['22990000003', 'EXPIRED'],
])('does not collect from %s: %s', async (phone, reason) => {
  const { url, payments } = await webhook();
  await collect({ phone, callbackUrl: url });
  await momo.advance('idle');
  expect(payments).toMatchObject([{ status: 'FAILED', reason }]);
  expect(await balance()).toBe(100_000);
});

it('asks some numbers for an OTP', async () => {
  const phone = '22990000004';
  expect(await collect({ phone })).toMatchObject({ status: 422, code: 'OTP_REQUIRED' });
  expect(await collect({ phone, otp: '0000' })).toMatchObject({ code: 'OTP_WRONG' });
  expect(await collect({ phone, otp: '1234' })).toMatchObject({ status: 201 });
});

it('pays out, and returns the amount if that fails', async () => {
  const { payment } = await payout({ amount: 60_000 });
  expect(await balance()).toBe(40_000);
  expect(await payout({ orderId: 'A2', amount: 40_001 })).toMatchObject({
    status: 422,
    code: 'BALANCE_TOO_LOW',
  });
  await payout({ orderId: 'A3', amount: 40_000, phone: '22990000001' });
  expect(await balance()).toBe(0);
  await momo.advance('idle');
  expect(await statusOf(payment)).toBe('SUCCESS');
  expect(await balance()).toBe(40_000);
});

it('pays an order once, also when it is sent many times at once', async () => {
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => payout({ amount: 60_000 })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 201]);
  expect(new Set(answers.map(({ payment }) => payment.reference)).size).toBe(1);
  expect(await balance()).toBe(40_000);
  expect(await payout({ amount: 1 })).toMatchObject({ status: 409, code: 'ORDER_EXISTS' });
});

it('names the field that is wrong', async () => {
  expect(await collect({ amount: 0 })).toMatchObject({ status: 400, field: 'amount' });
  expect(await payout({ phone: undefined })).toMatchObject({ status: 400, field: 'phone' });
});

it('fails with what a test scripts: the payment is made, and the response is lost', async () => {
  await momo.respondWith({ operation: 'POST /momo/payout', fault: 'reset' });
  await expect(payout()).rejects.toThrow(/hang up|ECONNRESET/);
  expect(await balance()).toBe(99_500);
  expect(await payout()).toMatchObject({ status: 200 });
});

it('takes another number and another balance from a test', async () => {
  await momo.state.set('balance', 10);
  await momo.state.set('phones/22997000000', { status: 'FAILED', reason: 'BLOCKED', delay: 0 });
  const { payment } = await payout({ phone: '22997000000', amount: 10 });
  await momo.advance(0);
  expect(await statusOf(payment)).toBe('FAILED');
  expect(await balance()).toBe(10);
});
