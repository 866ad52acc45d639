import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestDetails } from '../../../src/mock/journal/journal-entry.ts';
import { curlLine, quoted, requestCurl } from '../../../src/page/curl.ts';
import { runs } from '../../endurance/scale.ts';
import { entryOf } from './page-entries.ts';

/** The words that a shell makes of a line. */
function wordsOf(line: string): string[] {
  const script = `for word in ${line}; do printf '%s\\0' "$word"; done`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

const URL = 'http://localhost:8480';

describe('a quoted word', () => {
  it.each([
    ['plain', "it's", '$(touch x) `id` $HOME', 'a\nb\n', '\ttab', '"', '\\', '', '*', '~', '#'],
    // A terminal acts on control characters when they are pasted.
    ['\u001b[201~', '\u0007bell 100% \\n', 'esc\u001b\n\n', '\u0085', 'ü\u0001ü', '‮abc'],
  ])('is the same word in a shell', (...texts) => {
    expect(wordsOf(texts.map(quoted).join(' '))).toEqual(texts);
  });

  it('is the same word in a shell, whatever it is', () => {
    const letter = fc.oneof(fc.constantFrom(...'\'"\\$`%!\n\r\t\u001b\u007f'), fc.string());
    const text = fc.array(letter).map((letters) => letters.join('').replace(/\0|\p{Cs}/gu, ''));
    const check = (texts: string[]) => {
      expect(wordsOf(texts.map(quoted).join(' '))).toEqual(texts);
    };
    fc.assert(fc.property(fc.array(text, { minLength: 20, maxLength: 60 }), check), runs(1000, 20));
  });

  it('has no control characters but tab and line feed', () => {
    const line = quoted(String.fromCharCode(...Array.from({ length: 160 }, (_, code) => code + 1)));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(line).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  });
});

describe('a line with curl', () => {
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
    ['a raw one', { method: 'GET', url: URL, rawHeaders: ['"a: $B"'] }, `curl ${URL} -H "a: $B"`],
    // -d @name would send a file.
    ['@', { method: 'POST', url: URL, body: '@a' }, `curl ${URL} --data-raw @a`],
    ['brackets', { method: 'GET', url: `${URL}/[1-9]` }, `curl --globoff '${URL}/[1-9]'`],
    ['dots', { method: 'GET', url: `${URL}/../a` }, `curl --path-as-is ${URL}/../a`],
  ] as const)('has %s', (_what, request, line) => {
    expect(curlLine(request)).toBe(line);
  });
});

const ADDRESS = {
  url: 'https://localhost:8443',
  file: 'certs/a.pem',
  origin: 'http://localhost:8480',
};
/** What the shell puts in place of the key. */
const KEY = '"$'.concat('{KEY:?set it to your API key}"');
const FIRST = 'curl --cacert certs/a.pem';

function detailsOf(given: Partial<RequestDetails>): RequestDetails {
  return { ...entryOf(1), headers: {}, body: '', response: null, ...given };
}

it('sends the same request, with $KEY in place of the key', () => {
  const query = { apikey: '[redacted]', a: ['1', 'ü &'] };
  expect(requestCurl(detailsOf({ query }), ADDRESS)).toBe(
    `${FIRST} 'https://localhost:8443/momo/balance?apikey='${KEY}'&a=1&a=%C3%BC%20%26'`,
  );
});

it('sends the body and the headers, but none that curl makes itself', () => {
  const own = ['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding'];
  const headers = {
    ...Object.fromEntries(own.map((name) => [name, 'x'])),
    'content-type': 'application/json',
    authorization: '[redacted]',
    'x-twice': ['1', '2'],
  };
  const details = detailsOf({ method: 'POST', headers, body: '{"pin":"[redacted]"}' });
  expect(requestCurl(details, ADDRESS)).toBe(
    `${FIRST} https://localhost:8443/momo/balance -H 'content-type: application/json' -H 'authorization: '${KEY} -H 'x-twice: 1' -H 'x-twice: 2' -d '{"pin":"'${KEY}'"}'`,
  );
});

it('gets the certificate from the control API where it is in no file', () => {
  expect(requestCurl(detailsOf({}), { ...ADDRESS, file: null })).toBe(
    'curl --cacert <(curl -s http://localhost:8480/certificate) https://localhost:8443/momo/balance',
  );
});

it.each([
  ['/momo/…/x', '/momo/%E2%80%A6/x'],
  ["/a b'c?d#e", "'https://localhost:8443/a%20b'\\''c%3Fd%23e'"],
  ['/momo//balance/', '/momo//balance/'],
  ['/\ud800', '/%EF%BF%BD'],
])('writes the path %j as a URL', (path, written) => {
  expect(requestCurl(detailsOf({ path }), ADDRESS)).toContain(written);
});
