import { describe, expect, it, onTestFinished } from 'vitest';
import { ask } from '../support/client.ts';
import { describeBothWays } from '../support/mock.ts';
import { connectMomoMock, type MomoMock, startMomoMock } from '../support/momo-mock.ts';
import { testWith } from '../support/program.ts';

/** What JSON cannot represent, and its name in the error; each is made anew. */
const LOSSY: [found: string, make: () => unknown][] = [
  ['a function', () => () => 'sekret'],
  ['a symbol', () => Symbol('sekret')],
  ['NaN', () => Number.NaN],
  ['Infinity', () => Infinity],
  ['a Map', () => new Map([['sekret', 1]])],
  ['a Promise', () => Promise.resolve('sekret')],
  ['undefined in a list', () => [undefined]],
  [
    'a circle',
    () => {
      const circle: Record<string, unknown> = {};
      circle.circle = circle;
      return circle;
    },
  ],
];

/** What takes JSON, and its name in the error. */
const CALLS: [name: string, (mock: MomoMock, value: never) => Promise<unknown>][] = [
  ['balance', (mock, value) => mock.setBalance(value)],
  ['balance', (mock, value) => mock.setBalance([{ within: value }])],
  ['variant', (mock, value) => mock.setVariant(value)],
  ['responses', (mock, value) => mock.respondWith(value)],
  ['responses', (mock, body) => mock.respondWith([{}, { body }])],
  ['responses', (mock, status) => mock.respondWith({ status })],
  ['account', (mock, balance) => mock.createAccount({ balance })],
  ['expected', (mock, value) => mock.verify({ body: value })],
  ['expected', (mock, value) => mock.verifyWebhooks(value)],
  ['script', (mock, value) => mock.scriptWebhooks([value])],
  ['advance', (mock, value) => mock.advance(value)],
  ['mode', (mock, value) => mock.setTls(value)],
];

/** What was thrown, as a person and a program see it. */
async function thrown(refused: Promise<unknown>): Promise<unknown> {
  return await refused.then(
    () => 'nothing was thrown',
    ({ name, code, message }) => ({ name, code, message }),
  );
}

/** An error of momo-mock about a place in what was given. */
function invalid(place: string) {
  const start = `Failed to read ${place}`.replace(/[[\]]/g, '\\$&');
  const message = expect.stringMatching(new RegExp(`^${start}[:.[][^]*[.?]$`));
  return { name: 'MomoMockError', code: 'MOMO_MOCK_REQUEST_INVALID', message };
}

describeBothWays((open) => {
  it('account() refuses a key, because it returns the account of mock.apiKey', async () => {
    const mock = await open({}, { apiKeys: ['momo_test_key', 'other'] });
    const account = mock.account as (key: string) => unknown;
    expect(() => account('other')).toThrow(
      'account() is the account of mock.apiKey, and takes nothing',
    );
  });

  it.each(LOSSY)(
    'a mock refuses %s wherever JSON is given, and changes nothing',
    async (found, make) => {
      const mock = await open();
      for (const [name, give] of CALLS) {
        expect(await thrown(give(mock, make() as never)), `${give}`).toEqual({
          name: 'MomoMockError',
          code: 'MOMO_MOCK_REQUEST_INVALID',
          message: `Failed to read ${name}: ${found} cannot be written as JSON. Use objects, lists, strings, numbers, true, false and null.`,
        });
      }
      expect((await ask(mock)).status).toBe(200);
    },
  );

  it('a mock does not see changes to its input after the call', async () => {
    const mock = await open();
    const values = ['a'];
    const headers = { 'x-list': values } as Record<string, string[]>;
    const response = { headers, body: { before: [1] }, delay: { min: 0, max: 1 }, status: 201 };
    const responses = [response, response];
    const balance = { balance: [1] };
    const options = { balance: { balance: [2] } };
    const filter = { status: 201, waitFor: 2 };
    const scripted = mock.respondWith(responses);
    const set = mock.setBalance(balance);
    const made = mock.createAccount(options);
    const asked = mock.requests(filter);
    values[0] = 'b\r\nc: d';
    headers['x\r\n'] = ['e'];
    response.body.before.push(2);
    Object.assign(response.delay, { min: 3_600_000, max: 3_600_000 });
    response.status = 99;
    responses.length = 0;
    balance.balance.push(2);
    options.balance.balance.push(2);
    Object.assign(filter, { status: 500, waitFor: 1000 });
    await scripted;
    await set;
    for (let times = 0; times < 2; times++) {
      const response = await ask(mock);
      expect(response).toMatchObject({ status: 201, headers: { 'x-list': 'a' } });
      expect(response.json).toEqual({ before: [1] });
    }
    expect((await ask(mock)).json).toEqual({ balance: [1] });
    expect((await ask(await made)).json).toEqual({ balance: [2] });
    expect(await asked).toHaveLength(2);
  });
});

describe('the options of startMomoMock', () => {
  it('are refused if they are not plain values', async () => {
    for (const value of [() => 'sekret', Symbol('sekret')]) {
      for (const options of [value, { host: value }, { apiKeys: [value] }]) {
        expect(await thrown(startMomoMock(options as never))).toMatchObject({
          code: 'MOMO_MOCK_SETTINGS_INVALID',
        });
      }
    }
  });

  it('are not read again after the call', async () => {
    const corsOrigin = ['https://a.test'];
    const apiKeys = ['one'];
    const tlsHosts = ['api.example.com'];
    const control = { port: 0 };
    const options = { corsOrigin, apiKeys, control, tlsHosts };
    const starting = startMomoMock(options);
    corsOrigin[0] = 'https://b.test\r\nx: y';
    tlsHosts[0] = '';
    apiKeys[0] = '';
    Object.assign(control, { port: -1 });
    Object.assign(options, { certsDir: '/nowhere/at/all', watch: 5 });
    await using mock = await starting;
    expect(mock.apiKey).toBe('one');
    const { headers } = await ask(mock, undefined, { headers: { origin: 'https://a.test' } });
    expect(headers['access-control-allow-origin']).toBe('https://a.test');
  });
});

describe('the arguments of connectMomoMock', () => {
  const URL_OF = 'http://localhost:1';

  it.each([null, undefined, 5, {}, [], 1n, Symbol('sekret')])(
    'are refused if the URL is %s',
    async (url) => {
      const error = await thrown(connectMomoMock(url as never));
      expect(error).toMatchObject({ code: 'MOMO_MOCK_CONTROL_UNREACHABLE' });
      expect(JSON.stringify(error)).toContain('controlUrl');
    },
  );

  it.each<[options: unknown, place: string]>([
    ...[null, 'token', [], () => {}].map((options): [unknown, string] => [options, 'options']),
    ...['token', 'apiKey', 'url'].flatMap((name) =>
      [null, 5, ['a'], () => 'sekret'].map((value): [unknown, string] => [{ [name]: value }, name]),
    ),
    [{ url: 'sekret' }, 'url'],
  ])('are refused if the options are %j, by the name of the field', async (options, place) => {
    expect(await thrown(connectMomoMock(URL_OF, options as never))).toEqual(invalid(place));
  });

  it('are refused with an unknown field, and the closest one is named', async () => {
    expect(await thrown(connectMomoMock(URL_OF, { tokn: 'x' } as never))).toEqual({
      name: 'MomoMockError',
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: 'Unknown field "tokn". Did you mean "token"?',
    });
  });
});

it.each<[unknown, problem: string]>([
  [null, 'the options: must be an object'],
  [undefined, 'the options: must be an object'],
  ['http://localhost', 'the options: must be an object'],
  [{ open: () => null, preset: 'x' }, 'preset: cannot be combined with open'],
  [{ trust: 1 }, 'trust: must be true or false'],
  [{ redirect: [1] }, 'redirect: must be a host name, or a list of them'],
  [{ strict: 1 }, 'strict: must be true or false'],
  [{ open: 1 }, 'open: it is not a function'],
])('testWith refuses %j', (options, problem) => {
  expect(() => testWith(options as never)).toThrow(
    expect.objectContaining({
      name: 'MomoMockError',
      message: expect.stringContaining(`Failed to read the options of testWith: ${problem}.`),
    }),
  );
});

it.each<[options: object, problem: string]>([
  [{ variant: 'emtpy' }, 'variant: the variant "emtpy" has no fixture file. Did you mean "empty"?'],
  [{ tlsCertFile: 'x' }, 'tlsCertFile and tlsKeyFile: only one of them is set.'],
])('startMomoMock names the option of a wrong value: %j', async (options, problem) => {
  await expect(startMomoMock(options)).rejects.toMatchObject({
    code: 'MOMO_MOCK_SETTINGS_INVALID',
    message: expect.stringContaining(`Failed to read ${problem}`),
  });
});

it('startMomoMock names the options of a port in use', async () => {
  const { url, controlUrl, close } = await startMomoMock({ control: true });
  onTestFinished(close);
  const [port, controlPort] = [url, `${controlUrl}`].map((text) => Number(new URL(text).port));
  for (const [options, name] of [
    [{ port }, 'port'],
    [{ control: { port: controlPort } }, 'control.port'],
  ] as const) {
    await expect(startMomoMock(options as object)).rejects.toMatchObject({
      code: 'MOMO_MOCK_PORT_IN_USE',
      message: expect.stringContaining(`or set ${name} to another port`),
    });
  }
});
