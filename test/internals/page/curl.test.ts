import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RequestDetails } from '../../../src/mock/journal/entry.ts';
import { curlLine, quoted, requestCurl } from '../../../src/page/curl.ts';
import { runs } from '../../endurance/scale.ts';
import { entryOf } from './page-entries.ts';

it('a quoted word is the same word in a shell, without control characters', () => {
  const letter = fc.oneof(fc.constantFrom(...'\'"\\$`%!*~#-\n\r\t\u001b\u007f\u0085'), fc.string());
  const text = fc.array(letter).map((letters) => letters.join('').replace(/\0|\p{Cs}/gu, ''));
  const check = (texts: string[]) => {
    const line = texts.map(quoted).join(' ');
    const script = `for word in ${line}; do printf '%s\\0' "$word"; done`;
    const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(words.split('\0').slice(0, -1)).toEqual(texts);
    // A terminal acts on them when they are pasted.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(line).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  };
  fc.assert(fc.property(fc.array(text, { minLength: 20, maxLength: 60 }), check), runs(1000, 20));
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
  // -d @name would send a file.
  ['@', { method: 'POST', url: URL, body: '@a' }, `curl ${URL} --data-raw @a`],
  ['brackets', { method: 'GET', url: `${URL}/[1-9]` }, `curl --globoff '${URL}/[1-9]'`],
  ['dots', { method: 'GET', url: `${URL}/../a` }, `curl --path-as-is ${URL}/../a`],
] as const)('a line with curl has %s', (_what, request, line) => {
  expect(curlLine(request)).toBe(line);
});

/** What the shell puts in place of the key. */
const KEY = '"$'.concat('{KEY:?set it to your API key}"');
const SERVICE = 'https://localhost:8443';
const CURL_OWN = ['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding'];

it.each<[what: string, given: Partial<RequestDetails>, line: string]>([
  [
    'its query',
    { query: { apikey: '[redacted]', a: ['1', 'ü &'] } },
    `'${SERVICE}/momo/balance?apikey='${KEY}'&a=1&a=%C3%BC%20%26'`,
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
    `${SERVICE}/momo/balance -H 'authorization: '${KEY} -H 'x-twice: 1' -H 'x-twice: 2' -d '{"pin":"'${KEY}'"}'`,
  ],
  ['its path', { path: '/momo/…//x/' }, `${SERVICE}/momo/%E2%80%A6//x/`],
  ['a path to quote', { path: "/a b'c?d#e" }, `'${SERVICE}/a%20b'\\''c%3Fd%23e'`],
  ['half of a surrogate pair', { path: '/\ud800' }, `${SERVICE}/%EF%BF%BD`],
])('a request is sent again with %s, and $KEY in place of the key', (_what, given, line) => {
  const details = { ...entryOf(1), headers: {}, body: '', response: null, ...given };
  const address = { url: SERVICE, file: 'certs/a.pem', origin: URL };
  expect(requestCurl(details, address)).toBe(`curl --cacert certs/a.pem ${line}`);
  expect(requestCurl(details, { ...address, file: null })).toBe(
    `curl --cacert <(curl -s ${URL}/certificate) ${line}`,
  );
});
