import { once } from 'node:events';
import { request } from 'node:https';
import { describe, expect, it } from 'vitest';
import { describeBothWays } from '../support/mock.ts';
import { connectMomoMock, type MomoMock, startMomoMock } from '../support/momo-mock.ts';
import { testWith } from '../support/program.ts';
import { get, getBalance } from './client.ts';

/** What nobody can write as JSON, or even look at; each is made anew. */
const UNREADABLE: [string, () => unknown][] = [
  [
    'a getter that throws',
    () => ({
      get sekret() {
        throw new Error('sekret');
      },
    }),
  ],
  [
    'a proxy that throws',
    () =>
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('sekret');
          },
        },
      ),
  ],
  [
    'a revoked proxy',
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
  ],
  [
    'a circle',
    () => {
      const circle: Record<string, unknown> = {};
      circle.circle = circle;
      return [circle];
    },
  ],
  ['a BigInt', () => 1n],
  ['a BigInt within', () => ({ within: [1n] })],
  ['a symbol', () => Symbol('sekret')],
  ['a function', () => () => 'sekret'],
];

/** Where it can be given, and the field that the error names. */
const PLACES: [string, (mock: MomoMock, value: never) => Promise<unknown>, named: string][] = [
  ['setBalance', (mock, value) => mock.setBalance(value), 'balance'],
  ['respondWith', (mock, value) => mock.respondWith(value), '(responses|within)'],
  ['respondWith, in a list', (mock, value) => mock.respondWith([{}, value]), 'responses[1]'],
  ['the body', (mock, body) => mock.respondWith([{}, { body }]), 'responses[1].body'],
  ['the headers', (mock, headers) => mock.respondWith({ headers }), 'headers'],
  ['a header', (mock, value) => mock.respondWith({ headers: { a: value } }), 'headers'],
  ['a list of a header', (mock, value) => mock.respondWith({ headers: { a: [value] } }), 'headers'],
  ['the status', (mock, status) => mock.respondWith({ status }), 'status'],
  ['the delay', (mock, delay) => mock.respondWith({ delay }), 'delay'],
  ['a part of the delay', (mock, min) => mock.respondWith({ delay: { min, max: 1 } }), 'delay.min'],
  ['the fault', (mock, fault) => mock.respondWith({ fault }), 'fault'],
  ['the times', (mock, times) => mock.respondWith({ times }), 'times'],
  ['an unknown field', (mock, staus) => mock.respondWith({ staus } as never), 'staus'],
  ['requests', (mock, value) => mock.requests(value), '(filter|within)'],
  ['waitFor', (mock, waitFor) => mock.requests({ waitFor }), 'waitFor'],
  ['createAccount', (mock, value) => mock.createAccount(value), '(account|within)'],
  ['its key', (mock, apikey) => mock.createAccount({ apikey }), 'apikey'],
  ['its balance', (mock, balance) => mock.createAccount({ balance }), 'balance'],
  ['setTls', (mock, value) => mock.setTls(value), 'mode'],
];

/** What was thrown, as a person and a program see it. */
async function thrown(refused: Promise<unknown>): Promise<unknown> {
  return await refused.then(
    () => 'nothing was thrown',
    ({ name, code, message }) => ({ name, code, message }),
  );
}

/** An error of momo-mock about a place in what was given. */
function invalid(place: string, code = 'MOMO_MOCK_REQUEST_INVALID') {
  const start = `Failed to read ${place}`.replace(/[[\]]/g, '\\$&');
  const message = expect.stringMatching(new RegExp(`^${start}[:.[][^]*[.?]$`));
  return { name: 'MomoMockError', code, message };
}

describeBothWays((open) => {
  it.each(PLACES)('refuses in %s what cannot be read, and names it', async (_what, give, named) => {
    const mock = await open();
    for (const [what, make] of UNREADABLE) {
      const error = await thrown(give(mock, make() as never));
      expect(error, what).toEqual(invalid(named));
      expect(JSON.stringify(error)).not.toContain('sekret');
    }
    expect((await get(mock)).status).toBe(200);
  });

  it.each(PLACES.filter(([what]) => !['setBalance', 'the body', 'its balance'].includes(what)))(
    'refuses null in %s',
    async (_what, give, named) => {
      expect(await thrown(give(await open(), null as never))).toEqual(invalid(named));
    },
  );

  it('does not see what becomes of a response after it was scripted', async () => {
    const mock = await open();
    const values = ['a'];
    const headers = { 'x-list': values } as Record<string, string[]>;
    const body = { before: [1] };
    const delay = { min: 0, max: 1 };
    const response = { headers, body, delay, status: 201 };
    const responses = [response, response];
    const scripted = mock.respondWith(responses);
    values[0] = 'b\r\nc: d';
    headers['x\r\n'] = ['e'];
    body.before.push(2);
    Object.assign(delay, { min: 3_600_000, max: 3_600_000 });
    response.status = 99;
    responses.length = 0;
    await scripted;
    for (let times = 0; times < 2; times++) {
      const reply = await get(mock);
      expect(reply).toMatchObject({ status: 201, headers: { 'x-list': 'a' } });
      expect(reply.text).toBe('{"before":[1]}');
    }
  });

  it('does not see what becomes of a balance, an account or a filter afterwards', async () => {
    const mock = await open();
    const balance = { balance: [1] };
    const set = mock.setBalance(balance);
    const options = { balance: { balance: [1] } };
    const made = mock.createAccount(options);
    const filter = { status: 200, waitFor: 1 };
    const asked = mock.requests(filter);
    balance.balance.push(2);
    options.balance.balance.push(2);
    Object.assign(filter, { status: 500, waitFor: 1000 });
    await set;
    expect(await getBalance(mock)).toEqual({ balance: [1] });
    expect(await getBalance(await made)).toEqual({ balance: [1] });
    expect(await asked).toHaveLength(1);
  });

  it('reads each field once, so that a getter cannot pass the check with one value and act with another', async () => {
    const mock = await open();
    let reads = 0;
    const response = {
      get status() {
        return reads++ === 0 ? 503 : 99;
      },
    };
    await mock.respondWith(response);
    expect((await get(mock)).status).toBe(503);
  });
});

const SETTINGS = 'MOMO_MOCK_SETTINGS_INVALID';

describe('the options of startMomoMock', () => {
  it.each(['apiKeys', 'tlsHosts', 'corsOrigin', 'control', 'port', 'host', 'watch', 'fixturesDir'])(
    'are refused where %s cannot be read, by its name',
    async (name) => {
      for (const [what, make] of UNREADABLE) {
        for (const value of [make(), [make()]]) {
          const error = await thrown(startMomoMock({ [name]: value }));
          const place = name === 'control' ? '(control|control\\.\\w+)' : name;
          expect(error, what).toEqual(invalid(place, SETTINGS));
          expect(JSON.stringify(error)).not.toContain('Error: sekret');
        }
      }
    },
  );

  it.each(UNREADABLE)('are refused where they are %s', async (_what, make) => {
    expect(await thrown(startMomoMock(make() as never))).toMatchObject({ code: SETTINGS });
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
    expect(mock.apikey).toBe('one');
    const headers = { origin: 'https://a.test' };
    const [incoming] = await once(
      request(mock.url, { agent: mock.agent, headers }).end(),
      'response',
    );
    expect(incoming.headers['access-control-allow-origin']).toBe('https://a.test');
    incoming.resume();
  });
});

describe('the arguments of connectMomoMock', () => {
  const URL_OF = 'http://localhost:1';

  it.each([null, undefined, 5, {}, [], 1n, Symbol('sekret')])(
    'are refused where the URL is %s',
    async (url) => {
      const error = await thrown(connectMomoMock(url as never));
      expect(error).toMatchObject({ code: 'MOMO_MOCK_CONTROL_UNREACHABLE' });
      expect(JSON.stringify(error)).toContain('controlUrl');
    },
  );

  it.each(['token', 'apikey', 'url'])(
    'are refused where %s is no text, by its name',
    async (name) => {
      const values = [null, 5, ['a'], ...UNREADABLE.map(([, make]) => make())];
      for (const value of values) {
        const error = await thrown(connectMomoMock(URL_OF, { [name]: value } as never));
        expect(error, String(typeof value)).toEqual(invalid(name));
      }
    },
  );

  it.each<[string, unknown]>([
    ['null', null],
    ['text', 'token'],
    ['a list', []],
    ...UNREADABLE.map(([what, make]): [string, unknown] => [what, make()]),
  ])('are refused where the options are %s', async (_what, options) => {
    expect(await thrown(connectMomoMock(URL_OF, options as never))).toEqual(
      invalid('(options|within)'),
    );
  });

  it('are refused where there is no such option, or the URL of the service is none', async () => {
    expect(await thrown(connectMomoMock(URL_OF, { tokn: 'x' } as never))).toEqual(invalid('tokn'));
    expect(await thrown(connectMomoMock(URL_OF, { url: 'sekret' }))).toEqual(invalid('url'));
  });
});

it.each<[unknown, problem: string]>([
  [null, 'the options: must be an object'],
  [undefined, 'the options: must be an object'],
  ['http://localhost', 'the options: must be an object'],
  [{ strikt: true }, 'strikt: unknown option. Use only open, strict'],
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
