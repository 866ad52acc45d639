import { describe, expect, expectTypeOf, it } from 'vitest';
import { readStartOptions, type StartOptions } from '../../../src/library/start-options.ts';
import type { Config } from '../../../src/settings/config.ts';
import { loadConfig } from '../../../src/settings/load.ts';

/** The sentences about options that are wrong. */
function problems(options: unknown): string[] {
  try {
    readStartOptions(options as StartOptions);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ name: 'MomoMockError', code: 'MOMO_MOCK_SETTINGS_INVALID' });
    return (error as Error).message.split('\n');
  }
}

describe('options', () => {
  it('have the defaults of the settings, but free ports, no control API and no log', async () => {
    const settings = await loadConfig({ flags: {}, env: {}, dotenv: {} });
    const others = { PORT: 0, CONTROL_PORT: 'off', LOG_LEVEL: 'silent' };
    for (const options of [{}, { port: undefined, control: undefined, apiKeys: undefined }]) {
      expect(readStartOptions(options as StartOptions)).toEqual({ ...settings, ...others });
    }
  });

  it('give every setting, as the values that they are', () => {
    const options: Required<StartOptions> = {
      host: '127.0.0.1',
      port: 1,
      control: { host: '::1', port: 2, token: 'sekret' },
      apiKeys: ['a,b', 'c=empty'],
      keyIn: 'header:X-Id',
      fixturesDir: 'tree',
      preset: 'known',
      watch: true,
      redirect: ['api.example.com'],
      trust: true,
      rateLimit: '100/1m',
      balanceVariant: 'flat',
      certsDir: 'kept',
      tlsCertFile: 'cert.pem',
      tlsKeyFile: 'key.pem',
      tlsHosts: ['Momo.Example', 'münchen.example'],
      callbackHosts: ['App.Example', '::0001'],
      corsOrigin: ['https://a.example'],
      strictPaths: true,
      journalSize: 0,
      journalBytes: 0,
      clientTimeout: 1,
      snapshotFile: 'snapshot.json',
      shutdownTimeout: 3_600_000,
      logLevel: 'trace',
    };
    expect(readStartOptions(options)).toEqual({
      HOST: '127.0.0.1',
      PORT: 1,
      CONTROL_HOST: '::1',
      CONTROL_PORT: 2,
      CONTROL_TOKEN: 'sekret',
      FIXTURES_DIR: 'tree',
      PRESET: 'known',
      BALANCE_VARIANT: 'flat',
      CERTS_DIR: 'kept',
      TLS_CERT_FILE: 'cert.pem',
      TLS_KEY_FILE: 'key.pem',
      TLS_HOSTS: ['momo.example', 'xn--mnchen-3ya.example'],
      CALLBACK_HOSTS: ['app.example', '::1'],
      KEY_IN: 'header:X-Id',
      CORS_ORIGIN: ['https://a.example'],
      STRICT_PATHS: true,
      JOURNAL_SIZE: 0,
      JOURNAL_BYTES: 0,
      CLIENT_TIMEOUT: 1,
      SNAPSHOT_FILE: 'snapshot.json',
      SHUTDOWN_TIMEOUT: 3_600_000,
      LOG_LEVEL: 'trace',
      RATE_LIMIT: '100/1m',
      keys: [{ key: 'a,b' }, { key: 'c', variant: 'empty' }],
      isDefaultKey: false,
    });
  });

  it('have the types of the settings', () => {
    type Given = Required<StartOptions>;
    expectTypeOf<Given['logLevel']>().toEqualTypeOf<Config['LOG_LEVEL']>();
    expectTypeOf<Given['corsOrigin']>().toEqualTypeOf<Config['CORS_ORIGIN']>();
    expectTypeOf<Given['tlsHosts']>().toEqualTypeOf<Config['TLS_HOSTS']>();
  });

  it.each<[StartOptions['control'], number | 'off']>([
    [false, 'off'],
    [true, 0],
    [{}, 0],
    [{ port: 0 }, 0],
    [{ port: 8480 }, 8480],
  ])('control: %j is the port %s', (control, port) => {
    expect(readStartOptions({ control: control as boolean }).CONTROL_PORT).toBe(port);
  });
});

describe('an option is wrong', () => {
  it.each<[string, unknown, string]>([
    ['port', '8080', '"8080" is not allowed. Use a whole number from 0 to 65535.'],
    ['port', null, 'null is not allowed. Use a whole number from 0 to 65535.'],
    ['port', 1.5, '1.5 is not allowed. Use a whole number from 0 to 65535.'],
    ['port', Number.NaN, 'NaN is not allowed. Use a whole number from 0 to 65535.'],
    ['port', 65_536, '65536 is not allowed. Use a whole number from 0 to 65535.'],
    ['port', () => 1, 'the value is not allowed. Use a whole number from 0 to 65535.'],
    ['host', '', '"" is not allowed. Use a host name or an address.'],
    ['host', ['localhost'], '["localhost"] is not allowed. Use a host name or an address.'],
    ['strictPaths', 'true', '"true" is not allowed. Use true or false.'],
    ['strictPaths', 0, '0 is not allowed. Use true or false.'],
    ['watch', 'false', '"false" is not allowed. Use true or false.'],
    ['logLevel', 'loud', expect.stringMatching(/^"loud" is not allowed\. Use one of trace, /)],
    [
      'tlsHosts',
      'a.example',
      '"a.example" is not allowed. Use an array of host names or addresses.',
    ],
    ['tlsHosts', ['a', 'b c'], expect.stringMatching(/^\["a","b c"\] is not allowed\. /)],
    ['tlsHosts', [{ name: 'sekret' }], expect.stringMatching(/^the value is not allowed\. /)],
    [
      'corsOrigin',
      'https://a.example',
      `"https://a.example" is not allowed. Use '*', 'off' or an array of origins.`,
    ],
    [
      'apiKeys',
      'sekret',
      'the value is not allowed. Use an array of keys, each KEY or KEY=VARIANT.',
    ],
    ['apiKeys', ['sekret', 1], expect.stringMatching(/^the value is not allowed\. /)],
    [
      'control',
      'sekret',
      'the value is not allowed. Use true, false, or an object of host, port and token.',
    ],
    ['control', [], expect.stringMatching(/^the value is not allowed\. /)],
    ['control', null, expect.stringMatching(/^the value is not allowed\. /)],
  ])('%s: %j', (name, value, sentence) => {
    const [problem = '', ...more] = problems({ [name]: value });
    expect([problem.slice(0, 17 + name.length), more]).toEqual([`Failed to read ${name}: `, []]);
    expect(problem.slice(17 + name.length)).toEqual(sentence);
  });

  it.each<[string, unknown, string]>([
    ['control.port', { port: '1' }, '"1" is not allowed. Use a whole number from 0 to 65535.'],
    ['control.port', { port: 'off' }, '"off" is not allowed. Use a whole number from 0 to 65535.'],
    ['control.host', { host: 1 }, '1 is not allowed. Use a host name or an address.'],
    ['control.token', { token: ['sekret'] }, 'the value is not allowed. Use a token.'],
    ['control.prot', { prot: 1 }, 'unknown option. Did you mean control.port?'],
  ])('inside control: %s', (name, control, sentence) => {
    expect(problems({ control })).toEqual([`Failed to read ${name}: ${sentence}`]);
  });

  it.each(['realUrl', 'realKey', 'realKeyFile', 'realCaFile', 'apiKeysFile'])(
    'where only commands have it: %s',
    (name) => {
      expect(problems({ [name]: 'x' })).toEqual([
        expect.stringMatching(new RegExp(`^Failed to read ${name}: unknown option\\. `)),
      ]);
    },
  );

  it('where it is unknown, and the nearest one is named', () => {
    expect(problems({ apikeys: ['sekret'], 'control.port': 1, toString: 1 })).toEqual([
      'Failed to read apikeys: unknown option. Did you mean apiKeys?',
      expect.stringMatching(/^Failed to read control\.port: unknown option\. /),
      expect.stringMatching(/^Failed to read toString: unknown option\. /),
    ]);
  });

  it('where half a certificate is given, or a key twice', () => {
    expect(problems({ tlsKeyFile: 'key.pem', apiKeys: ['sekret', 'sekret'] })).toEqual([
      'Failed to read tlsCertFile and tlsKeyFile: only one of them is set. Set both or neither.',
      'Failed to read apiKeys, entry 2: it is the same key as apiKeys, entry 1. List each key once.',
    ]);
    expect(problems({ apiKeys: [] })).toEqual([
      'Failed to read apiKeys: there is no key. Add at least one.',
    ]);
  });

  it.each([[null], ['sekret'], [8443], [[]]])('where all of them are %j', (options) => {
    expect(problems(options)).toEqual([
      'Failed to read the options: the value is not allowed. Use an object.',
    ]);
  });
});
