import { describe, expect, test } from 'vitest';
import { isKeyName, isSecretName } from '../../src/mock/redaction/secret-names.ts';

describe('a misspelt apikey', () => {
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

describe('the name of a secret', () => {
  test.each([
    'apikey',
    'ocp-apim-subscription-key',
    'x-momo-key',
    'token',
    'access_token',
    'clientSecret',
    'X-AUTH',
    'user[password]',
    'passphrase',
    'set-cookie',
    'sessionId',
    'X-Signature',
    'credentials',
    'idempotency-key-token',
  ])('%s', (name) => expect(isSecretName(name)).toBe(true));

  test.each([
    '',
    'accept',
    'host',
    'content-type',
    'x-request-id',
    'amount',
    'idempotency-key',
    'x-idempotency-key',
    'Idempotency-Key',
    'idempotencyKey',
    'idempotency_key',
  ])('not %j', (name) => expect(isSecretName(name)).toBe(false));
});
