import { afterEach, expect, test } from 'vitest';
import { Redactor } from '../../src/mock/redaction/redaction.ts';

const { indexOf, charCodeAt, slice } = String.prototype;

afterEach(() => {
  Object.assign(String.prototype, { indexOf, charCodeAt, slice });
});

/** How many characters of texts are looked at by the methods that search in them. */
function charactersRead(act: () => void): number {
  let read = 0;
  Object.assign(String.prototype, {
    indexOf(this: string, text: string, from = 0) {
      const found = indexOf.call(this, text, from);
      read += (found === -1 ? this.length : found + text.length) - Math.min(from, this.length);
      return found;
    },
    charCodeAt(this: string, at: number) {
      read++;
      return charCodeAt.call(this, at);
    },
    slice(this: string, start: number, end?: number) {
      const piece = slice.call(this, start, end);
      read += piece.length;
      return piece;
    },
  });
  act();
  Object.assign(String.prototype, { indexOf, charCodeAt, slice });
  return read;
}

function repeated(piece: (index: number) => string, length: number): string {
  let text = '';
  for (let index = 0; text.length < length; index++) text += piece(index);
  return text.slice(0, length);
}

const id = (index: number) => `${(index + 1_000_000).toString(36)}xx`;

/** Bodies in which a client puts as many secrets as there is room for. */
const HOSTILE: Record<string, (length: number) => string> = {
  'a list of secrets': (length) => `{"keys":[${repeated((at) => `"${id(at)}",`, length)}`,
  'fields of a form': (length) => repeated((at) => `key=${id(at)}%41+&`, length),
  'lines of names and values': (length) => repeated((at) => `key: ${id(at)}\n`, length),
  'elements of XML': (length) => repeated((at) => `<key>${id(at)}</key>`, length),
  'secrets that begin alike': (length) =>
    `{"keys":[${repeated((at) => `"${'a'.repeat(4 + at)}",`, length)}`,
  'a secret of one letter in a text of it': (length) =>
    `{"key":"${'a'.repeat(length / 2)}","b":"${'a'.repeat(length / 2)}"}`,
  'as many secrets as are searched for': (length) =>
    `key=${Array.from({ length: 60 }, (_, at) => id(at)).join('&key=')}&b=${'a'.repeat(length)}`,
  'secrets of other letters': (length) => `{"keys":[${repeated((at) => `"é+ ${id(at)}",`, length)}`,
};

test.each(Object.entries(HOSTILE))(
  'the work to redact a body is proportional to its size: %s',
  (_what, make) => {
    const redactor = new Redactor();
    redactor.remember('momo_test_key');
    const work = (length: number): number => {
      const parts = { headers: {}, path: null, operation: null, query: [], bodyCut: true };
      return charactersRead(() => void redactor.redactRequest({ ...parts, body: make(length) }));
    };
    const [short, long] = [work(8192), work(32_768)];
    expect(short).toBeGreaterThan(1000);
    expect(long / short).toBeLessThan(5);
    expect(long / 32_768).toBeLessThan(200);
  },
);

const AS = 'a'.repeat(1000);

/** Keys for which a search could try many lengths at each place, or all of a text. */
const KEYS: Record<string, (index: number) => string> = {
  'of many lengths with one beginning': (at) => AS.slice(0, 4 + at),
  'with another end each': (at) => `${AS}${at}`,
  'that hardly differ from the text': (at) => `${AS.slice(0, at)}b${AS}`,
};

test.each(Object.entries(KEYS))(
  'a search for a thousand keys reads a body as often as a search for ten: %s',
  (_what, keyOf) => {
    const work = (count: number): number => {
      const redactor = new Redactor();
      for (let at = 0; at < count; at++) redactor.remember(keyOf(at));
      redactor.redact(AS);
      return charactersRead(() => void redactor.redact('a'.repeat(65_536)));
    };
    expect(work(10)).toBeGreaterThanOrEqual(65_536);
    expect(work(900)).toBeLessThanOrEqual(2 * work(10));
  },
);

test.each([
  [
    'in the values of headers',
    (at: number) => ({ headers: { [`key-${at}`]: AS.slice(0, 9 + at) } }),
  ],
  ['in a query', (at: number) => ({ query: [['key', AS.slice(0, 9 + at)]] as [string, string][] })],
])('secrets of a request that begin alike cost no more than others: %s', (_where, partsOf) => {
  const body = JSON.stringify({ text: 'a'.repeat(60_000) });
  const work = (count: number): number => {
    const parts = Array.from({ length: count }, (_, at) => partsOf(at) as object);
    const merged = parts.map((part) => part as { headers?: object; query?: [string, string][] });
    const headers = Object.assign({}, ...merged.map((part) => part.headers));
    const query = merged.flatMap((part) => part.query ?? []);
    const request = { headers, query, path: null, operation: null, bodyCut: true, body };
    const redactor = new Redactor();
    return charactersRead(() => void redactor.redactRequest(request));
  };
  expect(work(60)).toBeLessThan(2 * work(2));
});

test('the work to add keys one by one, each before a search, is about proportional to their number', () => {
  const work = (count: number): number => {
    const redactor = new Redactor();
    return charactersRead(() => {
      for (let at = 0; at < count; at++) {
        redactor.remember(`momo_test_${at}`);
        redactor.redact('momo');
      }
    });
  };
  expect(work(4000) / work(500)).toBeLessThan(8 * 2);
});
