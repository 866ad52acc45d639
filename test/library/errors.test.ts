import { expect, it } from 'vitest';
import type { ScriptedResponse } from '../../src/mock/scripted-response.ts';
import { describeBothWays } from './both-ways.ts';
import { get } from './client.ts';

const INVALID = 'MOMO_MOCK_REQUEST_INVALID';

/** What was thrown, as a person and a program see it. */
async function thrown(refused: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await refused.then(() => ({}), Object);
  return { name: error.name, code: error.code, message: error.message };
}

describeBothWays((open) => {
  it.each<[string, unknown, code: string, named: RegExp]>([
    ['a delay that is a function', { delay: () => 1 }, INVALID, /delay/],
    ['a field that there is not', { state: 503 }, INVALID, /status/],
    ['a body against the schema', { body: [] }, 'MOMO_MOCK_BODY_REJECTED', /schema/],
    [
      'an operation that there is not',
      { operation: 'GET /momo/pay' },
      'MOMO_MOCK_OPERATION_UNKNOWN',
      /GET \/momo\/balance/,
    ],
  ])('refuses %s, with all that came with it', async (_what, response, code, named) => {
    const mock = await open();
    const given = [{ status: 503 }, response] as ScriptedResponse[];
    expect(await thrown(mock.respondWith(given))).toEqual({
      name: 'MomoMockError',
      code,
      message: expect.stringMatching(named),
    });
    expect((await get(mock)).status).toBe(200);
  });

  it.each<[string, object, RegExp]>([
    ['waitFor', { waitFor: '2' }, /waitFor/],
    ['a field that there is not', { account: 'account-1' }, /account: unknown field/],
  ])('refuses a filter with a wrong %s', async (_what, filter, named) => {
    const mock = await open();
    expect(await thrown(mock.requests(filter))).toMatchObject({
      code: INVALID,
      message: expect.stringMatching(named),
    });
  });

  const circular: Record<string, unknown> = {};
  circular.self = circular;

  it.each<[string, unknown]>([
    ['a function', () => 1],
    ['a bigint', 1n],
    ['undefined', undefined],
    ['what contains itself', circular],
  ])('refuses an account whose state has %s', async (_what, value) => {
    const mock = await open();
    expect(await thrown(mock.createAccount({ state: { good: 1, bad: value } }))).toMatchObject({
      code: INVALID,
      message: expect.stringMatching(
        /^Failed to read state: must be .* that can be written as JSON.*\.$/,
      ),
    });
  });
});
