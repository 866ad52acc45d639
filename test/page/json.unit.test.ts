import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonMistake, prettyJson } from '../../src/page/json.ts';
import { runs } from '../endurance/scale.ts';

it.each([
  ['{"a":1,}', 'Line 1, column 8: property name expected'],
  ['{\n "balance": [}', 'Line 2, column 14: value expected'],
  ['[1 2]', 'Line 1, column 4: comma expected'],
  ['{"a":1} 2', 'Line 1, column 9: end of file expected'],
  ['', 'Line 1, column 1: value expected'],
  ['[1.5]', ''],
])('a mistake in JSON has its position: %s', (text, mistake) => {
  expect(jsonMistake(text)).toBe(mistake);
});

it('formatted JSON has the line breaks of JSON.stringify', () => {
  const check = (value: unknown) => {
    expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
  };
  fc.assert(fc.property(fc.jsonValue(), check), runs(20_000, 100));
});

it.each([
  ['{"a":1000.00,"a":"b  : ,c"}', '{\n  "a": 1000.00,\n  "a": "b  : ,c"\n}'],
  ['<p> {"a":1}', '<p> {"a":1}'],
])('formatted JSON keeps numbers, names and other text unchanged: %s', (text, pretty) => {
  expect(prettyJson(text)).toBe(pretty);
});
