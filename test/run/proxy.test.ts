import { expect, test } from 'vitest';
import { proxyVariables } from '../../src/cli/run/proxy.ts';
import { makeCertificateInMemory } from '../../src/tls/memory-certificate.ts';

const hosts = ['api.example.com', '*.wild.example', '10.1.2.3'];
const { cert } = await makeCertificateInMemory({ hosts });
const facts = { controlUrl: 'http://localhost:8480', token: undefined, cert };

test('the proxy is for HTTPS alone, in both spellings, and for Node', () => {
  expect(proxyVariables(facts, {})).toEqual({
    HTTPS_PROXY: 'http://localhost:8480',
    https_proxy: 'http://localhost:8480',
    NO_PROXY: 'localhost,127.0.0.1,::1',
    no_proxy: 'localhost,127.0.0.1,::1',
    NODE_USE_ENV_PROXY: '1',
  });
});

test.each([
  ['api.example.com', ''],
  ['API.example.com:443', ''],
  ['.example.com, .wild.example', ''],
  ['example.com  *.com', ''],
  ['*', ''],
  ['10.1.2.3', ''],
  ['other.example.com,ample.com,10.1.2.4', ',other.example.com,ample.com,10.1.2.4'],
  ['internal,localhost', ',internal'],
])('of NO_PROXY=%s there is left what is not for the mock', (given, left) => {
  const expected = `localhost,127.0.0.1,::1${left}`;
  for (const name of ['NO_PROXY', 'no_proxy']) {
    const { NO_PROXY, no_proxy } = proxyVariables(facts, { [name]: given });
    expect([NO_PROXY, no_proxy]).toEqual([expected, expected]);
  }
});

test('the token of the control API is the password', () => {
  const { HTTPS_PROXY = '' } = proxyVariables({ ...facts, token: 'to:k@n/' }, {});
  expect(decodeURIComponent(new URL(HTTPS_PROXY).password)).toBe('to:k@n/');
});

test.each([
  ['there is no control API', { ...facts, controlUrl: null }],
  ['there is no name', { ...facts, cert: (await makeCertificateInMemory({ hosts: [] })).cert }],
])('it is wrong usage where %s', (_case, wrong) => {
  expect(() => proxyVariables(wrong, {})).toThrow(
    /^Failed to set up --proxy: .+\. (Set|Add) .+\.$/,
  );
});
