import crypto from 'node:crypto';
import dns from 'node:dns';
import { describe, expect, it, vi } from 'vitest';
import { replaceBuiltin } from '../support/builtin.ts';
import { control } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';

const REQUESTS = [
  'GET /health',
  'HEAD /health',
  'GET /certificate',
  'PUT /balance',
  'GET /requests',
  'GET /requests?waitFor=1',
  'GET /events',
  'POST /accounts',
  'POST /reset',
  'GET /openapi.json',
  'GET /',
  'GET /no-such-path',
  'PATCH /balance',
  'OPTIONS /balance',
  'GET /%zz',
];

const TOKEN = 'tökén-of-this-test';
const open = sharedMock({}, { control: { host: '127.0.0.1' }, tlsHosts: ['Momo.test'] });
const closed = sharedMock({}, { control: { token: TOKEN } });

const errorOf = ({ json }: { json: unknown }) => (json as { error: { code: string } }).error.code;

describe('a host', () => {
  it.each([
    ['localhost', 200],
    ['LOCALHOST.', 200],
    ['app.localhost', 200],
    ['127.0.0.1:99', 200],
    ['192.0.2.1', 200],
    ['[::1]:8480', 200],
    ['momo-mock:8480', 200],
    ['momo.test', 200],
    ['MOMO.test.:8480', 200],
    ['other.test', 403],
    ['my-momo.test', 403],
    ['a.momo.test', 403],
    ['momo.test.example', 403],
    ['not.mylocalhost', 403],
    ['app.localhost.example', 403],
    ['127.0.0.1.example', 403],
    ['[::1', 403],
    ['momo.test@evil.example', 403],
    ['momo.test, evil.example', 403],
  ])('%j in the host header gets a %i', async (host, status) => {
    const response = await control(open(), 'GET /health', { headers: { host } });
    expect(response.status).toBe(status);
    if (status === 403) expect(errorOf(response)).toBe('MOMO_MOCK_HOST_REFUSED');
  });

  it('on which the control API listens is allowed, too', async () => {
    const { lookup } = dns;
    replaceBuiltin(dns, 'lookup', (name: string, ...more: never[]) => {
      lookup(name.replace(/^control\.test$/i, '127.0.0.1'), ...(more as unknown as [() => void]));
    });
    const { controlUrl } = await startMock({}, { control: { host: 'Control.test' } });
    expect(controlUrl).toMatch(/^http:\/\/control\.test:\d+$/i);
    const port = new URL(`${controlUrl}`).port;
    const statusOf = async (host: string) => {
      const at = { controlUrl: `http://127.0.0.1:${port}` };
      return (await control(at, 'GET /health', { headers: { host } })).status;
    };
    expect(await statusOf(`control.test:${port}`)).toBe(200);
    expect(await statusOf('other.test')).toBe(403);
  });
});

describe('a web page', () => {
  it.each([
    { host: 'localhost:8480', origin: 'http://evil.example', status: 403 },
    { host: 'localhost:8480', origin: 'http://localhost:3000', status: 403 },
    { host: 'localhost:8480', origin: 'https://localhost:8480', status: 403 },
    { host: 'localhost:8480', origin: 'http://127.0.0.1:8480', status: 403 },
    { host: 'localhost:8480', origin: 'http://localhost:8480.evil.example', status: 403 },
    { host: 'localhost:8480', origin: 'null', status: 403 },
    { host: 'localhost:8480', origin: '', status: 403 },
    { host: 'localhost:8480', origin: 'http://localhost:8480, http://evil.example', status: 403 },
    { host: 'localhost:8480', origin: 'file://', status: 403 },
    { host: 'localhost:8480', origin: 'http://localhost:8480', status: 200 },
    { host: 'LOCALHOST:8480', origin: 'http://LocalHost:8480', status: 200 },
    { host: '[::1]:8480', origin: 'http://[::1]:8480', status: 200 },
    { host: 'localhost:80', origin: 'http://localhost', status: 200 },
  ])(
    'that calls the host $host from the origin $origin gets a $status',
    async ({ host, origin, status }) => {
      const response = await control(open(), 'GET /health', { headers: { host, origin } });
      expect(response.status).toBe(status);
      if (status === 403) expect(errorOf(response)).toBe('MOMO_MOCK_ORIGIN_REFUSED');
    },
  );

  it.each([
    ['cross-site', 403],
    ['same-origin', 200],
    ['none', 200],
  ])('with the sec-fetch-site %s gets a %i', async (site, status) => {
    const response = await control(open(), 'GET /health', { headers: { 'sec-fetch-site': site } });
    expect(response.status).toBe(status);
  });
});

describe('the token', () => {
  const sent = Buffer.from(TOKEN).toString('latin1');

  it.each([
    { name: 'nothing', authorization: undefined, status: 401 },
    { name: 'an empty header', authorization: '', status: 401 },
    { name: 'the scheme alone', authorization: 'Bearer', status: 401 },
    { name: 'another token', authorization: 'Bearer sekret', status: 401 },
    {
      name: 'the beginning of the token',
      authorization: `Bearer ${sent.slice(0, -1)}`,
      status: 401,
    },
    { name: 'the token with more text', authorization: `Bearer ${sent}x`, status: 401 },
    { name: 'another scheme', authorization: `Basic ${sent}`, status: 401 },
    { name: 'the token without a scheme', authorization: sent, status: 401 },
    { name: 'the token', authorization: `Bearer ${sent}`, status: 200 },
    {
      name: 'the token and the scheme in lower case',
      authorization: `bearer ${sent}`,
      status: 200,
    },
  ])('is required: a request with $name gets a $status', async ({ authorization, status }) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await control(closed(), 'GET /health', { headers });
    expect(response.status).toBe(status);
    if (status === 200) return;
    expect(errorOf(response)).toBe('MOMO_MOCK_TOKEN');
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect(response.text).not.toMatch(/sekret|this-test/);
  });

  it('is not required for the live page, which asks for it', async () => {
    const page = { accept: 'text/html' };
    const ofPage = ['GET /', 'GET /page/app.js'];
    for (const line of ofPage) {
      expect((await control(closed(), line, { headers: page })).status).toBe(200);
      const foreign = { ...page, host: 'evil.example' };
      expect((await control(closed(), line, { headers: foreign })).status).toBe(403);
    }
  });
});

it.each<{ name: string; mock: typeof open; status: number; headers: Record<string, string> }>([
  { name: 'an unexpected host', mock: open, status: 403, headers: { host: 'sekret.example' } },
  {
    name: 'the origin of another web page, even for a preflight',
    mock: open,
    status: 403,
    headers: { origin: 'http://sekret.example', 'access-control-request-method': 'PUT' },
  },
  { name: 'a missing token', mock: closed, status: 401, headers: {} },
])(
  'a request with $name is refused on every path, even an unknown one',
  async ({ mock, status, headers }) => {
    for (const line of REQUESTS) {
      const response = await control(mock(), line, { headers });
      expect(response.status, line).toBe(status);
      expect(response.text).not.toContain('sekret');
      expect(JSON.stringify(response.headers)).not.toContain('access-control');
    }
  },
);

it('a token of the control API is compared in constant time, whatever its length', async () => {
  const compare = vi.fn(crypto.timingSafeEqual);
  replaceBuiltin(crypto, 'timingSafeEqual', compare);
  const guarded = await startMock({}, { control: { token: 'sekret-token' } });
  const bring = async (token: string) =>
    (await control(guarded, 'GET /balance', { headers: { authorization: `Bearer ${token}` } }))
      .status;
  const wrong = ['s', 'sekret-tokem', 'sekret-token-and-more', 'x'.repeat(10_000), '\xff'];
  for (const token of wrong) expect(await bring(token)).toBe(401);
  expect(await bring('sekret-token')).toBe(204);
  const { calls } = compare.mock;
  expect(calls).toHaveLength(wrong.length + 1);
  for (const [one, other] of calls) expect(one.byteLength).toBe(other.byteLength);
});
