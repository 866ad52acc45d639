import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { quoted, requestCurl } from '../../src/page/curl.ts';
import { runs } from '../endurance/scale.ts';

it('a quoted word is the same word to a shell', () => {
  const letter = fc.oneof(fc.constantFrom(...'\'"\\$`%!*~#-\n\t'), fc.string());
  const word = fc.array(letter).map((letters) => letters.join('').replace(/\p{Cc}|\p{Cs}/gu, ''));
  const check = (words: string[]) => {
    const script = `for word in ${words.map(quoted).join(' ')}; do printf '%s\\0' "$word"; done`;
    const output = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(output.split('\0').slice(0, -1)).toEqual(words);
  };
  fc.assert(fc.property(fc.array(word, { minLength: 20, maxLength: 60 }), check), runs(1000, 20));
});

it('a quoted word has no control characters, which would affect a terminal', () => {
  expect(quoted("it's \u001b[31m\u0085\n")).toBe("'it'\\''s '$'\\u001b''[31m'$'\\u0085''\n'");
});

/** What the shell puts in place of the key, between quotes. */
const KEY = `'"$`.concat(`{KEY:?set it to your API key}"'`);
const SERVICE = 'https://localhost:8443';
const BALANCE = `${SERVICE}/momo/balance`;
const CURL_OWN = [
  'content-encoding',
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'transfer-encoding',
];

const QUERY_KEY = { query: { apikey: '[redacted]' }, headers: {}, user: null };
const HEADER_KEY = { ...QUERY_KEY, query: {}, headers: { authorization: 'Bearer [redacted]' } };
const BASIC_KEY = { ...QUERY_KEY, query: {}, user: '[redacted]' };

it.each<
  [what: string, given: Partial<Parameters<typeof requestCurl>[0]>, line: string, key?: object]
>([
  [
    'its query',
    { query: { apikey: '[redacted]', a: ['1', 'ü &'] } },
    `'${BALANCE}?apikey=${KEY}&a=1&a=%C3%BC%20%26'`,
  ],
  ['a body', { method: 'POST', body: '{"pin":"[redacted]"}' }, `${BALANCE} -d '{"pin":"${KEY}"}'`],
  ['a body like a file', { method: 'POST', body: '@a' }, `${BALANCE} --data-raw @a`],
  ['a body in a GET', { body: 'a' }, `-X GET ${BALANCE} -d a`],
  ['a method', { method: 'POST' }, `-X POST ${BALANCE}`],
  // curl -X HEAD waits for a body that never comes.
  ['HEAD', { method: 'HEAD' }, `--head ${BALANCE}`],
  [
    'its headers, but none that curl makes itself',
    { headers: { authorization: '[redacted]', 'x-twice': ['1', '2'], 'x-empty': '' } },
    `${BALANCE} -H 'authorization: ${KEY}' -H 'x-twice: 1' -H 'x-twice: 2' -H 'x-empty;'`,
  ],
  [
    'the scheme before the key',
    { headers: { authorization: '[redacted]', a: 'b' } },
    `${BALANCE} -H 'authorization: Bearer ${KEY}' -H 'a: b'`,
    HEADER_KEY,
  ],
  ['no key that it did not have', { headers: { a: 'b' } }, `${BALANCE} -H 'a: b'`, HEADER_KEY],
  [
    'the key as the user name',
    { headers: { authorization: '[redacted]', a: 'b' } },
    `-u '${KEY}:' ${BALANCE} -H 'a: b'`,
    BASIC_KEY,
  ],
  ['no user name that it did not have', { headers: { a: 'b' } }, `${BALANCE} -H 'a: b'`, BASIC_KEY],
  ['no headers of curl', { headers: Object.fromEntries(CURL_OWN.map((it) => [it, 'x'])) }, BALANCE],
  [
    'the charset of its body',
    { method: 'POST', headers: { 'content-type': 'text/plain;charset="utf-16"; a=b' }, body: 'é' },
    `${BALANCE} -H 'content-type: text/plain;charset=utf-8; a=b' -d 'é'`,
  ],
  ['its path', { path: '/momo/…//x/' }, `${SERVICE}/momo/%E2%80%A6//x/`],
  ['a path as it was requested', { path: '/a%2Fb%25+(:@' }, `'${SERVICE}/a%2Fb%25+(:@'`],
  ['a path to quote', { path: "/a'b[1-2]{c}" }, `'${SERVICE}/a'\\''b%5B1-2%5D%7Bc%7D'`],
  ['the dots of its path', { path: '/a/../%2e' }, `--path-as-is ${SERVICE}/a/../%2e`],
  ['a secret in its path', { path: '/a%2F[redacted]x' }, `'${SERVICE}/a%2F${KEY}x'`],
  ['half of a surrogate pair', { path: '/\ud800' }, `${SERVICE}/%EF%BF%BD`],
])(
  'the curl line of a request has %s, and $KEY in place of the key',
  (_what, given, line, key = {}) => {
    vi.stubGlobal('location', { origin: 'http://localhost:8480' });
    onTestFinished(() => void vi.unstubAllGlobals());
    const request = { method: 'GET', path: '/momo/balance', query: {}, headers: {}, body: '' };
    const lineOf = (file: string | null) =>
      requestCurl(
        { ...request, ...given },
        {
          url: SERVICE,
          certificate: { expiresAt: '', names: [], file },
          key: { ...QUERY_KEY, ...key },
        },
      );
    expect(lineOf('certs/a.pem')).toBe(`curl --cacert certs/a.pem ${line}`);
    expect(lineOf(null)).toBe(`curl --cacert <(curl -s http://localhost:8480/certificate) ${line}`);
  },
);
