import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseExact, writeJson } from '../../src/mock/json/exact-json.ts';
import { runs } from '../endurance/scale.ts';
import { CHANGED_NUMBERS, jsonText } from '../support/exact-json.ts';

it('exact JSON keeps its text, and without its digits is equal to the result of JSON.parse', () => {
  const property = fc.property(jsonText, (json) => {
    const value = parseExact(json);
    expect(writeJson(value)).toBe(json);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(json)));
  });
  fc.assert(property, runs(100_000, 2000));
});

it.each(['{ "b" : 1.0,\n"1":2.0, "b":3.0 }', '{"__proto__":{"a":1.0}}', ' [1.0 , "1.0" ] ', '1.0'])(
  '%j has the members, the order and the prototype of JSON.parse',
  (json) => {
    expect(JSON.stringify(parseExact(json))).toBe(JSON.stringify(JSON.parse(json)));
    expect(Object.keys(parseExact(json) as object)).toEqual(Object.keys(JSON.parse(json)));
    expect(Object.getPrototypeOf(parseExact(json))).not.toBe(null);
  },
);

it('a number that JavaScript writes unchanged stays a plain number', () => {
  expect(parseExact('[5,-1.5,0.1,1e+21,1.5e-7,123456789012345,-0.1]')).toEqual([
    ...[5, -1.5, 0.1, 1e21, 1.5e-7, 123456789012345, -0.1],
  ]);
  const changed = parseExact(`[${CHANGED_NUMBERS}]`) as unknown[];
  expect(changed.map((value) => typeof value)).toEqual(CHANGED_NUMBERS.map(() => 'object'));
});

it.each(['{1.00:2}', '[1.00.5]', '[012.00]', '"1.00', '1.00"', '[1.0,]', '', '1e', "{'a':1.0}"])(
  '%s is not JSON',
  (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  },
);

it('exact JSON has no limit of depth', () => {
  const deep = `${'['.repeat(100_000)}1.0${']'.repeat(100_000)}`;
  expect(parseExact(deep)).toHaveLength(1);
});

it('a bigint is written with its digits, and a circular value is a TypeError', () => {
  expect(writeJson({ a: [2n ** 64n], b: parseExact('1.00'), c: undefined })).toBe(
    '{"a":[18446744073709551616],"b":1.00}',
  );
  const circle: Record<string, unknown> = { a: 1n };
  circle.circle = circle;
  expect(() => writeJson(circle)).toThrow(TypeError);
  expect(JSON.stringify(parseExact('1.00'))).toBe('1');
});
