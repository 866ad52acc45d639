import { describe, expect, test, vi } from 'vitest';
import { LONGEST_TURN } from '../../src/mock/journal/turns.ts';
import { MOST_RESPONSES } from '../../src/mock/limits.ts';
import { RESPONSES, type ScriptedResponse } from '../../src/mock/scripted-response.ts';
import { mockOf } from './mock-of.ts';
import { responsesOf } from './responses-of.ts';
import { thrown } from './thrown.ts';

describe('a scripted response', () => {
  test('before the key check is not for an account', async () => {
    const { controller } = mockOf();
    const problem = 'must be false for an account: only the whole service can use it.';
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

  test('is shown as it was given, with what is left of it', async () => {
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

  test('is one of 10,000 at most in its scope, those that are left included', async () => {
    const { controller, say } = mockOf();
    const many = Array<ScriptedResponse>(MOST_RESPONSES).fill({ status: 503 });
    controller.script('a', many, 'replace');
    const { code, message } = thrown(() => controller.script('a', {}, 'append'));
    expect([code, message]).toEqual([
      'MOMO_MOCK_REQUEST_INVALID',
      'Failed to read responses: must be at most 10000 in total, and 10000 are left. Use times to repeat a response.',
    ]);
    expect(await responsesOf(controller, 'a')).toHaveLength(10_000);
    controller.script('b', many, 'append');
    say('a');
    controller.script('a', { status: 500 }, 'append');
    expect(await responsesOf(controller, 'a')).toHaveLength(10_000);
    controller.script('a', many, 'replace');
  });

  test('is not looked at where there are too many of them', () => {
    const { controller } = mockOf();
    let looked = 0;
    const look = () => {
      looked++;
      return undefined;
    };
    const response = new Proxy(
      {},
      { get: look, has: () => false, ownKeys: () => [look()] as never },
    );
    const many = Array<ScriptedResponse>(MOST_RESPONSES + 1).fill(response);
    const { code, message } = thrown(() => controller.check(RESPONSES, many));
    expect([code, message]).toEqual([
      'MOMO_MOCK_REQUEST_INVALID',
      'Failed to read responses: must be a list of at most 10000.',
    ]);
    expect(looked).toBe(0);
  });

  test('is shown without configured keys, and served with them', async () => {
    const { controller, mock, say } = mockOf();
    for (const key of ['right-one', '4711', 'q']) mock.redactor.remember(key);
    const headers = { 'x-Right-One': 'x right-one', list: ['q', 'right%2Done'], other: 'z' };
    const body = { 'right-one': ['RIGHT-ONE', 4711, 'q', 'z'], __proto__: null };
    controller.script('a', [{ headers, body }, { body: 'x right-one' }, { body: 14711 }], 'append');
    const responses = await responsesOf(controller, 'a');
    expect(responses.map(({ headers, body }) => ({ headers, body }))).toEqual([
      {
        headers: { 'x-[redacted]': 'x [redacted]', list: ['[redacted]', '[redacted]'], other: 'z' },
        body: { '[redacted]': ['[redacted]', '[redacted]', '[redacted]', 'z'] },
      },
      { headers: undefined, body: 'x [redacted]' },
      // A number that only holds a key cannot be shown in part.
      { headers: undefined, body: '[redacted]' },
    ]);
    expect(say('a')).toBe(`200 ${JSON.stringify(body)}`);
    expect(say('a')).toBe('200 x right-one');
  });

  test('is shown in turns of the event loop where many are', async () => {
    const { controller, mock } = mockOf();
    const body = 'x'.repeat(LONGEST_TURN);
    controller.script('a', Array<ScriptedResponse>(5).fill({ body }), 'append');
    const redact = vi.spyOn(mock.redactor, 'redactJson');
    const shown = responsesOf(controller, 'a');
    const perTurn: number[] = [];
    for (let turn = 0; turn < 10; turn++) {
      await new Promise(setImmediate);
      perTurn.push(redact.mock.calls.length);
      redact.mockClear();
    }
    expect(await shown).toHaveLength(5);
    expect(Math.max(...perTurn)).toBe(1);
  });
});
