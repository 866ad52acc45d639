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
const variable = (name: string, field: string) => `'"$`.concat(`{${name}:?set it to ${field}}"'`);
const TOKEN = `'"$`.concat(`{TOKEN:?set it to a token of the account}"'`);
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

it.each<{
  name: string;
  given: Partial<Parameters<typeof requestCurl>[0]>;
  line: string;
  key?: object;
  needsToken?: boolean;
}>([
  {
    name: 'its query',
    given: { query: { apikey: '[redacted]', a: ['1', 'ü &'] } },
    line: `'${BALANCE}?apikey=${KEY}&a=1&a=%C3%BC%20%26'`,
  },
  {
    name: 'a body',
    given: { method: 'POST', body: '{"pin":"[redacted]"}' },
    line: `${BALANCE} -d '{"pin":"${KEY}"}'`,
  },
  {
    name: 'other secrets in JSON',
    given: {
      method: 'POST',
      body: '{"Password":"[redacted]", "SecurityCredential" : "[redacted]", "2fa-token":"[redacted]"}',
    },
    line: `${BALANCE} -d '{"Password":"${variable('PASSWORD', 'Password')}", "SecurityCredential" : "${variable('SECURITY_CREDENTIAL', 'SecurityCredential')}", "2fa-token":"${variable('_2FA_TOKEN', '2fa-token')}"}'`,
  },
  {
    name: 'other secrets in a form and in the query',
    given: {
      method: 'POST',
      query: { apikey: '[redacted]', secret: '[redacted]' },
      body: 'passKey=[redacted]&apikey=[redacted]&note=a+[redacted]',
    },
    line: `'${BALANCE}?apikey=${KEY}&secret=${variable('SECRET', 'secret')}' -d 'passKey=${variable('PASS_KEY', 'passKey')}&apikey=${KEY}&note=a+${KEY}'`,
  },
  {
    name: 'other secrets in headers',
    given: { headers: { authorization: '[redacted]', 'x-api-key': '[redacted]' } },
    line: `${BALANCE} -H 'authorization: Bearer ${KEY}' -H 'x-api-key: ${variable('X_API_KEY', 'x-api-key')}'`,
    key: HEADER_KEY,
  },
  {
    name: 'a body like a file',
    given: { method: 'POST', body: '@a' },
    line: `${BALANCE} --data-raw @a`,
  },
  { name: 'a body in a GET', given: { body: 'a' }, line: `-X GET ${BALANCE} -d a` },
  { name: 'a method', given: { method: 'POST' }, line: `-X POST ${BALANCE}` },
  // curl -X HEAD waits for a body that never comes.
  { name: 'HEAD', given: { method: 'HEAD' }, line: `--head ${BALANCE}` },
  {
    name: 'its headers, but none that curl makes itself',
    given: { headers: { a: '[redacted]', 'x-twice': ['1', '2'], 'x-empty': '' } },
    line: `${BALANCE} -H 'a: ${KEY}' -H 'x-twice: 1' -H 'x-twice: 2' -H 'x-empty;'`,
  },
  {
    name: 'the scheme before the key',
    given: { headers: { authorization: '[redacted]', a: 'b' } },
    line: `${BALANCE} -H 'authorization: Bearer ${KEY}' -H 'a: b'`,
    key: HEADER_KEY,
  },
  {
    name: 'no key if the request had none',
    given: { headers: { a: 'b' } },
    line: `${BALANCE} -H 'a: b'`,
    key: HEADER_KEY,
  },
  {
    name: 'the key as the user name',
    given: { headers: { authorization: '[redacted]', a: 'b' } },
    line: `-u '${KEY}:' ${BALANCE} -H 'a: b'`,
    key: BASIC_KEY,
  },
  {
    name: 'a token, where its operation needs one',
    given: { headers: { authorization: '[redacted]', a: 'b' } },
    line: `${BALANCE} -H 'authorization: Bearer ${TOKEN}' -H 'a: b'`,
    key: BASIC_KEY,
    needsToken: true,
  },
  {
    name: 'a token besides the key',
    given: { headers: { authorization: '[redacted]', 'x-key': '[redacted]' } },
    line: `${BALANCE} -H 'authorization: Bearer ${TOKEN}' -H 'x-key: ${KEY}'`,
    key: { ...QUERY_KEY, query: {}, headers: { 'x-key': '[redacted]' } },
    needsToken: true,
  },
  {
    name: 'no token if the request had none',
    given: { headers: { a: 'b' } },
    line: `${BALANCE} -H 'a: b'`,
    key: BASIC_KEY,
    needsToken: true,
  },
  {
    name: 'no user name if the request had none',
    given: { headers: { a: 'b' } },
    line: `${BALANCE} -H 'a: b'`,
    key: BASIC_KEY,
  },
  {
    name: 'no headers of curl',
    given: { headers: Object.fromEntries(CURL_OWN.map((it) => [it, 'x'])) },
    line: BALANCE,
  },
  {
    name: 'the charset of its body',
    given: {
      method: 'POST',
      headers: { 'content-type': 'text/plain;charset="utf-16"; a=b' },
      body: 'é',
    },
    line: `${BALANCE} -H 'content-type: text/plain;charset=utf-8; a=b' -d 'é'`,
  },
  { name: 'its path', given: { path: '/momo/…//x/' }, line: `${SERVICE}/momo/%E2%80%A6//x/` },
  {
    name: 'a path as it was requested',
    given: { path: '/a%2Fb%25+(:@' },
    line: `'${SERVICE}/a%2Fb%25+(:@'`,
  },
  {
    name: 'a path to quote',
    given: { path: "/a'b[1-2]{c}" },
    line: `'${SERVICE}/a'\\''b%5B1-2%5D%7Bc%7D'`,
  },
  {
    name: 'the dots of its path',
    given: { path: '/a/../%2e' },
    line: `--path-as-is ${SERVICE}/a/../%2e`,
  },
  {
    name: 'a secret in its path',
    given: { path: '/a%2F[redacted]x' },
    line: `'${SERVICE}/a%2F${KEY}x'`,
  },
  { name: 'half of a surrogate pair', given: { path: '/\ud800' }, line: `${SERVICE}/%EF%BF%BD` },
])(
  'the curl line of a request has $name, and $KEY in place of the key',
  ({ given, line, key = {}, needsToken }) => {
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
        needsToken,
      );
    expect(lineOf('certs/a.pem')).toBe(`curl --cacert certs/a.pem ${line}`);
    expect(lineOf(null)).toBe(`curl --cacert <(curl -s http://localhost:8480/certificate) ${line}`);
  },
);
