import { describe, expect, test } from 'vitest';
import { Secrets } from '../../src/mock/secrets.ts';

const KEY = 'k+y/1234=';

function redact(text: string, right = [KEY], wrong: string[] = []): string {
  const secrets = new Secrets(() => right);
  for (const value of wrong) secrets.remember(value);
  return secrets.redactor()(text);
}

describe('a key is taken out', () => {
  test.each([
    ['as it is', `a ${KEY} b`, 'a [redacted] b'],
    ['percent-encoded', `a=${encodeURIComponent(KEY)}&b`, 'a=[redacted]&b'],
    ['in lower case of it', `a=${encodeURIComponent(KEY).toLowerCase()}&b`, 'a=[redacted]&b'],
    ['encoded twice', encodeURIComponent(encodeURIComponent(KEY)), '[redacted]'],
    ['in hex', `x${Buffer.from(KEY).toString('hex')}x`, 'x[redacted]x'],
    ['several times', `${KEY}${KEY}`, '[redacted][redacted]'],
    ['after its name, whatever it is', 'apikey=nobodys&b=1', 'apikey=[redacted]&b=1'],
    ['after its name in JSON', '{"apiKey": "x", "b": 1}', '{"apiKey": "[redacted]", "b": 1}'],
    ['after half its name', 'key=a&b=1', 'key=[redacted]&b=1'],
    ['of six characters, at the end', 'a abcdef', 'a [redacted]', ['abcdef']],
    ['after its name, percent-encoded', 'u=%3Fapi_key%3Dabc', 'u=%3Fapi_key%3D[redacted]'],
  ])('%s', (_name, text, expected, right = [KEY]) => {
    expect(redact(text, right)).toBe(expected);
  });

  test.each(['', 'u', 'us'])('in base64, with %j before it', (before) => {
    const coded = Buffer.from(`${before}${KEY}:pw`).toString('base64');
    const clean = redact(coded);
    expect(clean).toContain('[redacted]');
    expect(Buffer.from(clean, 'base64').toString()).not.toContain('1234');
    expect(redact(coded.replaceAll('+', '-').replaceAll('/', '_'))).toContain('[redacted]');
  });

  test('in both alphabets of base64', () => {
    const key = '>>>>>>??????';
    expect(redact(Buffer.from(key).toString('base64'), [key])).toBe('[redacted]Pz8/');
    expect(redact(Buffer.from(key).toString('base64url'), [key])).toBe('[redacted]Pz8_');
  });

  test('with quotes in it, out of JSON', () => {
    expect(redact(JSON.stringify({ a: 'k"ey\\12' }), ['k"ey\\12'])).toBe('{"a":"[redacted]"}');
  });

  test('that came beside a good one', () => {
    const secrets = new Secrets(() => []);
    const query = [
      ['apikey', 'good-1'],
      ['api_key', 'wrong-2'],
    ] as const;
    secrets.rememberQuery(query, true);
    expect(secrets.redactor()('good-1 wrong-2')).toBe('good-1 [redacted]');
  });

  test('that is wrong, once it was seen in the place of a key', () => {
    const secrets = new Secrets(() => []);
    const query = [
      ['apikey', 'wrong-1'],
      ['api_key', 'wrong-2'],
      ['x', 'plain-3'],
    ] as const;
    secrets.rememberQuery(query, false);
    secrets.rememberHeaders({
      authorization: 'Bearer wrong-4',
      cookie: 'sid=wrong-5; lang=french',
      'x-api-key': ['wrong-6', 'wrong-7'],
      accept: 'plain-8',
    });
    secrets.rememberText('{"apikey":"wrong-9"}');
    const text = 'wrong-1 wrong-2 plain-3 wrong-4 wrong-5 wrong-6 wrong-7 plain-8 wrong-9';
    expect(
      secrets
        .redactor()(text)
        .match(/wrong|plain-\d/g),
    ).toEqual(['plain-3', 'plain-8']);
  });
});

describe('what is no key stays', () => {
  test('a short key is looked for as a whole text alone', () => {
    expect(redact('key', ['key'])).toBe('[redacted]');
    expect(redact('a key b', ['key'])).toBe('a key b');
  });

  test('a wrong one of less than six characters is too common a text', () => {
    expect(redact('12345', [], ['12345'])).toBe('12345');
    expect(redact('123456', [], ['123456'])).toBe('[redacted]');
  });

  test('a text as short as what base64 leaves of a key', () => {
    const coded = Buffer.from('abcdef').toString('base64');
    expect(redact(coded.slice(0, 4), ['abcdef'])).toBe(coded.slice(0, 4));
  });

  test('a key with characters of regular expressions is taken literally', () => {
    expect(redact('aaaaaaab a.*(b)+[c] ', ['a.*(b)+[c]'])).toBe('aaaaaaab [redacted] ');
  });

  test('only so many wrong keys are remembered, the latest', () => {
    const wrong = Array.from({ length: 1001 }, (_, index) => `wrong-${index}-key`);
    expect(redact('wrong-0-key wrong-1-key wrong-1000-key', [], wrong)).toBe(
      'wrong-0-key [redacted] [redacted]',
    );
  });
});

test('a key that begins as another does is taken out whole', () => {
  expect(redact('a worker-12 b worker-1 c', ['worker-1', 'worker-12'])).toBe(
    'a [redacted] b [redacted] c',
  );
});

test('each key is known from when it is there', () => {
  const right = ['first-key', 'other-key'];
  const secrets = new Secrets(() => right);
  const clean = () => secrets.redactor()('first-key second-key third-key');
  expect(clean()).toBe('[redacted] second-key third-key');
  right[0] = 'second-key';
  expect(clean()).toBe('first-key [redacted] third-key');
  secrets.remember('third-key');
  expect(clean()).toBe('first-key [redacted] [redacted]');
  // As long as they stay the same, nothing is made anew.
  expect(secrets.redactor()).toBe(secrets.redactor());
});
