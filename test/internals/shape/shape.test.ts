import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/shape/compare.ts';
import { differences } from '../../../src/shape/differences.ts';
import { NotMadeUp, Originals } from '../../../src/shape/made-up.ts';
import { infer, isData, isShape, merge, type Shape } from '../../../src/shape/shape.ts';
import { formatOf } from '../../../src/shape/text-format.ts';
import { runs } from '../../endurance/scale.ts';

const RUNS = runs(5000, 300);

/** Texts of all formats, and others. */
const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '',
    'XOF',
    'XAF',
    'MTN',
    '12.50',
    '-3',
    'ok',
    'text 1',
    '2001-01-01',
    '__proto__',
  ),
  fc.constantFrom(
    '+22990000001',
    '22990000001',
    '22900000001',
    'https://host-1.example/',
    '.example',
  ),
  fc.uuid(),
  fc.emailAddress(),
  fc.webUrl(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const leaf = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);
const { body } = fc.letrec((tie) => ({
  body: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('body'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('a', 'b', 'c')), tie('body'), { maxKeys: 4 }),
  ),
}));
/** As it comes over the wire. */
const json = body.map((value) => JSON.parse(JSON.stringify(value)) as unknown);

async function breaking(value: unknown, schema: Shape): Promise<unknown[]> {
  const findings = await compare(value, { file: 'x', schema });
  return findings.filter(({ kind }) => kind !== 'unchecked');
}

describe('of any JSON', () => {
  it('the shape allows it, and nothing of it is new', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const shape = infer(value);
        expect(isShape(shape)).toBe(true);
        expect(await breaking(value, shape)).toEqual([]);
        expect(differences(shape, infer(value))).toEqual([]);
      }),
      RUNS,
    );
  });

  it('a merged shape allows both, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(json, json, async (one, other) => {
        const merged = merge(infer(one), infer(other));
        expect(await breaking(one, merged)).toEqual([]);
        expect(await breaking(other, merged)).toEqual([]);
        expect(differences(merged, merge(infer(other), infer(one)))).toEqual([]);
        expect(merge(merged, infer(one))).toEqual(merged);
      }),
      RUNS,
    );
  });

  it('the made-up body has its shape, and no original', async () => {
    let made = 0;
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const shape = infer(value);
        const originals = new Originals(value, shape, new Set());
        let result: unknown;
        try {
          result = originals.makeUp(value);
        } catch (error) {
          expect(error).toBeInstanceOf(NotMadeUp);
          return;
        }
        made++;
        originals.check(JSON.stringify(result));
        expect(await breaking(result, shape)).toEqual([]);
        const left = new Set(leavesOf(result).map(String));
        expect(leavesOf(value).filter((one) => left.has(String(one)))).toEqual([]);
      }),
      RUNS,
    );
    expect(made).toBeGreaterThan(RUNS.numRuns / 2);
  });
});

/** Texts and numbers in a value, and the names of maps. */
function leavesOf(value: unknown): (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value).filter(isData);
  return [...names, ...Object.values(value).flatMap(leavesOf)];
}

describe('the check of what is about to be written', () => {
  const value = { id: 'customer-7', n: 5, kept: 'XOF', on: true, map: { '22990000001': 1 } };
  const shape = infer(value);
  const originals = new Originals(value, shape, new Set(['kept']));

  it.each<[string, object, string[]]>([
    ['an original', { id: 'customer-7' }, ['id']],
    ['one at another place', { n: 'customer-7' }, ['n']],
    ['a number as text', { id: '5' }, ['id']],
    ['a text that contains one of 8 characters', { id: 'x customer-7 y' }, ['id']],
    ['a name', { map: { '22990000001': 2 } }, ['map.* (name)']],
    ['a kept one elsewhere', { id: 'XOF' }, ['id']],
  ])('refuses %s', (_what, written, paths) => {
    expect(() => originals.check(JSON.stringify(written))).toThrow(
      expect.objectContaining({ paths }),
    );
  });

  it('allows others, what is kept, true, false and null, and parts of few characters', () => {
    const written = { id: 'text 5', n: 55, kept: 'XOF', on: true, map: { '22900000001': null } };
    expect(() => originals.check(JSON.stringify(written))).not.toThrow();
  });
});

it.each([
  ['2026-01-31T10:20:30Z', 'date-time'],
  ['2026-01-31T10:20:30.123+01:00', 'date-time'],
  ['2026-01-31 10:20:30', undefined],
  ['2026-01-31', 'date'],
  ['2026-02-31', undefined],
  ['7d9f7f0e-7a52-4a3d-8a53-0f3f0d6f4b11', 'UUID'],
  ['https://pay.example/d?x=1', 'URL'],
  ['mailto:a@b.example', undefined],
  ['ama@shop.example', 'e-mail'],
  ['+22990000001', 'phone number'],
  ['2299000000', 'decimal'],
  ['22990000001', 'phone number'],
  ['1000.00', 'decimal'],
  ['-5', 'decimal'],
  ['1,000', undefined],
  ['XOF', 'currency code'],
  ['MTN', undefined],
  ['xof', undefined],
  ['', undefined],
  [`https://pay.example/${'x'.repeat(2000)}`, undefined],
])('the format of %j is %s', (value, name) => {
  expect(formatOf(value)?.name).toBe(name);
});

it.each([
  ['balance', false],
  ['iso_639', false],
  ['x1234', true],
  ['a@b', true],
  ['n'.repeat(40), false],
  ['n'.repeat(41), true],
  ['a\u001bb', true],
  ['prénom du client', false],
])('whether the name %j is data: %s', (name, expected) => {
  expect(isData(name)).toBe(expected);
});

it('no shape has a keyword that states a value', () => {
  const shape = JSON.stringify(merge(infer([{ a: 'x' }, null]), infer({ '22990000001': true })));
  expect(shape).not.toMatch(/const|enum|examples|default/);
});
