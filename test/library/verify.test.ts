import { expect, it, test } from 'vitest';
import { startMomoMock } from '../../src/library/start-momo-mock.ts';
import { describeBothWays } from './both-ways.ts';
import { get } from './client.ts';

const NOT_VERIFIED = { name: 'MomoMockError', code: 'MOMO_MOCK_NOT_VERIFIED' };

describeBothWays((open) => {
  it('verifies how many requests came, in which order, and that no others did', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    await get(account);
    await get(account, '/momo/status/7?page=2');
    await get(mock);
    const status = { operation: 'GET /momo/status/:reference', path: '/momo/status/7' };
    await account.verify({ ...status, query: { page: '2' }, times: 1 });
    await account.verify([{ path: '/momo/balance' }, status]);
    await account.verify({ exactly: [{ path: '/momo/balance' }, status] });
    await mock.verify({ status: 200, times: 3 });
    await mock.verify({ status: 401, times: 0 });
  });

  it('fails with what came closest', async () => {
    const mock = await open();
    await get(mock, '/momo/status/7');
    const failed = mock.verify({ path: '/momo/status/8', times: { min: 2 } });
    await expect(failed).rejects.toMatchObject({
      ...NOT_VERIFIED,
      message: expect.stringMatching(
        /^Failed to verify: expected \/momo\/status\/8 at least 2 times, but 0 of 1 request matches\.\nThe closest is request \d+, GET \/momo\/status\/7 200:\n {2}path: expected "\/momo\/status\/8", received "\/momo\/status\/7"\nIf the request may still arrive, set timeout to wait for it\.$/,
      ),
    });
  });

  it('waits until the requests are as expected', async () => {
    const mock = await open();
    await mock.respondWith({ delay: 50, times: 2 });
    const verified = mock.verify({ status: 200, times: 2 }, { timeout: 60_000 });
    await Promise.all([get(mock), get(mock)]);
    await verified;
    await expect(mock.verify({ times: 3 }, { timeout: 1 })).rejects.toMatchObject(NOT_VERIFIED);
  });

  it('names the scripted responses that were not used', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    await account.respondWith([{ status: 503 }, { status: 500, times: 2 }]);
    await get(account);
    await get(account);
    await mock.verifyScripts();
    await expect(account.verifyScripts()).rejects.toMatchObject({
      ...NOT_VERIFIED,
      message: expect.stringContaining('\n  GET /momo/balance: 1 of 2 left of {"status":500}'),
    });
    await get(account);
    await account.verifyScripts();
  });

  it.each([
    [{ staus: 1 } as object, {}, 'Failed to read staus: unknown field. Did you mean "status"?'],
    [null, {}, 'Failed to read expected: must be an expectation, a list'],
    [
      { body: () => {} },
      {},
      'Failed to read body: must be a value that can be written as JSON, with at most 100 levels.',
    ],
    [{}, { timeout: -1 }, 'Failed to read timeout: must be a whole number from 0 to 600000.'],
    [{ headers: { cookie: 'x' } }, {}, 'Failed to read headers.cookie: is a secret, which the'],
  ])('refuses %j, %j', async (expected, options, message) => {
    const mock = await open();
    await expect(mock.verify(expected as object, options)).rejects.toMatchObject({
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: expect.stringContaining(message),
    });
  });
});

test('close ends a verification that waits', async () => {
  const mock = await startMomoMock();
  const verified = expect(mock.verify({}, { timeout: 600_000 })).rejects.toThrow();
  await mock.close();
  await verified;
  await expect(mock.verify({})).rejects.toMatchObject({ code: 'MOMO_MOCK_CLOSED' });
  await expect(mock.verifyScripts()).rejects.toMatchObject({ code: 'MOMO_MOCK_CLOSED' });
});
