import fc from 'fast-check';
import { fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import { routePath, routePattern, type Segment } from '../../src/mock/operation.ts';
import { runs } from '../endurance/scale.ts';

/** What a request comes to: the pattern of its route, and its parameters as the client sent them. */
interface Found {
  readonly url: string | undefined;
  readonly params: Readonly<Record<string, string>>;
}

/** An application as the service is one: paths go through `routePath`. */
async function serve(paths: readonly (readonly Segment[])[], strict = false) {
  const app = fastify({
    routerOptions: { caseSensitive: strict, ignoreTrailingSlash: !strict, maxParamLength: 10_000 },
    rewriteUrl: ({ url = '' }) => routePath(url.slice(1).split('/').map(decodeURIComponent)),
  });
  for (const path of paths) {
    const url = routePattern(path);
    app.get(url, async ({ params }): Promise<Found> => {
      const decoded = Object.entries(params as object).map(([name, value]) => [
        name,
        decodeURIComponent(value),
      ]);
      return { url, params: Object.fromEntries(decoded) };
    });
  }
  app.setNotFoundHandler(async (): Promise<Found> => ({ url: undefined, params: {} }));
  const find = async (url: string): Promise<Found> => (await app.inject(url)).json();
  return { find };
}

const literal = (text: string): Segment => ({ literal: text });
const parameter = (name: string): Segment => ({ parameter: name });

/** Every byte of it is percent-encoded. */
const fullyEncoded = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
/** What a URL needs to have encoded is encoded, and nothing else. */
const barelyEncoded = (text: string) => encodeURI(text).replace(/[?#/]/g, encodeURIComponent);

const LITERALS = [
  ...['a b', 'é', 'a+b', 'a%b', 'a%2Bb', 'a#b', 'a?b', 'a:b', 'a@b', 'a&b', '{x}', '~', '(1)'],
  ...['a,b', 'a;b', 'a=b', '$a', '日本', '*', 'a*', ':', '::', ':a', 'a:', "a'b", 'a"b', '<a>'],
  ...['a|b', 'a\\b', '^', '`', '!', 'MiXed', '😀', 'İ', 'ΑΣ', 'a-b', 'a.b', '__proto__', 'x?'],
  'long'.repeat(60),
];

describe.each([
  ['strict', true],
  ['not strict', false],
])('with paths that are %s', (_, strict) => {
  test.each(LITERALS)('%s is matched however it is encoded', async (text) => {
    const path = [literal('l'), literal(text), parameter('p'), literal(text)];
    // The other literals are there too, so that none is taken for another.
    const others = LITERALS.filter((other) => other !== text).map((other) => [
      literal('l'),
      literal(other),
      parameter('p'),
      literal(other),
    ]);
    const { find } = await serve([...others, path], strict);
    for (const encode of [fullyEncoded, encodeURIComponent, barelyEncoded]) {
      const found = await find(`/l/${encode(text)}/1/${encode(text)}`);
      expect(found).toEqual({ url: routePattern(path), params: { p: '1' } });
    }
  });

  test('any text of any path is found, and nothing else', async () => {
    const anyText = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
      // A URL cannot hold these: clients take them for a way through the folders.
      .filter((text) => !/^\.{1,2}$/.test(text));
    const anyPath = fc.array(anyText, { minLength: 1, maxLength: 4 });
    const fold = (text: string) => (strict ? text : text.toLowerCase());
    await fc.assert(
      fc.asyncProperty(anyPath, anyPath, anyText, async (path, other, value) => {
        const segments = [...path.map(literal), parameter('p')];
        const { find } = await serve([segments], strict);
        for (const encode of [fullyEncoded, barelyEncoded]) {
          const url = `/${[...path, value].map(encode).join('/')}`;
          const expected = { url: routePattern(segments), params: { p: value } };
          expect(await find(url)).toEqual(expected);
        }
        if (fold(other.join('/')) === fold(path.join('/'))) return;
        const url = `/${[...other, value].map(fullyEncoded).join('/')}`;
        expect((await find(url)).url).toBeUndefined();
      }),
      runs(1000, 100),
    );
  });
});

describe('letter case', () => {
  test.each([
    ['counts in strict paths', true, undefined],
    ['does not count otherwise', false, '/Momo/A%252BB'],
  ])('%s', async (_, strict, url) => {
    const { find } = await serve([[literal('Momo'), literal('A%2BB')]], strict);
    expect((await find('/Momo/A%252BB')).url).toBe('/Momo/A%252BB');
    expect((await find('/momo/a%252bb')).url).toBe(url);
  });
});

describe('a parameter', () => {
  test('matches any text', async () => {
    const { find } = await serve([[literal('s'), parameter('id')]]);
    for (const text of ['1', 'a/b', 'a%2Fb', 'A B', '\n', '*', ':id', 'İ', 'x'.repeat(2000)]) {
      expect((await find(`/s/${encodeURIComponent(text)}`)).params).toEqual({ id: text });
    }
  });

  test.each([true, false])('does not match an empty segment (strict: %s)', async (strict) => {
    const { find } = await serve(
      [
        [literal('s'), parameter('id')],
        [parameter('a'), literal('b')],
      ],
      strict,
    );
    for (const url of ['/s', '/s/', '/s//', '//b']) expect((await find(url)).url).toBeUndefined();
  });

  test('gives way to fixed text', async () => {
    const latest = [literal('s'), literal('latest')];
    const { find } = await serve([[literal('s'), parameter('id')], latest]);
    expect((await find('/s/latest')).url).toBe('/s/latest');
    expect((await find('/s/late')).params).toEqual({ id: 'late' });
  });

  test('may have another name in another path at the same place, and any name', async () => {
    const { find } = await serve([
      [literal('a'), parameter('x'), literal('b')],
      [literal('a'), parameter('y'), literal('c')],
      ['q1', 'q2', 'q3', 'q4', '__proto__', 'constructor'].map(parameter),
    ]);
    expect((await find('/a/1/b')).params).toEqual({ x: '1' });
    expect((await find('/a/1/c')).params).toEqual({ y: '1' });
    expect(Object.entries((await find('/1/2/3/4/5/6')).params)).toContainEqual(['__proto__', '5']);
  });
});

test('a path may be as deep as a file system lets it be', async () => {
  const literals = Array.from({ length: 1500 }, () => literal('d'));
  const parameters = Array.from({ length: 500 }, (_, index) => parameter(`p${index}`));
  const { find } = await serve([literals, parameters]);
  expect((await find('/d'.repeat(1500))).url).toBe(routePattern(literals));
  expect(Object.keys((await find('/v'.repeat(500))).params)).toHaveLength(500);
});
