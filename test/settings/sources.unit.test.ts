import { describe, expect, test } from 'vitest';
import { layer } from '../../src/settings/load.ts';

/** The names in the environment that are taken for mistyped settings. */
function unknown(env: Record<string, string | undefined>): readonly string[] {
  return layer({ flags: {}, env, dotenv: {} }).unknown;
}

test('missing settings have their defaults', () => {
  const defaults = { PORT: '1', HOST: 'default' };
  const { texts } = layer({ flags: {}, env: { MOMO_MOCK_PORT: '2' }, dotenv: {}, defaults });
  expect(texts).toEqual({ PORT: '2', HOST: 'default' });
});

test('an empty variable counts as missing', () => {
  expect(unknown({ MOMO_MOCK_PROT: undefined })).toEqual([]);
});

describe('the variables that momo-mock run sets for its command', () => {
  const given = {
    MOMO_MOCK_URL: 'https://localhost:1',
    MOMO_MOCK_CONTROL_URL: '',
    MOMO_MOCK_APIKEY: 'key',
    MOMO_MOCK_CA: 'ca.pem',
  };

  test('are not settings, and other variables still count', () => {
    const { texts, unknown } = layer({
      flags: {},
      env: { ...given, MOMO_MOCK_PORT: '1', MOMO_MOCK_PROT: '1' },
      dotenv: {},
    });
    expect(texts).toEqual({ PORT: '1' });
    expect(unknown).toEqual(['MOMO_MOCK_PROT']);
  });

  test.each(Object.keys(given))('are not settings even if only %s is set', (name) => {
    expect(unknown({ [name]: 'x' })).toEqual([]);
  });
});

describe('among the variables that Kubernetes sets for a Service', () => {
  test.each([
    ['MOMO_MOCK_SERVICE_HOST', '10.0.0.1'],
    ['MOMO_MOCK_SERVICE_PORT', '8443'],
    ['MOMO_MOCK_SERVICE_PORT_HTTPS', '8443'],
    ['MOMO_MOCK_PORT', 'tcp://10.0.0.1:8443'],
    ['MOMO_MOCK_CONTROL_PORT', 'udp://10.0.0.1:8443'],
    ['MOMO_MOCK_PORT_8443_TCP', 'tcp://10.0.0.1:8443'],
    ['MOMO_MOCK_PORT_8443_SCTP_PROTO', 'sctp'],
    ['MOMO_MOCK_PORT_8443_UDP_PORT', '8443'],
    ['MOMO_MOCK_PORT_8443_TCP_ADDR', '10.0.0.1'],
  ])('%s counts and is not an unknown setting', (name, value) => {
    expect(layer({ flags: {}, env: { [name]: value }, dotenv: {} })).toEqual({
      texts: {},
      unknown: [],
    });
  });

  test.each([
    ['MOMO_MOCK_SERVICE_HOSTS', '10.0.0.1'],
    ['MOMO_MOCK_SERVICE_PORTS', '8443'],
    ['MOMO_MOCK_SERVICE_PORT_', '8443'],
    ['MOMO_MOCK_SERVICE_PORT_A-B', '8443'],
    ['MOMO_MOCK_A-B_SERVICE_HOST', '10.0.0.1'],
    ['MOMO_MOCK_PORT_8443_TCP_ADDRESS', '10.0.0.1'],
    ['MOMO_MOCK_ADDRESS', 'tcp://10.0.0.1:8443'],
    ['MOMO_MOCK_MY_PORT', 'https+tcp://10.0.0.1'],
  ])('%s does not count and is an unknown setting', (name, value) => {
    expect(unknown({ [name]: value })).toEqual([name]);
  });
});
