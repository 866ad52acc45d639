import { describe, expect, it } from 'vitest';
import { ask, control, send } from '../support/client.ts';
import { startMock, startServer } from '../support/mock.ts';
import { talkTo } from '../support/raw-connection.ts';

const ORIGIN = 'https://shop.example';
const FILES = {
  'momo/own.get.js': `export default () => ({
    status: 202,
    headers: { 'access-control-allow-origin': 'https://own.example' },
    body: {},
  });`,
};
const SETTINGS = {
  everyone: '*',
  'one origin': [ORIGIN],
  'another origin': ['https://other.example'],
  nobody: 'off',
} as const;

/** A path for each kind of response. */
const PATHS = ['/momo/balance', '/momo/own', '/momo/none', '/momo/balance?apikey=twice', '/%zz'];

it.each<[keyof typeof SETTINGS, object]>([
  ['everyone', { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' }],
  [
    'one origin',
    {
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': expect.stringContaining('content-type'),
      vary: 'Origin',
    },
  ],
  ['another origin', { vary: 'Origin' }],
])('web pages of %s can read all responses and their headers', async (setting, expected) => {
  const mock = await startMock(FILES, { corsOrigin: SETTINGS[setting] });
  for (const path of PATHS) {
    const { headers } = await ask(mock, path, { headers: { origin: ORIGIN } });
    const shown = Object.entries(headers).filter(([name]) => /^(access-control|vary)/.test(name));
    // A handler's own header counts only where the setting has none.
    const own = path === '/momo/own' && setting === 'another origin';
    const more = own ? { 'access-control-allow-origin': 'https://own.example' } : {};
    expect([path, Object.fromEntries(shown)]).toEqual([path, { ...more, ...expected }]);
  }
});

it('every page of a list of origins can read the same response, and no other page can', async () => {
  const listed = ['https://a.example', 'https://b.example'];
  const mock = await startMock({}, { corsOrigin: listed });
  for (const origin of [...listed, 'https://c.example', undefined, ...listed]) {
    const { headers } = await ask(mock, '/momo/balance', origin ? { headers: { origin } } : {});
    const allowed = listed.find((one) => one === origin);
    expect(headers['access-control-allow-origin'], origin).toBe(allowed);
    expect(headers.vary).toBe('Origin');
  }
});

it('a listed page can send credentials, and read every header, for which browsers then do not accept *', async () => {
  const mock = await startMock({}, { corsOrigin: [ORIGIN] });
  const credentials = { 'access-control-allow-credentials': 'true' };
  expect((await send(mock, '/momo/balance', PREFLIGHT)).headers).toMatchObject(credentials);
  await mock.respondWith({ headers: { 'x-a': '1', 'set-cookie': 'session=1' } });
  const { headers } = await ask(mock, '/momo/balance', { headers: { origin: ORIGIN } });
  expect(headers).toMatchObject(credentials);
  const exposed = `${headers['access-control-expose-headers']}`.split(', ');
  expect(exposed).toEqual(expect.arrayContaining(['content-type', 'x-a']));
});

it('handlers and scripts set the CORS headers if corsOrigin is off', async () => {
  const mock = await startMock(FILES, { corsOrigin: SETTINGS.nobody });
  const { headers } = await ask(mock, '/momo/own', { headers: { origin: ORIGIN } });
  expect(headers).toMatchObject({ 'access-control-allow-origin': 'https://own.example' });
  await mock.respondWith({ headers: { 'access-control-allow-origin': 'https://script.example' } });
  const scripted = await ask(mock, '/momo/balance', { headers: { origin: ORIGIN } });
  expect(scripted.headers['access-control-allow-origin']).toBe('https://script.example');
});

const PREFLIGHT = {
  method: 'OPTIONS',
  headers: {
    origin: ORIGIN,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'content-type, x-request-id',
  },
};

it.each<{ setting: keyof typeof SETTINGS; status: number; origin: string | undefined }>([
  { setting: 'everyone', status: 204, origin: '*' },
  { setting: 'one origin', status: 204, origin: ORIGIN },
  { setting: 'another origin', status: 204, origin: undefined },
  { setting: 'nobody', status: 401, origin: undefined },
])(
  'a preflight without a key gets, if $setting may read, status $status',
  async ({ setting, status, origin }) => {
    const mock = await startMock(FILES, { corsOrigin: SETTINGS[setting] });
    const response = await send(mock, '/momo/balance', PREFLIGHT);
    expect(response.status).toBe(status);
    if (status === 204) expect(response.headers).not.toHaveProperty('content-length');
    expect(response.headers['access-control-allow-origin']).toBe(origin);
    // Browsers refuse credentials where the origin is *.
    const credentials = origin === ORIGIN ? 'true' : undefined;
    expect(response.headers['access-control-allow-credentials']).toBe(credentials);
    const isAllowed = origin !== undefined;
    expect(response.headers['access-control-allow-methods']).toBe(
      isAllowed ? 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' : undefined,
    );
    expect(response.headers['access-control-allow-headers']).toBe(
      isAllowed ? 'content-type, x-request-id' : undefined,
    );
    const source = status === 204 ? 'preflight' : 'error';
    expect(await mock.requests()).toMatchObject([{ method: 'OPTIONS', source }]);
  },
);

describe('a preflight', () => {
  const preflight = (asked: string, apiKey: string) =>
    `OPTIONS /momo/balance?apikey=${apiKey} HTTP/1.1\r\nHost: x\r\nOrigin: http://a.example\r\nAccess-Control-Request-Method: GET\r\nConnection: close\r\nAccess-Control-Request-Headers: ${asked}\r\n\r\n`;

  it.each([
    ...['\rx-injected: 1', '\nx-injected: 1', '\0', '\x7f', '\xff\xfe', '\t', ' ', '__proto__'],
    ...['a'.repeat(15_000), 'a'.repeat(20_000)],
  ])('that asks for the header %j injects no other header', async (piece) => {
    const mock = await startMock();
    const response = await talkTo(mock, preflight(`a${piece}b`, mock.apiKey));
    expect(response).toMatch(/^HTTP\/1\.1 (?:204|400|431) /);
    expect(response).not.toMatch(/^x-injected/im);
    expect((await ask(mock)).status).toBe(200);
  });

  it('that asks for a configured key shows it in neither the journal nor the log', async () => {
    const running = await startServer({}, { API_KEYS: 'good-key' });
    const response = await talkTo(running, preflight('x, good-key', 'good-key'));
    expect(response).toMatch(/^HTTP\/1\.1 204 /);
    const journal = (await control(running, 'GET /requests')).text;
    expect(journal).toContain('preflight');
    expect(journal + JSON.stringify(running.records)).not.toContain('good-key');
  });
});
