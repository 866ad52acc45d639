import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJson, prettyJson } from '../../../src/control/page/json-check.ts';
import { runs } from '../../endurance/scale.ts';

describe('a mistake in JSON', () => {
  it.each([
    ['{"a":1,}', 1, 8, 'expected a name in "quotes"'],
    ['{\n "balance": [}', 2, 14, 'expected a value'],
    ['[1 2]', 1, 4, 'expected , or ]'],
    ['{"a" 1}', 1, 6, 'expected :'],
    ["{'a':1}", 1, 2, 'expected a name in "quotes"'],
    ['[01]', 1, 3, 'expected , or ]'],
    ['{"a":1} x', 1, 9, 'nothing may follow the value'],
    ['["a\nb"]', 1, 2, 'this text in quotes is invalid'],
    ['[tru]', 1, 2, 'expected a value'],
    ['{"a":', 1, 6, 'the JSON ends too early'],
    ['', 1, 1, 'the JSON ends too early'],
  ])('is found in %j', (text, line, column, message) => {
    expect(checkJson(text)).toEqual({ line, column, message });
  });

  it('is none in valid JSON', () => {
    const json = fc.json();
    const check = (text: string) => {
      expect(checkJson(text)).toBeUndefined();
    };
    fc.assert(fc.property(json, check), runs(20_000, 100));
  });

  it('is found wherever JSON.parse finds one', () => {
    const letters = fc.array(fc.constantFrom(...'{}[]:,"\\ \n01.-eEtrufalsn'), { maxLength: 12 });
    const isValid = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const check = (text: string) => {
      const mistake = checkJson(text);
      expect(mistake === undefined).toBe(isValid(text));
    };
    fc.assert(
      fc.property(letters, (all) => check(all.join(''))),
      runs(100_000, 2000),
    );
  });

  it('is found in JSON that is nested very deeply', () => {
    expect(checkJson(`${'['.repeat(100_000)}x`)).toMatchObject({
      message: 'the nesting is too deep',
    });
  });
});

describe('JSON to read', () => {
  it('has line breaks as JSON.stringify makes them', () => {
    const check = (value: unknown) => {
      expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    };
    fc.assert(fc.property(fc.jsonValue(), check), runs(20_000, 100));
  });

  it('keeps numbers, names and white space in texts as they were written', () => {
    expect(prettyJson('{"a":1000.00,"a":"b  : ,c"}')).toBe(
      '{\n  "a": 1000.00,\n  "a": "b  : ,c"\n}',
    );
  });

  it('is other text as it is', () => {
    expect(prettyJson('<p> {"a":1}')).toBe('<p> {"a":1}');
  });
});
