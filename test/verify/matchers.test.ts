import { expect, test } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import type { ExpectedRequests } from '../support/momo-mock.ts';
import { matchers } from '../support/program.ts';

test('toHaveReceived passes for a received request, and with not fails for it', async () => {
  const mock = await startMock();
  await ask(mock);
  const { pass, message } = await matchers.toHaveReceived(mock, { path: '/momo/balance' });
  expect(pass).toBe(true);
  expect(message()).toBe('Failed to verify: received {"path":"/momo/balance"}.');
});

test('toHaveReceived shows the digits of a bigint', async () => {
  const mock = await startMock();
  await ask(mock, '/momo/balance', { body: '{"id":12345678901234567890}' });
  const given = { body: { id: 12345678901234567890n } };
  const { pass, message } = await matchers.toHaveReceived(mock, given);
  expect(pass).toBe(true);
  expect(message()).toContain('12345678901234567890');
});

test('toHaveReceived fails with the message of verify', async () => {
  const mock = await startMock();
  const { pass, message } = await matchers.toHaveReceived(mock, { times: 1 });
  expect(pass).toBe(false);
  const refused = await mock.verify({ times: 1 }).catch((error) => error);
  expect(message()).toBe(refused.message);
});

test('toHaveReceived waits for requests as verify does', async () => {
  const mock = await startMock();
  const result = matchers.toHaveReceived(mock, { times: 1 }, { timeout: 60_000 });
  await ask(mock);
  expect(await result).toMatchObject({ pass: true });
});

test.each([5, undefined, {}])(
  'toHaveReceived needs a mock or an account, not %j',
  async (value) => {
    await expect(matchers.toHaveReceived(value, {})).rejects.toMatchObject({
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: expect.stringContaining('it is neither a mock nor an account. Use expect(momo)'),
    });
  },
);

test('toHaveReceived throws for an invalid expectation, with and without not', async () => {
  const mock = await startMock();
  const given = { state: 200 } as ExpectedRequests;
  await expect(matchers.toHaveReceived(mock, given)).rejects.toMatchObject({
    code: 'MOMO_MOCK_REQUEST_INVALID',
  });
});
