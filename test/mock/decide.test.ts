import { describe, expect, test } from 'vitest';
import type { ScriptedFixture } from '../../src/mock/operation.ts';
import { readScriptedAnswer } from '../../src/mock/scripted-response.ts';
import { mockOf } from './mock-of.ts';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('what is answered', () => {
  test('is decided in order: scripts, balances, variant, file; the account before the service', () => {
    const { controller, say } = mockOf();
    expect([say('a'), say('b')]).toEqual(['200 default', '200 empty']);
    controller.setBalance(undefined, json('service'));
    expect([say('a'), say('b')]).toEqual(['200 "service"', '200 "service"']);
    controller.setBalance('b', json('account'));
    expect([say('a'), say('b')]).toEqual(['200 "service"', '200 "account"']);
    controller.script(undefined, { body: 'service script', times: 'always' }, 'append');
    expect([say('a'), say('b')]).toEqual(['200 service script', '200 service script']);
    controller.script('b', { body: 'account script' }, 'append');
    expect([say('a'), say('b')]).toEqual(['200 service script', '200 account script']);
    expect(say('b')).toBe('200 service script');
    controller.script(undefined, [], 'replace');
    expect([say('a'), say('b')]).toEqual(['200 "service"', '200 "account"']);
    controller.setBalance('b', undefined);
    controller.setBalance(undefined, undefined);
    expect([say('a'), say('b')]).toEqual(['200 default', '200 empty']);
  });

  test('is of the variant set for the account, for the service, or from the start', () => {
    const { controller, say } = mockOf();
    expect([say('a'), say('b')]).toEqual(['200 default', '200 empty']);
    controller.setVariant(undefined, 'single');
    expect([say('a'), say('b')]).toEqual(['200 single', '200 single']);
    controller.setVariant('a', 'empty');
    expect([say('a'), say('b')]).toEqual(['200 empty', '200 single']);
    controller.reset('a');
    expect(say('a')).toBe('200 single');
    controller.setVariant(undefined, undefined);
    expect([say('a'), say('b')]).toEqual(['200 default', '200 empty']);
  });

  test('is of the next variant where the operation has none of the set one', () => {
    const { mock, controller, say } = mockOf();
    const variants = mock.operations[1]?.variants as Map<string, unknown>;
    variants.delete('single');
    controller.setVariant(undefined, 'single');
    expect(say('b', '/momo/status/1')).toBe('200 empty');
    expect(say('b')).toBe('200 single');
  });

  test('of a variant that a file scripts is what the file says, and the rest the default', () => {
    const { mock, controller, ask } = mockOf();
    const variants = mock.operations[0]?.variants as Map<string, ScriptedFixture>;
    const given = { status: 503, delay: 40, fault: 'hang' } as const;
    variants.set('empty', { file: 'slow', given, script: readScriptedAnswer(given) });
    expect(ask('b')).toMatchObject({
      answer: { status: 503, body: Buffer.from('e503') },
      ...{ source: 'fixture', file: 'slow', variant: 'empty', delay: 40 },
      fault: { type: 'hang' },
    });
    const broken = { fault: 'truncate' } as const;
    variants.set('empty', { file: 'cut', given: broken, script: readScriptedAnswer(broken) });
    expect(ask('b')).toMatchObject({ answer: { body: Buffer.from('default') }, delay: 0 });
    controller.script('b', { status: 201 }, 'append');
    expect(ask('b')).toEqual(expect.objectContaining({ source: 'script', fault: undefined }));
    controller.setBalance('b', json('set'));
    expect(ask('b')).toMatchObject({ source: 'override', answer: { body: json('set') } });
  });

  test('uses scripted responses in order, each as many times as configured', () => {
    const { controller, say } = mockOf();
    controller.script('a', [{ status: 503 }, { body: 'x', times: 2 }], 'append');
    controller.script('a', { body: 'last' }, 'append');
    expect([1, 2, 3, 4, 5].map(() => say('a'))).toEqual([
      '503 e503',
      '200 x',
      '200 x',
      '200 last',
      '200 default',
    ]);
  });

  test('by a script is what it says, and the rest as it would have been', () => {
    const { controller, ask } = mockOf();
    const answers = [
      [{ status: 201 }, 201, 'default', { 'x-from': 'file' }],
      [
        { headers: { 'X-From': 'me', 'x-list': ['1', '2'] } },
        200,
        'default',
        { 'x-from': 'me', 'x-list': ['1', '2'] },
      ],
      [{ body: { n: 1 } }, 200, '{"n":1}', { 'content-type': 'application/json; charset=utf-8' }],
      [{ body: null }, 200, 'null', { 'content-type': 'application/json; charset=utf-8' }],
      [{ body: 'text' }, 200, 'text', { 'content-type': 'text/plain; charset=utf-8' }],
      [
        { body: '<a/>', headers: { 'Content-Type': 'text/xml' } },
        200,
        '<a/>',
        { 'content-type': 'text/xml' },
      ],
      [{ status: 404 }, 404, 'e404', { 'x-from': 'file' }],
      [{ status: 404, body: 'mine' }, 404, 'mine', { 'content-type': 'text/plain; charset=utf-8' }],
      [{ status: 418 }, 418, '', {}],
      [{ status: 204 }, 204, '', { 'x-from': 'file' }],
      [{ status: 304 }, 304, '', { 'x-from': 'file' }],
      [{ status: 399 }, 399, 'default', { 'x-from': 'file' }],
      [{ status: 400 }, 400, '', {}],
    ] as const;
    controller.script(
      undefined,
      answers.map(([response]) => response),
      'append',
    );
    for (const [response, status, body, headers] of answers) {
      const { answer, source } = ask('a');
      const got = { ...answer, body: String(answer.body), source };
      expect(got, JSON.stringify(response)).toEqual({ status, body, headers, source: 'script' });
    }
  });

  test('before the key check is for the whole service, and takes no key', () => {
    const { controller, say } = mockOf();
    controller.script(undefined, { status: 503, beforeKeyCheck: true }, 'append');
    expect([say(), say()]).toEqual(['503 e503', '401 e401']);
    controller.script(undefined, { status: 503 }, 'append');
    expect([say(), say('a')]).toEqual(['401 e401', '503 e503']);
  });

  test('by a script is for its operation alone', () => {
    const { controller, say } = mockOf();
    const operation = 'GET /momo/status/:reference';
    controller.script('a', { operation, body: 'state' }, 'append');
    expect(say('a')).toBe('200 default');
    expect(say('a', '/momo/status/1')).toBe('200 state');
    controller.setBalance('a', json(1));
    expect(say('a', '/momo/status/1')).toBe('200 default');
  });
});

test('an account that is reset is as at the start, and the others stay as they are', async () => {
  const { controller, say } = mockOf();
  for (const key of ['a', 'b', undefined]) {
    controller.setBalance(key, json(key ?? 'service'));
    controller.script(key, { status: 503 }, 'append');
  }
  controller.reset('b');
  expect([say('a'), say('b'), say('b')]).toEqual(['503 e503', '503 e503', '200 "service"']);
  const made = controller.createAccount({ variant: 'empty' });
  controller.reset(undefined);
  expect([say('a'), say('b'), say(made)]).toEqual(['200 default', '200 empty', '401 e401']);
});
