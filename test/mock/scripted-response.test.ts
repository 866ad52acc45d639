import { describe, expect, test } from 'vitest';
import { mockOf } from './mock-of.ts';
import { responsesOf } from './responses-of.ts';
import { thrown } from './thrown.ts';

describe('a scripted response', () => {
  test('before the key check is not for an account', async () => {
    const { controller } = mockOf();
    const problem = 'must be false for an account: it is for the whole service alone.';
    const early = { beforeKeyCheck: true };
    for (const [given, place] of [
      [early, 'beforeKeyCheck'],
      [[{}, early], 'responses[1].beforeKeyCheck'],
    ] as const) {
      const { message } = thrown(() => controller.script('a', given, 'append'));
      expect(message).toBe(`Failed to read ${place}: ${problem}`);
    }
    expect(await responsesOf(controller, 'a')).toEqual([]);
  });

  test('is for an operation that there is', async () => {
    const { controller } = mockOf();
    expect(thrown(() => controller.script('a', { operation: 'GET /nothing' }, 'append'))).toEqual(
      expect.objectContaining({
        code: 'MOMO_MOCK_OPERATION_UNKNOWN',
        message: expect.stringContaining('GET /momo/balance, GET /momo/status/:reference'),
      }),
    );
  });

  test('is told again as it was given, with what is left of it', async () => {
    const { controller, say } = mockOf();
    controller.script(
      'a',
      [
        { body: 1, times: 3 },
        { fault: 'reset', times: 'always' },
      ],
      'append',
    );
    say('a');
    expect(await responsesOf(controller, 'a')).toEqual([
      { operation: 'GET /momo/balance', body: 1, times: 2 },
      { operation: 'GET /momo/balance', fault: 'reset', times: 'always' },
    ]);
    expect(await responsesOf(controller, undefined)).toEqual([]);
    controller.script('a', { body: 2 }, 'replace');
    expect(say('a')).toBe('200 2');
    controller.script('a', { body: 3 }, 'append');
    controller.reset('a');
    expect(await responsesOf(controller, 'a')).toEqual([]);
  });
});
