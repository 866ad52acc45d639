import { describe, expect, expectTypeOf, it } from 'vitest';
import { type MomoStartOptions, readStartOptions } from '../../src/library/start-options.ts';
import type { MomoRateLimit } from '../../src/mock/account/rate-limit.ts';
import { loadConfig } from '../../src/settings/load.ts';
import type { FORMATS, Schema } from '../../src/settings/schema.ts';
import {
  SETTINGS,
  type Setting,
  type SettingName,
  type Values,
} from '../../src/settings/settings.ts';

/** The sentences about options that are wrong. */
function problems(options: unknown): string[] {
  try {
    readStartOptions(options as MomoStartOptions);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ name: 'MomoMockError', code: 'MOMO_MOCK_SETTINGS_INVALID' });
    return (error as Error).message.split('\n');
  }
}

/** An option without its modifiers. */
type Given<Options> = { -readonly [Name in keyof Options]-?: NonNullable<Options[Name]> };

/** `TLS_HOSTS` -> `tlsHosts` */
type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

const camelCase = (name: string): string =>
  name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Values of the formats that texts of settings have. */
const OF_FORMAT: Record<keyof typeof FORMATS, string> = {
  host: 'momo.example',
  'key place': 'header:X-Id',
  rate: '100/1m',
  real: 'https://real.example',
  origin: 'https://a.example',
};

/** A value that a schema allows, and that is not the default. */
function sampleOf(schema: Schema): unknown {
  if ('anyOf' in schema) return sampleOf(schema.anyOf.at(-1) as Schema);
  if (schema.type === 'array') return [sampleOf(schema.items)];
  if (schema.type === 'boolean') return !schema.default;
  if (schema.type === 'integer') return schema.maximum;
  if (schema.type === 'object') return {};
  if (schema.enum !== undefined) return schema.enum.find((text) => text !== schema.default);
  return schema.format === undefined ? 'text' : OF_FORMAT[schema.format];
}

/** The options that the settings with a prefix have, by the table of settings. */
type OptionsOf<Prefix extends string> = {
  [Name in SettingName as (typeof SETTINGS)[Name] extends { forCommands: true }
    ? never
    : Name extends `CONTROL_${infer Base}`
      ? Prefix extends ''
        ? never
        : CamelCase<Base>
      : Prefix extends ''
        ? CamelCase<Name>
        : never]: NonNullable<Values[Name]>;
};

describe('the options of startMomoMock', () => {
  it('have the defaults of the settings, but free ports, no control API and no log', async () => {
    const settings = await loadConfig({ flags: {}, env: {}, dotenv: {} });
    const others = { PORT: 0, CONTROL_PORT: 'off', LOG_LEVEL: 'silent' };
    for (const options of [{}, { port: undefined, control: undefined, apiKeys: undefined }]) {
      expect(readStartOptions(options as MomoStartOptions)).toEqual({ ...settings, ...others });
    }
  });

  it('set every setting, with their own types', async () => {
    const values = Object.entries<Setting>(SETTINGS).flatMap(([name, { schema, forCommands }]) =>
      forCommands ? [] : [[name, sampleOf(schema)] as const],
    );
    const own: Record<string, unknown> = {};
    const control: Record<string, unknown> = {};
    for (const [name, value] of values) {
      const [, prefix, base = ''] = /^(CONTROL_)?(.*)$/.exec(name) ?? [];
      (prefix ? control : own)[camelCase(base)] = value;
    }
    const { API_KEYS: _, ...others } = Object.fromEntries(values);
    expect(readStartOptions({ ...own, control })).toEqual({
      ...others,
      keys: [{ key: 'text' }],
      isDefaultKey: false,
    });
  });

  it('have canonical host names, and keys with their variants', () => {
    const options: MomoStartOptions = {
      apiKeys: ['a,b', 'c=empty'],
      tlsHosts: ['Momo.Example', 'münchen.example'],
      webhookHosts: ['App.Example', '::0001'],
    };
    expect(readStartOptions(options)).toMatchObject({
      TLS_HOSTS: ['momo.example', 'xn--mnchen-3ya.example'],
      WEBHOOK_HOSTS: ['app.example', '::1'],
      keys: [{ key: 'a,b' }, { key: 'c', variant: 'empty' }],
    });
  });

  it('have the types of the settings', () => {
    type Own = 'control' | 'watch' | 'redirect' | 'trust';
    // The types of these are narrower than text, or allow more.
    type Named = 'keyIn' | 'preset' | 'rateLimit';
    type Plain = Omit<OptionsOf<''>, Named>;
    expectTypeOf<Given<Omit<MomoStartOptions, Own | Named>>>().toEqualTypeOf<Plain>();
    type Options = Given<MomoStartOptions>;
    expectTypeOf<Options['keyIn' | 'preset']>().toExtend<string>();
    expectTypeOf<string>().toExtend<Options['preset' | 'rateLimit']>();
    expectTypeOf<MomoRateLimit>().toExtend<Options['rateLimit']>();
    expectTypeOf<'momo_key'>().not.toExtend<Options['keyIn']>();
    type Control = Exclude<MomoStartOptions['control'], boolean | undefined>;
    // `control: false` turns it off.
    type Settings = Omit<OptionsOf<'CONTROL_'>, 'port'> & { port: number };
    expectTypeOf<keyof Given<Control>>().toEqualTypeOf<keyof Settings>();
    expectTypeOf<Given<Control>>().toExtend<Settings>();
  });

  it.each<[MomoStartOptions['control'], number | 'off']>([
    [false, 'off'],
    [true, 0],
    [{}, 0],
    [{ port: 0 }, 0],
    [{ port: 8480 }, 8480],
  ])('set with control: %j the port %s', (control, port) => {
    expect(readStartOptions({ control: control as boolean }).CONTROL_PORT).toBe(port);
  });
});

describe('an option of startMomoMock is wrong', () => {
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
    ['control.host', { host: true }, 'true is not allowed. Use a host name or an address.'],
    ['control.token', { token: ['sekret'] }, 'the value is not allowed. Use a token.'],
  ])('inside control: %s', (name, control, sentence) => {
    expect(problems({ control })).toEqual([`Failed to read ${name}: ${sentence}`]);
  });

  it.each(['realUrl', 'realKey', 'realKeyFile', 'realCaFile', 'apiKeysFile'])(
    'if only commands have it: %s',
    (name) => {
      expect(problems({ [name]: 'x' })).toEqual([
        expect.stringMatching(new RegExp(`^Unknown option "${name}"\\. `)),
      ]);
    },
  );

  it('if it is unknown, and the closest one is named', () => {
    expect(problems({ apikeys: ['sekret'], 'control.port': 1, toString: 1 })).toEqual([
      'Unknown option "apikeys". Did you mean "apiKeys"?',
      expect.stringMatching(/^Unknown option "control\.port"\. Use only control, watch, /),
      expect.stringMatching(/^Unknown option "toString"\. Use only /),
    ]);
    expect(problems({ control: { prot: 1, x: 1 } })).toEqual([
      'Unknown option "control.prot". Did you mean "control.port"?',
      'Unknown option "control.x". Use only host, port, token.',
    ]);
  });

  it('if half a certificate is given, or a key twice', () => {
    expect(problems({ tlsKeyFile: 'key.pem', apiKeys: ['sekret', 'sekret'] })).toEqual([
      'Failed to read MOMO_MOCK_TLS_CERT_FILE and MOMO_MOCK_TLS_KEY_FILE: only one of them is set. Set both or neither.',
      'Failed to read apiKeys, entry 2: it is the same key as apiKeys, entry 1. List each key once.',
    ]);
    expect(problems({ apiKeys: [] })).toEqual([
      'Failed to read apiKeys: there is no key. Add at least one.',
    ]);
  });

  it.each([[null], ['sekret'], [8443], [[]]])('if the options are %j', (options) => {
    expect(problems(options)).toEqual([
      'Failed to read the options: the value is not allowed. Use an object.',
    ]);
  });
});
