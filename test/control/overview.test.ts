import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { control } from '../support/client.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { HAS_IPV6 } from '../support/machine.ts';
import { sharedMock, startMock, startServer } from '../support/mock.ts';

describe('GET /health', () => {
  it('says that the mock is ready, what it serves and until when', async () => {
    const mock = await startServer();
    const { controlUrl, url, certificate } = mock;
    const port = new URL(`${controlUrl}`).port;
    for (const host of HAS_IPV6 ? ['localhost', '127.0.0.1', '[::1]'] : ['localhost']) {
      expect((await control({ controlUrl: `http://${host}:${port}` }, 'GET /health')).json).toEqual(
        {
          ready: true,
          version: expect.stringMatching(/^\d+\.\d+\.\d+/),
          url,
          operations: ['GET /momo/balance'],
          openOperations: [],
          certificate: { expiresAt: certificate.expiresAt.toISOString() },
          uncaughtErrors: 0,
        },
      );
    }
  });

  it('responds to all of the first requests, which come immediately', async () => {
    const mock = await startServer();
    const asked = Array.from({ length: 8 }, () => control(mock, 'GET /health'));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses).toEqual(Array(8).fill(200));
  });
});

it('GET /certificate returns the certificate to trust, and never its key', async () => {
  const mock = await startServer();
  const { headers, text } = await control(mock, 'GET /certificate');
  expect(headers['content-type']).toBe('application/x-pem-file');
  expect(text).toBe(mock.ca);
  expect(text).not.toContain('PRIVATE');
});

describe('GET /', () => {
  const valuesOf = ({ json }: { json: unknown }) => {
    const { settings } = json as { settings: { name: string; value: string | null }[] };
    return Object.fromEntries(settings.map(({ name, value }) => [name, value]));
  };

  it.each([undefined, '*/*', 'application/json'])('is JSON for %s', async (accept) => {
    const mock = await startServer(
      {},
      {
        STRICT_PATHS: 'true',
        CORS_ORIGIN: 'https://a.test,https://b.test',
      },
    );
    const response = await control(mock, 'GET /', {
      headers: accept === undefined ? {} : { accept },
    });
    expect(response.headers.vary).toBe('accept');
    expect(response.json).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      url: mock.url,
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      certificate: { names: ['localhost', '127.0.0.1', '::1'], file: mock.certificate.file },
    });
    expect(valuesOf(response)).toMatchObject({
      MOMO_MOCK_STRICT_PATHS: 'true',
      MOMO_MOCK_CORS_ORIGIN: 'https://a.test,https://b.test',
      MOMO_MOCK_JOURNAL_SIZE: '10000',
      MOMO_MOCK_VARIANT: null,
      MOMO_MOCK_CONTROL_TOKEN: null,
      MOMO_MOCK_API_KEYS: '[redacted]',
    });
  });

  it('shows no settings that only commands use', async () => {
    const mock = await startServer({}, { REAL_URL: 'https://api.test', REAL_KEY: 'sekret' });
    const response = await control(mock, 'GET /');
    const names = Object.keys(valuesOf(response));
    expect(names.filter((name) => /REAL|FILE$/.test(name)).sort()).toEqual([
      'MOMO_MOCK_SNAPSHOT_FILE',
      'MOMO_MOCK_TLS_CERT_FILE',
      'MOMO_MOCK_TLS_KEY_FILE',
    ]);
    expect(response.text).not.toContain('sekret');
  });

  it('shows no token and no key, even inside the value of another setting', async () => {
    const fixturesDir = join(temporaryFolder(), 'sekret_key-fixtures');
    mkdirSync(fixturesDir);
    const options = { apiKeys: ['sekret_key'], control: { token: 'sekret_token' } };
    const mock = await startMock({}, { fixturesDir, ...options });
    const headers = { authorization: 'Bearer sekret_token' };
    const response = await control(mock, 'GET /', { headers });
    expect(response.text).not.toContain('sekret');
    expect(valuesOf(response)).toMatchObject({
      MOMO_MOCK_FIXTURES_DIR: expect.stringMatching(/\/\[redacted\]-fixtures$/),
      MOMO_MOCK_CONTROL_TOKEN: '[redacted]',
      MOMO_MOCK_API_KEYS: '[redacted]',
    });
  });

  it('is the live page in a browser, which may load and run only its own files', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const { headers, text } = await control(await startServer(), 'GET /', { headers: { accept } });
    expect(text).toContain('<div id="page"></div>');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(`${headers['content-security-policy']}`.split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
    ]);
  });

  it.each([
    { file: 'app.js', status: 200, type: 'text/javascript; charset=utf-8' },
    { file: 'style.css', status: 200, type: 'text/css; charset=utf-8' },
    { file: 'icon.svg', status: 200, type: 'image/svg+xml' },
    { file: 'other.txt', status: 404, type: 'application/json; charset=utf-8' },
    { file: '..%2Fpackage.json', status: 404, type: 'application/json; charset=utf-8' },
    { file: 'index.html', status: 404, type: 'application/json; charset=utf-8' },
  ])('loads /page/$file with status $status', async ({ file, status, type }) => {
    const response = await control(await startServer(), `GET /page/${file}`);
    expect([response.status, response.headers['content-type']]).toEqual([status, type]);
  });
});

describe('GET /operations', () => {
  const LONG = `/momo/${'long/'.repeat(40)}x`;
  const mock = sharedMock(
    {
      'momo/balance.get.json': { balance: [1], owner: 'key-of-a-test' },
      'momo/status/[reference].get.http':
        'HTTP/1.1 201 Created\r\nx-owner: an key-of-a-test\r\n\r\nx',
      'momo/status/[reference].get.slow.json': '{}',
      'momo/pay.post.js': 'export default () => ({});',
      [`${LONG.slice(1)}.get.json`]: '{}',
    },
    { control: true, apiKeys: ['key-of-a-test'] },
  );

  it('lists the operations with their files', async () => {
    const { json } = await control(mock(), 'GET /operations');
    const file = (end: string) =>
      expect.stringMatching(new RegExp(`\\[reference\\]\\.get\\.${end}$`));
    expect((json as { operations: object[] }).operations).toMatchObject([
      { name: 'GET /momo/balance' },
      { name: `GET ${LONG}` },
      { name: 'POST /momo/pay', fixtures: [{ variant: null, status: null }] },
      {
        name: 'GET /momo/status/:reference',
        schema: null,
        fixtures: [
          { variant: null, file: file('http'), status: 201 },
          { variant: 'slow', file: file('slow.json'), status: 200 },
        ],
      },
    ]);
  });

  it.each<[name: string, shown: object]>([
    [
      'GET /momo/balance',
      {
        fixtures: expect.arrayContaining([
          expect.objectContaining({ variant: null, body: '{"balance":[1],"owner":"[redacted]"}' }),
        ]),
      },
    ],
    [
      'GET /momo/status/:reference',
      { fixtures: [{ headers: { 'x-owner': 'an [redacted]' }, body: 'x' }, { body: '{}' }] },
    ],
    [`GET ${LONG}`, { name: `GET ${LONG}` }],
    ['GET /sekret', { error: { code: 'MOMO_MOCK_OPERATION_UNKNOWN' } }],
  ])('shows the responses of %s, without configured keys', async (name, shown) => {
    const { json, text } = await control(mock(), `GET /operations/${encodeURIComponent(name)}`);
    expect(json).toMatchObject(shown);
    expect(text).not.toContain('sekret');
  });
});

it.each([
  ['/tls', { mode: 'normal' }, { mode: 'expired' }],
  ['/variant', { variant: null }, { variant: 'empty' }],
  ['/rate-limit', { limit: null, window: null }, { limit: 1, window: 60_000 }],
])('PUT %s returns the value that is set, as GET does', async (path, before, body) => {
  const mock = await startMock({}, { control: true });
  const show = async (headers = {}) => (await control(mock, `GET ${path}`, { headers })).json;
  expect(await show()).toEqual(before);
  expect((await control(mock, `PUT ${path}`, { body })).json).toEqual(body);
  expect(await show()).toEqual(body);
  // It is the same for all accounts.
  if (path === '/tls') return;
  const headers = { apikey: mock.apiKey };
  expect(await show(headers)).toEqual(before);
  expect((await control(mock, `PUT ${path}`, { body, headers })).json).toEqual(body);
  expect((await control(mock, `DELETE ${path}`)).status).toBe(204);
  expect([await show(), await show(headers)]).toEqual([before, body]);
});
