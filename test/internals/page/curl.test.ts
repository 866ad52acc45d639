import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { curlLine, quoted, requestCurl } from '../../../src/page/curl.ts';
import { runs } from '../../endurance/scale.ts';

it('a quoted word is the same word in a shell', () => {
  const letter = fc.oneof(fc.constantFrom(...'\'"\\$`%!*~#-\n\t'), fc.string());
  const word = fc.array(letter).map((letters) => letters.join('').replace(/\p{Cc}|\p{Cs}/gu, ''));
  const check = (words: string[]) => {
    const script = `for word in ${words.map(quoted).join(' ')}; do printf '%s\\0' "$word"; done`;
    const output = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(output.split('\0').slice(0, -1)).toEqual(words);
  };
  fc.assert(fc.property(fc.array(word, { minLength: 20, maxLength: 60 }), check), runs(1000, 20));
});

it('a quoted word has no control characters, on which a terminal would act', () => {
  expect(quoted("it's \u001b[31m\u0085\n")).toBe("'it'\\''s '$'\\u001b''[31m'$'\\u0085''\n'");
});

const URL = 'http://localhost:8480';

it.each([
  ['GET', { method: 'GET', url: URL }, `curl ${URL}`],
  ['POST of a body', { method: 'POST', url: URL, body: '{}' }, `curl ${URL} -d '{}'`],
  ['GET of a body', { method: 'GET', url: URL, body: 'a' }, `curl -X GET ${URL} -d a`],
  ['POST of none', { method: 'POST', url: URL }, `curl -X POST ${URL}`],
  // curl -X HEAD waits for a body that never comes.
  ['HEAD', { method: 'HEAD', url: URL }, `curl --head ${URL}`],
  ['options', { method: 'GET', url: URL, options: ['-s'] }, `curl -s ${URL}`],
  ['a header', { method: 'GET', url: URL, headers: [['a', 'b c']] }, `curl ${URL} -H 'a: b c'`],
  ['an empty one', { method: 'GET', url: URL, headers: [['a', '']] }, `curl ${URL} -H 'a;'`],
  ['a body like a file', { method: 'POST', url: URL, body: '@a' }, `curl ${URL} --data-raw @a`],
] as const)('a line with curl has %s', (_what, request, line) => {
  expect(curlLine(request)).toBe(line);
});

/** What the shell puts in place of the key, between quotes. */
const KEY = `'"$`.concat(`{KEY:?set it to your API key}"'`);
const SERVICE = 'https://localhost:8443';
const CURL_OWN = ['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding'];

it.each<[what: string, given: Partial<Parameters<typeof requestCurl>[0]>, line: string]>([
  [
    'its query',
    { query: { apikey: '[redacted]', a: ['1', 'ü &'] } },
    `'${SERVICE}/momo/balance?apikey=${KEY}&a=1&a=%C3%BC%20%26'`,
  ],
  [
    'its body and headers, but none that curl makes itself',
    {
      method: 'POST',
      headers: {
        ...Object.fromEntries(CURL_OWN.map((name) => [name, 'x'])),
        authorization: '[redacted]',
        'x-twice': ['1', '2'],
      },
      body: '{"pin":"[redacted]"}',
    },
    `${SERVICE}/momo/balance -H 'authorization: ${KEY}' -H 'x-twice: 1' -H 'x-twice: 2' -d '{"pin":"${KEY}"}'`,
  ],
  ['its path', { path: '/momo/…//x/' }, `${SERVICE}/momo/%E2%80%A6//x/`],
  ['a path to quote', { path: "/a b'c?d#e" }, `'${SERVICE}/a%20b'\\''c%3Fd%23e'`],
  ['half of a surrogate pair', { path: '/\ud800' }, `${SERVICE}/%EF%BF%BD`],
])('a request is sent again with %s, and $KEY in place of the key', (_what, given, line) => {
  vi.stubGlobal('location', { origin: URL });
  onTestFinished(() => void vi.unstubAllGlobals());
  const request = { method: 'GET', path: '/momo/balance', query: {}, headers: {}, body: '' };
  const lineOf = (file: string | null) =>
    requestCurl(
      { ...request, ...given },
      { url: SERVICE, certificate: { expiresAt: '', names: [], file } },
    );
  expect(lineOf('certs/a.pem')).toBe(`curl --cacert certs/a.pem ${line}`);
  expect(lineOf(null)).toBe(`curl --cacert <(curl -s ${URL}/certificate) ${line}`);
});
