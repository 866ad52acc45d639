import { mkdirSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { control } from '../support/client.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { HAS_IPV6 } from '../support/machine.ts';
import { startMock } from '../support/mock.ts';
import { startMomoMock } from '../support/momo-mock.ts';
import { runMock } from '../support/running-mock.ts';

describe('GET /health', () => {
  it('tells that the mock is ready, what it serves and until when', async () => {
    const mock = await runMock();
    const { controlUrl, url, certificate } = mock;
    const port = new URL(`${controlUrl}`).port;
    for (const host of HAS_IPV6 ? ['localhost', '127.0.0.1', '[::1]'] : ['localhost']) {
      expect((await control({ controlUrl: `http://${host}:${port}` }, 'GET /health')).json).toEqual(
        {
          ready: true,
          version: expect.stringMatching(/^\d+\.\d+\.\d+/),
          url,
          operations: ['GET /momo/balance'],
          certificate: { expiresAt: certificate.expiresAt.toISOString() },
          logDropped: 0,
          uncaughtErrors: 0,
        },
      );
    }
  });

  it('answers all of the first requests, which come immediately', async () => {
    const mock = await runMock();
    const asked = Array.from({ length: 8 }, () => control(mock, 'GET /health'));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses).toEqual(Array(8).fill(200));
  });
});

describe('GET /certificate', () => {
  it('gives the certificate to trust, and never its key', async () => {
    const mock = await runMock();
    const { headers, text } = await control(mock, 'GET /certificate');
    expect(headers['content-type']).toBe('application/x-pem-file');
    expect(text).toBe(mock.ca);
    expect(text).not.toContain('PRIVATE');
  });
});

describe('GET /', () => {
  const valuesOf = ({ json }: { json: unknown }) => {
    const { settings } = json as { settings: { name: string; value: string | null }[] };
    return Object.fromEntries(settings.map(({ name, value }) => [name, value]));
  };

  it.each([undefined, '*/*', 'application/json'])('is JSON for %s', async (accept) => {
    const mock = await runMock({
      STRICT_PATHS: 'true',
      CORS_ORIGIN: 'https://a.test,https://b.test',
    });
    const reply = await control(mock, 'GET /', { headers: accept === undefined ? {} : { accept } });
    expect(reply.headers.vary).toBe('accept');
    expect(reply.json).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      url: mock.url,
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      certificate: { names: ['localhost', '127.0.0.1', '::1'], file: mock.certificate.file },
    });
    expect(valuesOf(reply)).toMatchObject({
      MOMO_MOCK_STRICT_PATHS: 'true',
      MOMO_MOCK_CORS_ORIGIN: 'https://a.test,https://b.test',
      MOMO_MOCK_JOURNAL_SIZE: '10000',
      MOMO_MOCK_BALANCE_VARIANT: null,
      MOMO_MOCK_CONTROL_TOKEN: null,
      MOMO_MOCK_API_KEYS: '[redacted]',
    });
  });

  it('shows no token and no key, also none in the value of another setting', async () => {
    const fixturesDir = join(temporaryFolder(), 'sekret_key-fixtures');
    mkdirSync(fixturesDir);
    const mock = await startMomoMock({
      fixturesDir,
      apiKeys: ['sekret_key'],
      control: { token: 'sekret_token' },
    });
    onTestFinished(() => mock.close());
    const headers = { authorization: 'Bearer sekret_token' };
    const reply = await control(mock, 'GET /', { headers });
    expect(reply.text).not.toContain('sekret');
    expect(valuesOf(reply)).toMatchObject({
      MOMO_MOCK_FIXTURES_DIR: expect.stringMatching(/\/\[redacted\]-fixtures$/),
      MOMO_MOCK_CONTROL_TOKEN: '[redacted]',
      MOMO_MOCK_API_KEYS: '[redacted]',
    });
  });

  it('is the live page in a browser, which may load and run nothing but its own files', async () => {
    const mock = await runMock();
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const { headers, text } = await control(mock, 'GET /', { headers: { accept } });
    expect(text).toContain('<div id="page"></div>');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    const policy = `${headers['content-security-policy']}`.split('; ').map((it) => it.split(' '));
    expect(Object.fromEntries(policy.map(([name, ...sources]) => [name, sources]))).toEqual({
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      'connect-src': ["'self'"],
      'img-src': ["'self'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
      'require-trusted-types-for': ["'script'"],
    });
  });

  it.each([
    ['app.js', 200, 'text/javascript; charset=utf-8'],
    ['style.css', 200, 'text/css; charset=utf-8'],
    ['icon.svg', 200, 'image/svg+xml'],
    ['other.txt', 404, 'application/json; charset=utf-8'],
    ['..%2Fpackage.json', 404, 'application/json; charset=utf-8'],
    ['index.html', 404, 'application/json; charset=utf-8'],
  ])('has /page/%s: %i', async (file, status, type) => {
    const reply = await control(await runMock(), `GET /page/${file}`);
    expect([reply.status, reply.headers['content-type']]).toEqual([status, type]);
  });
});

describe('GET /operations', () => {
  const FILES = {
    'momo/balance.get.json': { balance: [1], owner: 'key-of-a-test' },
    'momo/status/[reference].get.http':
      'HTTP/1.1 201 Created\r\nx-owner: an key-of-a-test\r\n\r\nx',
    'momo/status/[reference].get.slow.json': '{}',
    'momo/pay.post.js': 'export default () => ({});',
  };
  const start = () => startMock(FILES, { control: true, apiKeys: ['key-of-a-test'] });

  it('lists the operations with their files', async () => {
    const mock = await start();
    const { json } = await control(mock, 'GET /operations');
    const { operations } = json as { operations: { name: string }[] };
    expect(operations.map(({ name }) => name)).toEqual([
      'GET /momo/balance',
      'POST /momo/pay',
      'GET /momo/status/:reference',
    ]);
    expect(operations[2]).toEqual({
      name: 'GET /momo/status/:reference',
      schema: null,
      fixtures: [
        { variant: null, file: expect.stringMatching(/\[reference\]\.get\.http$/), status: 201 },
        {
          variant: 'slow',
          file: expect.stringMatching(/\[reference\]\.get\.slow\.json$/),
          status: 200,
        },
      ],
    });
    expect(operations[1]).toMatchObject({ fixtures: [{ variant: null, status: null }] });
  });

  it('shows the answers of the files of one operation, without configured keys', async () => {
    const mock = await start();
    const balance = await control(mock, 'GET /operations/GET%20%2Fmomo%2Fbalance');
    expect(balance.json).toMatchObject({
      fixtures: expect.arrayContaining([
        expect.objectContaining({ variant: null, body: '{"balance":[1],"owner":"[redacted]"}' }),
      ]),
    });
    const name = encodeURIComponent('GET /momo/status/:reference');
    expect((await control(mock, `GET /operations/${name}`)).json).toMatchObject({
      fixtures: [{ headers: { 'x-owner': 'an [redacted]' }, body: 'x' }, { body: '{}' }],
    });
  });

  it('shows an operation with a long name, and repeats no name that there is not', async () => {
    const folder = `momo/${'long/'.repeat(40)}`;
    const mock = await startMock({ [`${folder}x.get.json`]: '{}' }, { control: true });
    const name = `GET /${folder}x`;
    const shown = await control(mock, `GET /operations/${encodeURIComponent(name)}`);
    expect(shown.json).toMatchObject({ name });
    const unknown = await control(mock, 'GET /operations/GET%20%2Fsekret');
    expect(unknown.json).toMatchObject({ error: { code: 'MOMO_MOCK_OPERATION_UNKNOWN' } });
    expect([unknown.status, unknown.text.includes('sekret')]).toEqual([422, false]);
  });
});

describe('PUT /tls', () => {
  it('switches the certificate of the service to each of the modes, and tells which it has', async () => {
    const mock = await runMock();
    const codes = {
      untrusted: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      'wrong-host': 'ERR_TLS_CERT_ALTNAME_INVALID',
    };
    for (const [mode, code] of Object.entries({
      ...codes,
      expired: 'CERT_HAS_EXPIRED',
      normal: 401,
    })) {
      const put = await control(mock, 'PUT /tls', { body: { mode } });
      expect(put).toMatchObject({ status: 200, json: { mode } });
      expect((await control(mock, 'GET /tls')).json).toEqual({ mode });
      const answered = new Promise((done) => {
        request(mock.url, { ca: mock.ca, agent: false }, (incoming) => {
          incoming.resume();
          done(incoming.statusCode);
        })
          .on('error', (error: NodeJS.ErrnoException) => done(error.code))
          .end();
      });
      expect(await answered).toBe(code);
    }
  });
});
