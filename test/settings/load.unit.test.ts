import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ConfigSources, loadConfig, RUN_VARIABLES } from '../../src/settings/load.ts';
import { SETTINGS, type Setting } from '../../src/settings/settings.ts';

function load(sources: Partial<ConfigSources>) {
  const readKeysFile = async (path: string) => {
    throw Object.assign(new Error(path), { code: 'ENOENT', path });
  };
  return loadConfig({ flags: {}, env: {}, dotenv: {}, readKeysFile, ...sources });
}

async function problems(sources: Partial<ConfigSources>): Promise<string[]> {
  const error = await load(sources).catch((caught) => caught);
  expect(error).toMatchObject({ name: 'MomoMockError', code: 'MOMO_MOCK_SETTINGS_INVALID' });
  return error.message.split('\n');
}

describe('the configuration', () => {
  test('has the defaults of missing settings', async () => {
    const defaults = Object.entries<Setting>(SETTINGS).flatMap(([name, { schema }]) =>
      schema.default === undefined ? [] : [[name, schema.default]],
    );
    const config = await load({});
    expect(config).toEqual({
      ...Object.fromEntries(defaults),
      keys: [{ key: 'momo_test_key' }],
      isDefaultKey: true,
    });
    // What the contract says, and what pages show.
    expect(config).toMatchObject({
      HOST: 'localhost',
      PORT: 8443,
      CONTROL_HOST: 'localhost',
      CONTROL_PORT: 8480,
      KEY_IN: 'query:apikey',
    });
  });

  test('prefers flags over the environment, over .env, over defaults', async () => {
    const dotenv = { MOMO_MOCK_PORT: '1', MOMO_MOCK_HOST: 'dotenv', MOMO_MOCK_CERTS_DIR: 'dotenv' };
    const env = { MOMO_MOCK_PORT: '2', MOMO_MOCK_HOST: 'env' };
    const defaults = { CERTS_DIR: 'default', CONTROL_PORT: '4' };
    expect(await load({ defaults, dotenv, env, flags: { PORT: '3' } })).toMatchObject({
      PORT: 3,
      HOST: 'env',
      CERTS_DIR: 'dotenv',
      CONTROL_PORT: 4,
    });
  });

  test.each([...RUN_VARIABLES, 'MOMO_MOCK_DRILL_API_USER'])(
    'ignores %s, which run or drill sets',
    async (name) => {
      const nothing = await load({});
      expect(await load({ env: { [name]: 'x' } })).toEqual(nothing);
      expect(await load({ dotenv: { [name]: 'x' } })).toEqual(nothing);
    },
  );

  test('reads each kind of value', async () => {
    const env = {
      MOMO_MOCK_CONTROL_PORT: 'off',
      MOMO_MOCK_STRICT_PATHS: 'true',
      MOMO_MOCK_TLS_HOSTS: 'momo, *.example.com,10.0.0.5, ::2 ,münchen.example,',
      MOMO_MOCK_CORS_ORIGIN: 'https://a.example, http://localhost:3000',
    };
    expect(await load({ env })).toMatchObject({
      CONTROL_PORT: 'off',
      STRICT_PATHS: true,
      TLS_HOSTS: ['momo', '*.example.com', '10.0.0.5', '::2', 'xn--mnchen-3ya.example'],
      CORS_ORIGIN: ['https://a.example', 'http://localhost:3000'],
    });
  });

  test('ignores other variables', async () => {
    const env = {
      PORT: 'x',
      LOG_LEVEL: 'loud',
      MOMO_MOCK_HOST: '',
      MOMO_MOCK_PROT: undefined,
    };
    expect(await load({ env })).toEqual(await load({}));
  });

  // What Kubernetes puts into a pod beside a Service called momo-mock.
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
  ])('ignores %s=%s, which Kubernetes sets for a Service', async (name, value) => {
    expect(await load({ env: { [name]: value } })).toEqual(await load({}));
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
  ])('reports %s=%s, which Kubernetes does not set', async (name, value) => {
    const unknown = new RegExp(`^Unknown setting ${name}\\.`);
    expect(await problems({ env: { [name]: value } })).toEqual([expect.stringMatching(unknown)]);
  });

  test('reads only the given environment', async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('PORT', '1');
    vi.stubEnv('MOMO_MOCK_PORT', '2');
    expect(await load({})).toMatchObject({ PORT: 8443 });
  });

  test('reports all wrong values together, by name, with the allowed values', async () => {
    const env = {
      MOMO_MOCK_PORT: '70000',
      MOMO_MOCK_CONTROL_PORT: 'on',
      MOMO_MOCK_STRICT_PATHS: 'maybe',
      MOMO_MOCK_TLS_HOSTS: 'a b,c',
      MOMO_MOCK_CORS_ORIGIN: 'https://a.example/path',
      MOMO_MOCK_TLS_KEY_FILE: 'key.pem',
      MOMO_MOCK_PROT: '1',
      MOMO_MOCK_API_KEYS: 'a,,a',
      MOMO_MOCK_API_KEYS_FILE: 'none',
    };
    expect(await problems({ env, flags: { LOG_LEVEL: 'loud', SHUTDOWN_TIMEOUT: '1.5' } })).toEqual([
      'Unknown setting MOMO_MOCK_PROT. Did you mean MOMO_MOCK_PORT?',
      'Failed to read MOMO_MOCK_PORT: "70000" is not allowed. Use a whole number from 0 to 65535.',
      'Failed to read MOMO_MOCK_CONTROL_PORT: "on" is not allowed. Use a whole number from 0 to 65535, or off.',
      expect.stringMatching(/^Failed to read MOMO_MOCK_TLS_HOSTS: "a b,c" is not allowed\. Use /),
      expect.stringMatching(/^Failed to read MOMO_MOCK_CORS_ORIGIN: .* is not allowed\. Use /),
      'Failed to read MOMO_MOCK_STRICT_PATHS: "maybe" is not allowed. Use true or false.',
      'Failed to read MOMO_MOCK_SHUTDOWN_TIMEOUT: "1.5" is not allowed. Use a whole number from 0 to 3600000.',
      expect.stringMatching(
        /^Failed to read MOMO_MOCK_LOG_LEVEL: "loud" is not allowed\. Use one of trace, /,
      ),
      expect.stringMatching(/TLS_CERT_FILE and MOMO_MOCK_TLS_KEY_FILE: only one of them is set/),
      expect.stringMatching(/^Failed to read MOMO_MOCK_API_KEYS, entry 2: the key is empty/),
      expect.stringMatching(/entry 3: it is the same key as MOMO_MOCK_API_KEYS, entry 1/),
      expect.stringMatching(/^Failed to read MOMO_MOCK_API_KEYS_FILE: none does not exist\. Use/),
    ]);
  });

  test('names the word that a mistyped value most likely means', async () => {
    const flags = { BASE: 'non', CONTROL_PORT: 'offf', LOG_LEVEL: 'debg' };
    expect(await problems({ env: {}, flags })).toEqual([
      'Failed to read MOMO_MOCK_CONTROL_PORT: "offf" is not allowed. Did you mean "off"?',
      'Failed to read MOMO_MOCK_BASE: "non" is not allowed. Did you mean "none"?',
      'Failed to read MOMO_MOCK_LOG_LEVEL: "debg" is not allowed. Did you mean "debug"?',
    ]);
  });
});

describe('keys', () => {
  test('come from both the setting and the file', async () => {
    const config = await load({
      env: { MOMO_MOCK_API_KEYS: 'a, b=empty', MOMO_MOCK_API_KEYS_FILE: '-' },
      readKeysFile: async () => 'c=single\r\n\n  d,e  \n',
    });
    const none = undefined;
    expect(config.isDefaultKey).toBe(false);
    expect(config.keys).toEqual(
      [
        { key: 'a', variant: none },
        { key: 'b', variant: 'empty' },
        { key: 'c', variant: 'single' },
        { key: 'd,e', variant: none },
      ].map(({ key, variant }) => (variant === none ? { key } : { key, variant })),
    );
  });

  test('are named by their position in the setting or the file', async () => {
    const env = { MOMO_MOCK_API_KEYS: 'a,b', MOMO_MOCK_API_KEYS_FILE: 'keys' };
    const fix = 'List each key once.';
    expect(await problems({ env, readKeysFile: async () => '\n c\nb \n\nc\n' })).toEqual([
      `Failed to read MOMO_MOCK_API_KEYS_FILE, entry 2: it is the same key as MOMO_MOCK_API_KEYS, entry 2. ${fix}`,
      `Failed to read MOMO_MOCK_API_KEYS_FILE, entry 3: it is the same key as MOMO_MOCK_API_KEYS_FILE, entry 1. ${fix}`,
    ]);
  });

  test.each([
    ['a==', { key: 'a==' }],
    ['a=b=c', { key: 'a=b', variant: 'c' }],
    ['a==empty', { key: 'a=', variant: 'empty' }],
    ['=empty', { key: '=empty' }],
    ['a=b.c', { key: 'a=b.c' }],
  ])('%s', async (entry, expected) => {
    expect((await load({ env: { MOMO_MOCK_API_KEYS: entry } })).keys).toEqual([expected]);
  });

  test('are never repeated in a sentence', async () => {
    const env = { MOMO_MOCK_API_KEYS: 'sekret sekret,sekret,sekret', MOMO_MOCK_API_KEYS_FILE: 'f' };
    const sentences = await problems({ env, readKeysFile: async () => 'sekret\nse\u0000kret' });
    expect(sentences).toHaveLength(4);
    expect(sentences.join()).not.toMatch(/sekret|kret/);
  });

  test('are visible ASCII, since they travel in a header of the control API too', async () => {
    expect(await problems({ env: { MOMO_MOCK_API_KEYS: 'clé' } })).toEqual([
      expect.stringMatching(/^Failed to read MOMO_MOCK_API_KEYS, entry 1: .* non-ASCII/),
    ]);
  });

  test('from standard input are named so', async () => {
    const env = { MOMO_MOCK_API_KEYS_FILE: '-' };
    expect(await problems({ env, readKeysFile: async () => '' })).toEqual([
      'Failed to read the keys on standard input: there is no key. Add at least one.',
    ]);
  });

  test('are not checked if their file cannot be read', async () => {
    const env = { MOMO_MOCK_API_KEYS: 'a,a', MOMO_MOCK_API_KEYS_FILE: '-' };
    expect(await loadConfig({ flags: {}, env, dotenv: {} })).toMatchObject({ isDefaultKey: true });
  });

  test('from a file without keys are an error, not the default key', async () => {
    const env = { MOMO_MOCK_API_KEYS_FILE: 'f' };
    expect(await problems({ env, readKeysFile: async () => '\n\n' })).toEqual([
      'Failed to read MOMO_MOCK_API_KEYS_FILE: there is no key. Add at least one.',
    ]);
  });
});
