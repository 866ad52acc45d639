import fc from 'fast-check';

/** Numbers that JavaScript would write in another way, or as another number. */
export const CHANGED_NUMBERS = [
  '12345678901234567890',
  '-9007199254740993',
  '100.00',
  '0.10',
  '1.0',
  '1e2',
  '1E+2',
  '1E400',
  '-1e-400',
  '-0',
  '-0.0',
  '0e5',
  '0.0000001',
  '3.14159265358979323846264338327950288',
];

const digits = (minLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength: 25 });

/** The text of any JSON number. */
export const jsonNumber = fc.oneof(
  fc.constantFrom('0', '5', '0.1', '-17', '1.5e-7', ...CHANGED_NUMBERS),
  fc
    .tuple(
      fc.constantFrom('', '-'),
      digits(1).map((text) => text.replace(/^0+(?=\d)/, '')),
      fc.oneof(
        fc.constant(''),
        digits(1).map((text) => `.${text}`),
      ),
      fc.constantFrom('', '', 'e3', 'E-12', 'e+007'),
    )
    .map((parts) => parts.join('')),
);

const text = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('100.00', '"1e2"', '\\"', ':1.0'),
  )
  .map((string) => JSON.stringify(string));

/** JavaScript moves names that are indexes to the front. */
const name = fc
  .oneof(fc.string({ maxLength: 6 }), fc.constantFrom('__proto__', 'constructor', 'toJSON', '1.00'))
  .filter(
    (string) =>
      !/^\d+$/.test(string) && !/key|token|pass|auth|session|sign|cred|cookie|secret/i.test(string),
  );

/** The text of any JSON, as JavaScript formats it except for its numbers. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    { weight: 4, arbitrary: jsonNumber },
    { weight: 1, arbitrary: text },
    { weight: 1, arbitrary: fc.constantFrom('true', 'false', 'null') },
    { weight: 2, arbitrary: fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items}]`) },
    {
      weight: 3,
      arbitrary: fc
        .uniqueArray(fc.tuple(name, tie('json')), { selector: ([own]) => own, maxLength: 4 })
        .map((members) => `{${members.map(([own, json]) => `${JSON.stringify(own)}:${json}`)}}`),
    },
  ),
})).json;
