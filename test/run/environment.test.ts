import dns from 'node:dns/promises';
import { describe, expect, it } from 'vitest';
import { replaceBuiltin } from '../support/builtin.ts';
import { runHere } from './node-command.ts';

const URL = expect.stringMatching(/^https:\/\/localhost:\d+$/);
const NONE = 'momo-mock: no requests\n';

/** Flags that set variables. */
const set = (...all: string[]) => all.flatMap((one) => ['--set', one]);

describe('the environment of the command', () => {
  it('is the environment of momo-mock, with the variables to reach and to trust the mock', async () => {
    const env = { NODE_EXTRA_CA_CERTS: '', MOMO_MOCK_API_KEYS: 'first_key,second_key' };
    const ended = await runHere('say([(await ask()).status, env])', [], { env });
    expect(ended).toMatchObject({ code: 0, stderr: 'momo-mock: 1 request: 1 × 200\n' });
    const [status, own] = ended.said as [number, Record<string, string>];
    expect(status).toBe(200);
    expect(own).toMatchObject({
      MOMO_MOCK_URL: URL,
      MOMO_MOCK_CONTROL_URL: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      MOMO_MOCK_APIKEY: 'first_key',
      MOMO_MOCK_CA: expect.stringMatching(/\/momo-mock-run-\w+\/momo-mock\.pem$/),
      NODE_EXTRA_CA_CERTS: own.MOMO_MOCK_CA,
      PATH: process.env.PATH,
    });
    expect(own.HTTPS_PROXY).toBe(process.env.HTTPS_PROXY);
  });

  it('has an empty control URL if the control API is off', async () => {
    const flags = ['--control-port', 'off', ...set('X={url}')];
    const { said } = await runHere('say([env.MOMO_MOCK_CONTROL_URL, env.X])', flags);
    expect(said).toEqual(['', URL]);
  });
});

describe('--set', () => {
  it('fills in values of the mock, and overrides all other variables', async () => {
    const flags = set(
      ...['BASE={url}/v1', '_Both2={port}:{controlPort}', 'KEY={apiKey}', 'PLAIN=1', 'EMPTY='],
      ...['JSON={"url":"{url}"}', 'EQUALS=a=b', 'FILES={ca} {bundle}', 'PROXY={proxy}'],
      ...['CONTROL={controlUrl}', 'MOMO_MOCK_URL={url}/own', 'NODE_EXTRA_CA_CERTS=', 'SHOP=new'],
    );
    const env = {
      SHOP: 'from outside',
      MOMO_MOCK_API_KEYS: 'a$&b',
      MOMO_MOCK_CONTROL_TOKEN: 'k/n',
    };
    const own = (await runHere('say(env)', flags, { env })).said as Record<string, string>;
    const [url = '', port = ''] = /^https:\/\/localhost:(\d+)/.exec(own.BASE ?? '') ?? [];
    const control = own.MOMO_MOCK_CONTROL_URL ?? '';
    expect(own).toMatchObject({
      BASE: `${url}/v1`,
      _Both2: `${port}:${control.slice('http://localhost:'.length)}`,
      KEY: 'a$&b',
      PLAIN: '1',
      EMPTY: '',
      JSON: `{"url":"${url}"}`,
      EQUALS: 'a=b',
      FILES: `${own.MOMO_MOCK_CA} ${own.SSL_CERT_FILE}`,
      CONTROL: control,
      PROXY: control.replace('//', '//momo-mock:k%2Fn@'),
      MOMO_MOCK_URL: `${url}/own`,
      NODE_EXTRA_CA_CERTS: '',
      SHOP: 'new',
    });
  });

  it.each(['', '=x', 'a b=x', 'sekret', '1A=sekret', 'A={sekret}', 'A=sekret{url}{none}'])(
    '%j is wrong usage, and the sentence does not repeat the value',
    async (text) => {
      const { said, ...ended } = await runHere('say(1)', set(text));
      const stderr = expect.stringMatching(/^Failed to read --set(?!.*sekret).*: .+\. .+\.\n$/);
      expect({ said, ...ended }).toEqual({ said: undefined, code: 2, stdout: '', stderr });
    },
  );

  it('has one sentence for each wrong value', async () => {
    const { stderr } = await runHere('', set('A={a}', 'OK=1', 'B={b}'));
    expect(stderr).toMatch(/^Failed to read --set A: .+\nFailed to read --set B: .+\n$/);
  });

  it.each(['controlUrl', 'controlPort', 'proxy'])(
    'with {%s} is wrong usage if the control API is off',
    async (name) => {
      const flags = ['--control-port', 'off', ...set(`X={${name}}`)];
      const { code, stderr, said } = await runHere('say(1)', flags);
      expect({ code, said }).toEqual({ code: 2, said: undefined });
      expect(stderr).toContain('Failed to fill in --set X: the control API is off. ');
    },
  );
});

describe('--proxy', () => {
  const PROXY =
    'say(Object.fromEntries(Object.entries(env).filter(([name]) => /^(https?|no|node_use_env|control_as)_proxy$/i.test(name))))';
  const CLEAR = { NO_PROXY: undefined, no_proxy: undefined };
  const HOSTS = ['--tls-hosts', 'api.example.com,*.wild.example,10.1.2.3'];
  const LOCAL = 'localhost,127.0.0.1,::1';

  it('sets the variables for HTTPS, in both spellings, and for Node', async () => {
    const env = { ...CLEAR, HTTP_PROXY: undefined, http_proxy: undefined };
    const flags = ['--proxy', ...HOSTS, ...set('CONTROL_AS_PROXY={controlUrl}')];
    const { said } = await runHere(PROXY, flags, { env });
    const { CONTROL_AS_PROXY: url, ...proxies } = said as Record<string, string>;
    expect(proxies).toEqual({
      HTTPS_PROXY: url,
      https_proxy: url,
      NO_PROXY: LOCAL,
      no_proxy: LOCAL,
      NODE_USE_ENV_PROXY: '1',
    });
  });

  it('sets the token of the control API as the password', async () => {
    const env = { MOMO_MOCK_CONTROL_TOKEN: 'to:k@n/' };
    const { said } = await runHere(PROXY, ['--proxy', ...HOSTS], { env });
    expect(said).toMatchObject({
      HTTPS_PROXY: expect.stringContaining('//momo-mock:to%3Ak%40n%2F@'),
    });
  });

  it.each([
    { name: 'NO_PROXY', given: 'api.example.com', left: '' },
    { name: 'no_proxy', given: 'API.example.com:443', left: '' },
    {
      name: 'NO_PROXY',
      given: '.example.com, .wild.example',
      left: '',
      warned: '.example.com,.wild.example',
    },
    { name: 'NO_PROXY', given: 'example.com  *.com', left: '', warned: 'example.com,*.com' },
    { name: 'no_proxy', given: '*', left: '', warned: '*' },
    { name: 'NO_PROXY', given: '10.1.2.3', left: '' },
    {
      name: 'no_proxy',
      given: 'other.example.com,ample.com,10.1.2.4',
      left: ',other.example.com,ample.com,10.1.2.4',
    },
    { name: 'NO_PROXY', given: 'internal,localhost', left: ',internal' },
  ])(
    'removes the hosts of the mock from $name=$given, and says what else it removes',
    async ({ name, given, left, warned }) => {
      const env = { ...CLEAR, [name]: given };
      const { said, stderr } = await runHere(PROXY, ['--proxy', ...HOSTS], { env });
      const rest = `${LOCAL}${left}`;
      expect(said).toMatchObject({ NO_PROXY: rest, no_proxy: rest });
      const warning = /Failed to keep (\S+) in NO_PROXY: .+ refuses all other hosts\. .+\./;
      expect(warning.exec(stderr)?.[1]).toBe(warned);
    },
  );

  it.each([
    ['the control API is off', ['--control-port', 'off', ...HOSTS], /the proxy, is off\. Set /],
    ['the certificate has no name', [], /: the certificate has no name except localhost\. Add /],
  ])('is wrong usage if %s, and the command does not run', async (_what, flags, sentence) => {
    const { code, said, stderr } = await runHere('say(1)', ['--proxy', ...flags]);
    expect({ code, said }).toEqual({ code: 2, said: undefined });
    expect(stderr).toMatch(/^Failed to set up --proxy: .+\.\n/);
    expect(stderr).toMatch(sentence);
  });

  it('reaches a name that resolves elsewhere, which causes a warning without --proxy', async () => {
    replaceBuiltin(dns, 'lookup', () => Promise.reject(new Error('ENOTFOUND')));
    const host = ['--host', 'api.example.com'];
    const { said, stderr } = await runHere(PROXY, ['--proxy', ...host]);
    expect(stderr).toBe(NONE);
    expect(said).toMatchObject({ NODE_USE_ENV_PROXY: '1' });
    const [warning = '', tally] = (await runHere('', host)).stderr.split(/(?<=\n)/);
    expect(JSON.parse(warning).msg).toMatch(/localhost, because api\.example\.com does not /);
    expect(tally).toBe(NONE);
  });
});
