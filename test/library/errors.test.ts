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
    ['a status out of range', { status: 99 }, INVALID, /status/],
    ['a status that is text', { status: '503' }, INVALID, /status/],
    ['times that are none', { times: 0 }, INVALID, /times/],
    ['endless times', { times: Infinity }, INVALID, /times/],
    ['a fault that there is not', { fault: 'explode' }, INVALID, /fault.+dribble/],
    ['a delay below nothing', { delay: -1 }, INVALID, /delay/],
    ['a delay that is a function', { delay: () => 1 }, INVALID, /delay/],
    [
      'a range the wrong way',
      { delay: { min: 2, max: 1 } },
      INVALID,
      /responses\[1\]\.delay\.min: must be at most max/,
    ],
    ['a header that frames', { headers: { 'Content-Length': '1' } }, INVALID, /headers/],
    ['a header over two lines', { headers: { a: 'b\r\nc: d' } }, INVALID, /headers/],
    ['a body of nothing', { body: undefined }, INVALID, /body/],
    ['a field that there is not', { state: 503 }, INVALID, /status/],
    ['no response', null, INVALID, /response/],
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

  it('refuses for an account what is for the whole service', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    const refused = account.respondWith({ beforeKeyCheck: true });
    expect(await thrown(refused)).toMatchObject({
      code: INVALID,
      message: expect.stringContaining('beforeKeyCheck'),
    });
  });

  it.each<[string, object, RegExp]>([
    ['status', { status: 'all' }, /status/],
    ['reason', { reason: 'bored' }, /reason.+key-unknown/],
    ['path', { path: 5 }, /path/],
    ['since', { since: -1 }, /since/],
    ['limit', { limit: 1.5 }, /limit/],
    ['waitFor', { waitFor: '2' }, /waitFor/],
    ['timeout', { timeout: 1e9 }, /timeout/],
    ['a field that there is not', { account: 'account-1' }, /account: unknown field/],
  ])('refuses a filter with a wrong %s', async (_what, filter, named) => {
    const mock = await open();
    expect(await thrown(mock.requests(filter))).toMatchObject({
      code: INVALID,
      message: expect.stringMatching(named),
    });
  });
});
