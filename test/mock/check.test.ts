import * as Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { ACCOUNT } from '../../src/mock/account-options.ts';
import { check } from '../../src/mock/check.ts';
import { define } from '../../src/mock/define.ts';
import type { Definition } from '../../src/mock/definition.ts';
import { REQUESTS_OPTIONS } from '../../src/mock/journal/request-fields.ts';
import { BALANCE_BODY, RESPONSES } from '../../src/mock/scripted-response.ts';
import { mockOf } from './mock-of.ts';
import { thrown } from './thrown.ts';

const AS_JSON = 'must be a value that can be written as JSON, with at most 100 levels';
const circular: Record<string, unknown> = {};
circular.self = circular;

describe('what JSON cannot carry', () => {
  test.each<[what: string, unknown, problem: string]>([
    ['a body that is undefined', { body: undefined }, `body: ${AS_JSON}`],
    ['a body that is a function', { body: () => 1 }, `body: ${AS_JSON}`],
    ['a body that is a big integer', [{}, { body: 1n }], `responses[1].body: ${AS_JSON}`],
    ['a body that holds itself', { body: circular }, `body: ${AS_JSON}`],
    ['a status that is NaN', { status: Number.NaN }, 'status: must be a whole number from 200'],
    ['a status that is a function', { status: () => 500 }, 'status: must be a whole number'],
    ['an endless delay', { delay: Number.POSITIVE_INFINITY }, 'delay: must be a number from 0'],
    ['nothing', undefined, 'responses: must be a response or a list of responses'],
  ])('%s is refused in a response', (_what, responses, problem) => {
    const { controller } = mockOf();
    const text = expect.stringContaining(`Failed to read ${problem}`);
    expect(thrown(() => controller.check(RESPONSES, responses)).message).toEqual(text);
    expect(thrown(() => check(RESPONSES, responses)).message).toEqual(text);
  });

  test('is refused as a balance', () => {
    const message = `Failed to read balance: ${AS_JSON}.`;
    for (const balance of [() => 1, Symbol('a'), 1n, circular]) {
      expect(thrown(() => check(BALANCE_BODY, balance)).message).toBe(message);
      expect(thrown(() => check(ACCOUNT, { balance })).message).toBe(message);
    }
  });

  test('a field that is undefined is as if it was left out', () => {
    const { controller } = mockOf();
    const responses = [{ status: undefined, headers: undefined, fault: { type: 'reset' } }];
    expect(controller.check(RESPONSES, responses)).toEqual(responses);
    const filter = { status: undefined, waitFor: undefined };
    expect(controller.check(REQUESTS_OPTIONS, filter)).toEqual(filter);
  });
});

describe('an unknown field', () => {
  const LIST = 'unknown field. Use only apikey, variant, balance, state.';

  test.each([
    ['that is a key', 'key-of-a-test'],
    ['that contains a key', 'x-key-of-a-test'],
    ['over two lines', 'a\nb'],
    ['that is empty', ''],
    ['that is long', 'x'.repeat(41)],
    ['that is no word', '<script>'],
  ])('%s is not repeated', (_what, name) => {
    const { controller } = mockOf();
    controller.createAccount({ apikey: 'key-of-a-test' });
    const { message } = thrown(() => controller.check(ACCOUNT, { [name]: 1 }));
    expect(message).toBe(`Failed to read account: ${LIST}`);
  });

  test('that is a key is not repeated inside of a list either', () => {
    const { controller } = mockOf();
    controller.createAccount({ apikey: 'key-of-a-test' });
    const given = [{}, { delay: { 'key-of-a-test': 1, min: 1, max: 2 } }];
    expect(thrown(() => controller.check(RESPONSES, given)).message).toBe(
      'Failed to read responses[1].delay: unknown field. Use only min, max, seed.',
    );
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is one like any other', (name) => {
    const { controller } = mockOf();
    const given = JSON.parse(`{"${name}":{}}`);
    expect(thrown(() => controller.check(ACCOUNT, given)).message).toBe(
      `Failed to read ${name}: ${LIST}`,
    );
  });

  test('is let through on its way to a mock, which alone knows which names are keys', () => {
    const given = [{ 'key-of-a-test': 1, delay: { min: 1, max: 2, x: 1 } }];
    expect(check(RESPONSES, given)).toEqual(given);
    expect(() => check(RESPONSES, [{ x: 1, status: 1 }])).toThrow('responses[0].status');
  });
});

test('a definition has the fields of its type, and no others', () => {
  interface Both {
    readonly one: number;
    readonly two?: string;
  }
  const one = Type.Number();
  const two = Type.Optional(Type.String());
  const right: Definition<Both> = define(Type.Object({ one, two }));
  // @ts-expect-error two is missing
  const less: Definition<Both> = define(Type.Object({ one }));
  // @ts-expect-error three is no field of the type
  const more: Definition<Both> = define(Type.Object({ one, two, three: Type.Optional(one) }));
  // @ts-expect-error one is a number
  const other: Definition<Both> = define(Type.Object({ one: Type.String(), two }));
  expect([right, less, more, other]).toHaveLength(4);
});
