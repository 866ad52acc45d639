import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestRecord } from '../../src/mock/journal/record.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';
import { isLong, runs } from '../endurance/scale.ts';

/** Parts of names under which a value is a secret. */
const SECRET_NAMES = [
  'key',
  'token',
  'secret',
  'auth',
  'password',
  'pass',
  'cookie',
  'session',
  'signature',
  'credential',
];

type Received = Pick<RequestRecord, 'headers' | 'target' | 'body' | 'bodyCut' | 'operation'>;

const NOTHING: Received = {
  headers: {},
  target: '/momo/balance',
  body: null,
  bodyCut: false,
  operation: 'GET /momo/:name',
};

/** What the journal shows of a request. */
function shown(keys: readonly string[], ...received: Partial<Received>[]): string {
  const redactor = new Redactor();
  for (const key of keys) redactor.remember(key);
  const all: Received = Object.assign({}, NOTHING, ...received);
  const headers = Object.assign({}, ...received.map((part) => part.headers));
  const record = Object.assign(new RequestRecord({ method: 'POST', ...all, headers }), {
    body: all.body,
    bodyCut: all.bodyCut,
  });
  return JSON.stringify(record.entry(redactor));
}

const percent = encodeURIComponent;
const form = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const xml = (text: string) =>
  text.replace(
    /[&<>"']/g,
    (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }[sign]};`,
  );
const body = (text: string): Partial<Received> => ({ body: Buffer.from(text) });
const multipart = (name: string, value: string) =>
  body(`--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--b--\r\n`);

/** The ways in which a text is written into another. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  percent,
  'lower percent': (text) => percent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  form,
  json,
  'json as PHP has it': (text) => json(text).replaceAll('/', '\\/'),
};

/** Where a value stands under a name; there it is a secret by the name alone. */
const NAMED: Readonly<Record<string, (name: string, value: string) => Partial<Received>>> = {
  header: (name, value) => ({ headers: { [name.toLowerCase()]: value } }),
  'header with a scheme': (name, value) => ({
    headers: { [name.toLowerCase()]: `Bearer ${value}` },
  }),
  cookie: (name, value) => ({
    headers: { cookie: `a=1; ${name}=${value.replaceAll(/[;,"]/g, '_')}` },
  }),
  query: (name, value) => ({ target: `/momo/balance?${percent(name)}=${percent(value)}` }),
  form: (name, value) => body(`a=1&${form(name)}=${form(value)}&b=2`),
  json: (name, value) => body(JSON.stringify({ a: [{ [name]: value }], b: 'c' })),
  'json, cut': (name, value) => ({
    ...body(`{"a":{"${json(name)}":"${json(value)}`),
    bodyCut: true,
  }),
  'json object': (name, value) => body(JSON.stringify({ [name]: { a: [value, { b: value }] } })),
  'xml element': (name, value) => body(`<a><${name}>${xml(value)}</${name}></a>`),
  'xml attribute': (name, value) => body(`<a ${name}="${xml(value)}"/>`),
  multipart,
};

/** Where a configured key, or a secret of the same request, may stand too. */
const ANYWHERE: Readonly<Record<string, (text: string) => Partial<Received>>> = {
  header: (text) => ({ headers: { note: `a ${text} b` } }),
  'header name': (text) => ({ headers: { [`x-${text.toLowerCase()}-y`]: 'a' } }),
  query: (text) => ({ target: `/momo/balance?note=${percent(text)}` }),
  'query name': (text) => ({ target: `/momo/balance?${percent(text)}` }),
  path: (text) => ({ target: `/momo/${percent(text)}` }),
  text: (text) => body(`a ${text} b`),
  'json in a field': (text) => body(`{"note":"a ${text} b","c":{"${text}":1}}`),
  form: (text) => body(`note=${text}&b=1`),
  xml: (text) => body(`<note n="${text}">a ${text} b</note>`),
  multipart: (text) => multipart('note', `a ${text} b`),
};

const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 15,
});
/** A text that is in no request by chance, with any character that a key may have. */
const secret = fc.tuple(visible, visible).map(([before, after]) => `${before}Zq7x${after}`);
const secretName = fc
  .tuple(
    fc.constantFrom('', 'x-', 'my_', 'User.'),
    fc.constantFrom(...SECRET_NAMES),
    fc.constantFrom('', '-2', 's'),
    fc.boolean(),
  )
  .map(([before, name, after, isUpper]) => {
    const text = before + name + after;
    return isUpper ? text.toUpperCase() : text;
  });
const place = fc.constantFrom(...Object.keys(ANYWHERE));
const encoding = fc.constantFrom(...Object.keys(ENCODINGS));
const OPTIONS = runs(20_000, 500);

/** Nothing of a secret is in a text, however it is written. */
function expectNothing(text: string, value: string): void {
  const lower = text.toLowerCase();
  for (const write of Object.values(ENCODINGS)) {
    for (const form of [write(value), json(write(value))]) {
      expect(lower).not.toContain(form.toLowerCase());
    }
  }
}

describe('the journal does not show', () => {
  it('a configured key in any place and in any encoding', async () => {
    const property = fc.asyncProperty(secret, place, encoding, async (key, where, how) => {
      const written = ENCODINGS[how]?.(key) ?? '';
      expectNothing(shown(['other-key', key], ANYWHERE[where]?.(written) ?? {}), key);
    });
    await fc.assert(property, OPTIONS);
  });

  it('a configured key at the end of a body that was cut', async () => {
    const property = fc.asyncProperty(secret, encoding, fc.nat(), async (key, how, at) => {
      const written = ENCODINGS[how]?.(key) ?? '';
      const tail = written.slice(0, 4 + (at % written.length));
      const cut = { ...body(`<${'x'.repeat(60)} ${tail}`), bodyCut: true };
      // An escape that was cut shows no character of the key.
      const readable = /^[a-z0-9]*/i.exec(tail)?.[0] ?? '';
      if (readable.length >= 4) expectNothing(shown([key], cut), readable);
    });
    await fc.assert(property, OPTIONS);
  });

  it.each(Object.entries(NAMED))('a value under the name of a secret: %s', async (_where, put) => {
    const property = fc.asyncProperty(
      secretName,
      secret,
      place,
      encoding,
      async (name, value, other, how) => {
        const kept = put === NAMED.cookie ? value.replaceAll(/[;,"]/g, '_') : value;
        const written = ENCODINGS[how]?.(kept) ?? '';
        const named = put(name, value);
        const more = ANYWHERE[other]?.(written) ?? {};
        expectNothing(shown([], named), kept);
        // The same request has one target and one body.
        const isBoth = (part: 'target' | 'body') => part in named && part in more;
        if (!isBoth('target') && !isBoth('body')) expectNothing(shown([], named, more), kept);
      },
    );
    await fc.assert(property, { ...OPTIONS, numRuns: OPTIONS.numRuns / 5 });
  });

  it.each([1, 2, 3])(
    'a configured key of %i characters as a whole name or value',
    async (length) => {
      const key = 'zqj'.slice(0, length);
      for (const [where, put] of Object.entries(NAMED)) {
        const text = shown([key], put('note', key));
        const isPart = where === 'cookie' || where === 'header with a scheme';
        expect(/\bz/.test(text) && !isPart, `${where}: ${text}`).toBe(false);
      }
      const text = shown([key], {
        headers: { [key]: 'a', b: [key] },
        target: `/momo/${key}?${key}=${key}`,
        body: Buffer.from(key),
      });
      expect(text).not.toMatch(/\bz/);
    },
  );
});

// By npm run torture -- linear alone: it compares times, which a busy machine spoils.
it('ten thousand keys cost a reader of the journal hardly more than ten', async ({ skip }) => {
  skip(!isLong, 'npm run torture runs it');
  const cost = (count: number): number => {
    const redactor = new Redactor();
    for (let at = 0; at < count; at++) redactor.remember(`momo_test_${at}_key`);
    const began = performance.now();
    for (let at = 0; at < 10_000; at++) {
      const headers = { accept: `application/json; charset=utf-8; ${at}` };
      const target = `/momo/balance?apikey=momo_test_${at}_kez`;
      new RequestRecord({ method: 'GET', headers, target }).entry(redactor);
    }
    return performance.now() - began;
  };
  cost(10);
  // It was a hundred times as much when every key was searched for in every text.
  expect(cost(10_000) / cost(10)).toBeLessThan(20);
});

it('text of quotes in JSON costs hardly more than text of letters', async ({ skip }) => {
  skip(!isLong, 'npm run torture runs it');
  const cost = (text: string): number => {
    const began = performance.now();
    shown([], body(JSON.stringify([text.repeat(30_000)])));
    return performance.now() - began;
  };
  cost('a');
  // It was some hundred times as much when names were looked for behind every quote.
  expect(cost('"') / Math.max(cost('aa'), 1)).toBeLessThan(50);
});
