import { expect, it } from 'vitest';
import { requestCurl } from '../../../src/control/page/request-curl.ts';
import type { RequestDetails } from '../../../src/mock/journal/journal-entry.ts';
import { entryOf } from './entry-of.ts';

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
