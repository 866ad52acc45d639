import { describe, expect, test } from 'vitest';
import { mockOf } from './mock-of.ts';
import { thrown } from './thrown.ts';

/** What frames a message. */
const FRAMING = ['content-length', 'transfer-encoding', 'connection', 'date', 'trailer'];

describe('a scripted response', () => {
  test.each<[unknown, string]>([
    [null, 'a response'],
    ['503', 'a response'],
    [503, 'a response'],
    [[[{}]], 'a response'],
    [{ sttus: 503 }, 'a field of a response'],
    [{ status: '503' }, 'status'],
    [{ status: 199 }, 'status'],
    [{ status: 600 }, 'status'],
    [{ status: 200.5 }, 'status'],
    [{ headers: [] }, 'headers'],
    [{ headers: null }, 'headers'],
    [{ headers: 'x' }, 'headers'],
    [{ headers: { a: ['x', 1] } }, 'a value in headers'],
    [{ operation: null }, 'operation'],
    [{ status: null }, 'status'],
    [{ headers: { 'a b': 'x' } }, 'headers'],
    [{ headers: { a: 'x\r\ny: z' } }, 'a value in headers'],
    [{ headers: { a: 'x\u0100' } }, 'a value in headers'],
    [{ headers: { a: 1 } }, 'a value in headers'],
    [{ headers: { 'Content-Length': '1' } }, 'headers'],
    ...FRAMING.map((name): [unknown, string] => [{ headers: { [name]: 'x' } }, 'headers']),
    [{ body: undefined }, 'body'],
    [{ body: () => 1 }, 'body'],
    [{ fault: 'explode' }, 'fault'],
    [{ fault: {} }, 'fault.type'],
    [{ fault: { type: 'reset', duration: 1 } }, 'fault.duration'],
    [{ fault: { type: 'dribble', duration: -1 } }, 'fault.duration'],
    [{ times: 0 }, 'times'],
    [{ times: 1.5 }, 'times'],
    [{ times: 'forever' }, 'times'],
    [{ beforeKeyCheck: 1 }, 'beforeKeyCheck'],
    [{ operation: 7 }, 'operation'],
  ])('%j is refused, naming the field, and nothing changes', (response, field) => {
    const { controller, say } = mockOf();
    const { code, message } = thrown(() =>
      controller.script('a', [{ status: 503 }, response], 'append'),
    );
    expect(code).toBe('MOMO_MOCK_REQUEST_INVALID');
    expect(message).toMatch(new RegExp(`^Failed to read ${field}: .*\\. Give .*\\.$`));
    expect(say('a')).toBe('200 default');
  });

  test('before the key check is not for an account', () => {
    const { controller } = mockOf();
    const { message } = thrown(() => controller.script('a', { beforeKeyCheck: true }, 'append'));
    expect(message).toMatch(/^Failed to read beforeKeyCheck: .* Give it for the whole service/);
  });

  test.each([
    [{ beforeKeyCheck: 1 }, 'true or false'],
    [{ operation: 7 }, 'a method and a path'],
    [{ body: () => 1 }, 'something that can be written as JSON'],
    [{ headers: [] }, 'an object of header names and values'],
    [{ headers: { date: '' } }, `names of headers, none of ${FRAMING.join(', ')}`],
    [{ headers: { a: 1 } }, 'text, or a list of texts, on one line each'],
    [{ delay: '1' }, 'ms, {"min","max"} or {"median","sigma"}'],
    [{ status: 1 }, 'a whole number from 200 to 599'],
    [{ times: 1.5 }, 'a whole number from 1 to 1000000000'],
    [{ delay: -1 }, 'a number from 0 to 3600000'],
    [{ sttus: 1 }, 'only operation, status, headers, body, delay, fault, times, beforeKeyCheck'],
    [7, 'an object with some of operation, status, headers, body, delay, fault, times, before'],
  ])('%j is told what may be instead', (response, allowed) => {
    const { controller } = mockOf();
    const { message } = thrown(() => controller.script('a', response, 'append'));
    expect(message).toContain(`: it is not allowed. Give ${allowed}`);
  });

  test('is for an operation that there is', () => {
    const { controller } = mockOf();
    expect(thrown(() => controller.script('a', { operation: 'GET /nothing' }, 'append'))).toEqual(
      expect.objectContaining({
        code: 'MOMO_MOCK_OPERATION_UNKNOWN',
        message: expect.stringContaining('GET /momo/balance, GET /momo/status/:reference'),
      }),
    );
  });

  test('is told again as it was given, with what is left of it', () => {
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
    expect(controller.responses('a')).toEqual([
      { operation: 'GET /momo/balance', body: 1, times: 2 },
      { operation: 'GET /momo/balance', fault: 'reset', times: 'always' },
    ]);
    expect(controller.responses(undefined)).toEqual([]);
    controller.script('a', { body: 2 }, 'replace');
    expect(say('a')).toBe('200 2');
    controller.script('a', { body: 3 }, 'append');
    controller.reset('a');
    expect(controller.responses('a')).toEqual([]);
  });
});
