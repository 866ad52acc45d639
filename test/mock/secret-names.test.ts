import { describe, expect, test } from 'vitest';
import { isKeyHeader, isKeyName, isSecretHeader } from '../../src/mock/key-names.ts';

describe('a name by which a key is meant', () => {
  test.each(['apikey', 'APIKEY', 'apiKey', 'api_key', 'API-KEY', 'apikey[]', 'key', 'Key', '_key'])(
    '%s',
    (name) => {
      expect(isKeyName(name)).toBe(true);
      expect(isKeyName(`x-${name}`)).toBe(!/^_?key$/i.test(name));
      expect(isKeyName(`x_${name}`)).toBe(!/^_?key$/i.test(name));
    },
  );

  test.each(['', 'api', 'monkey', 'keys', 'apikeys', 'my-key', 'api--key', 'key-api', 'keyapi'])(
    'not %j',
    (name) => expect(isKeyName(name)).toBe(false),
  );
});

test.each(['authorization', 'x-api-key', 'apikey', 'key'])('a key comes in the header %s', (name) =>
  expect([isKeyHeader(name), isSecretHeader(name)]).toEqual([true, true]),
);

test.each([
  'cookie',
  'set-cookie',
  'proxy-authorization',
  'x-auth',
  'x-token-2',
  'client-secret',
  'x-password',
  'credentials',
])('the header %s carries a secret, and no key', (name) => {
  expect([isKeyHeader(name), isSecretHeader(name)]).toEqual([false, true]);
});

test.each(['accept', 'host', 'content-type', 'x-request-id', ''])(
  'the header %j shows all',
  (name) => expect([isKeyHeader(name), isSecretHeader(name)]).toEqual([false, false]),
);
