import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare } from '../../src/shape/compare.ts';
import { findingText } from '../../src/shape/finding.ts';
import { infer, isData, type Shape, sampleOf, shapesIn } from '../../src/shape/shape.ts';
import { formatOf } from '../../src/shape/text-format.ts';
import { runs } from '../endurance/scale.ts';

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

describe('for any JSON value', () => {
  it('its shape allows it, and no member is new', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const shape = infer(value);
        expect(await breaking(value, shape)).toEqual([]);
      }),
      RUNS,
    );
  });

  it('a list with another value has a shape that allows both, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(json, json, async (one, other) => {
        const { items = {} } = infer([one, other]);
        expect(await breaking(one, items)).toEqual([]);
        expect(await breaking(other, items)).toEqual([]);
        expect(infer([other, one, other]).items).toEqual(items);
      }),
      RUNS,
    );
  });

  it('its sample has its shape, whatever its values', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const shape = infer(value);
        expect(await breaking(sampleOf(shape), shape)).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe('a long list', () => {
  const LONG = 1_000_000;
  const schema = infer([{ a: 1, b: 'x' }]);

  it('is compared up to a limit, which is reported', async () => {
    const findings = await compare(
      Array.from({ length: LONG }, () => ({})),
      { file: 'x', schema },
    );
    expect(findings.map(findingText)).toEqual([
      '[].a: expected integer, received no member',
      '[].b: expected string, received no member',
      '[]: expected at most 1000 elements, received more, of which only the first were compared',
    ]);
  });

  it('of names in a map is compared up to the same limit', async () => {
    const map = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, i) => [`x${10_000 + i}`, {}]),
    );
    const findings = await compare(map, {
      file: 'x',
      schema: { ...infer({ '0000': { a: 1 } }), minProperties: 3000 },
    });
    expect(findings.map(findingText)).toEqual([
      '*.a: expected integer, received no member',
      '*: expected at most 1000 elements, received more, of which only the first were compared',
    ]);
  });

  it('does not make another list count as empty or too short', async () => {
    const lists = { one: Array.from({ length: 3000 }, () => ({ a: 1 })), two: [{ a: 1 }] };
    const { properties } = infer(lists);
    const two = { ...properties?.two, minItems: 1 };
    const findings = await compare(lists, {
      file: 'x',
      schema: { ...infer(lists), properties: { ...properties, two } },
    });
    expect(findings.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'unchecked one[]',
      'unchecked two[]',
    ]);
  });

  it('of objects with different members has a shape', () => {
    const objects = Array.from({ length: 200_000 }, (_, index) => ({ [`m${index % 997}`]: index }));
    const { items } = infer(objects);
    expect(Object.keys(items?.properties ?? {})).toHaveLength(997);
    expect(items?.required).toEqual([]);
  });

  it('of objects with more than 1,000 different members is a list of maps', () => {
    const objects = Array.from({ length: 50_000 }, (_, i) => ({ [`m${i.toString(36)}_`]: i }));
    const map = { type: 'object', additionalProperties: { type: 'integer' } };
    expect(infer(objects.slice(0, 1001))).toEqual({ type: 'array', items: map });
    expect([...shapesIn(infer(objects))]).toHaveLength(3);
    expect(infer(objects.slice(0, 1000)).items?.properties).toBeDefined();
  });
});

it('a comparison reports the first 20 differences, breaking ones first, and counts the others', async () => {
  const body = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`n${index}`, 1]));
  const findings = await compare(body, { file: 'x', schema: infer({ a: 1 }) });
  expect(findings).toHaveLength(21);
  expect(findings[0]).toMatchObject({ kind: 'breaking', path: 'a' });
  expect(findings.slice(1, 20).every(({ kind }) => kind === 'additive')).toBe(true);
  expect(findings.slice(20).map(findingText)).toEqual([
    'body: expected at most 20 differences, received 11 more, which are not shown',
  ]);
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
])('the name %j counts as data: %s', (name, expected) => {
  expect(isData(name)).toBe(expected);
});

it('a shape has no keyword that contains a value', () => {
  const shape = JSON.stringify(infer([{ a: 'x' }, null, { '22990000001': true }]));
  expect(shape).not.toMatch(/const|enum|examples|default/);
});
