import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { HAS_IPV6 } from '../support/machine.ts';
import { runMock } from '../support/running-mock.ts';

function get(url: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: object; body: string }>((done, fail) => {
    request(url, { headers, agent: false }, async (incoming) => {
      let body = '';
      for await (const chunk of incoming) body += chunk;
      done({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
    })
      .on('error', fail)
      .end();
  });
}

describe('the control API', () => {
  test('tells that the mock is ready, and what it serves', async () => {
    const { controlUrl, url, certificate } = await runMock();
    const { status, body } = await get(`${controlUrl}/health`);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      ready: true,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      url,
      operations: ['GET /momo/balance'],
      certificate: { expiresAt: certificate.expiresAt.toISOString() },
      logDropped: 0,
      uncaughtErrors: 0,
    });
  });

  test('gives the certificate to trust, and never its key', async () => {
    const { controlUrl, ca } = await runMock();
    const { headers, body } = await get(`${controlUrl}/certificate`);
    expect(headers).toMatchObject({ 'content-type': 'application/x-pem-file' });
    expect(body).toBe(ca);
    expect(body).not.toContain('PRIVATE');
  });

  test('answers on both loopback addresses', async () => {
    const { controlUrl } = await runMock();
    const port = new URL(controlUrl ?? '').port;
    for (const host of HAS_IPV6 ? ['127.0.0.1', '[::1]'] : ['127.0.0.1']) {
      expect((await get(`http://${host}:${port}/health`)).status).toBe(200);
    }
  });

  test.each([
    ['localhost', 200],
    ['LOCALHOST.', 200],
    ['127.0.0.1:99', 200],
    ['[::1]:99', 200],
    ['192.168.1.7', 200],
    ['momo-mock:8480', 200],
    ['app.localhost', 200],
    ['momo.test', 200],
    ['MOMO.test:1', 200],
    ['evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost.evil.example', 403],
    ['[::1', 403],
  ])('as the host %s: %i', async (host, status) => {
    const { controlUrl } = await runMock({ TLS_HOSTS: 'momo.test' });
    const reply = await get(`${controlUrl}/health`, { host });
    expect(reply.status).toBe(status);
    if (status === 403) expect(JSON.parse(reply.body).error.code).toBe('MOMO_MOCK_HOST_REFUSED');
  });

  test('lets no browser page read it', async () => {
    const { controlUrl } = await runMock();
    const { headers } = await get(`${controlUrl}/health`, { origin: 'http://localhost:3000' });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('says what there is where there is nothing, without repeating the request', async () => {
    const { controlUrl } = await runMock();
    for (const path of ['/sekret', '/momo/balance?apikey=sekret', '/%zz-sekret']) {
      const { status, body } = await get(`${controlUrl}${path}`);
      expect(status).toBe(404);
      expect(JSON.parse(body).error).toEqual({
        code: 'MOMO_MOCK_NOT_FOUND',
        message: expect.stringContaining('GET /health, GET /certificate'),
      });
      expect(body).not.toContain('sekret');
    }
  });

  test('answers who waits for requests when the mock stops', async () => {
    const mock = await runMock({}, { own: true });
    // By address: two look-ups of a name may end in any order.
    const base = `http://127.0.0.1:${new URL(mock.controlUrl ?? '').port}`;
    const waiting = get(`${base}/requests?waitFor=1&timeout=600000`);
    // A later answer, on a connection that was opened later, shows that the wait has begun.
    await get(`${base}/health`);
    await mock.close();
    expect(await waiting).toMatchObject({
      status: 200,
      body: '{"requests":[],"dropped":0,"total":0}',
    });
  });

  test('can be off', async () => {
    const { controlUrl } = await runMock({ CONTROL_PORT: 'off' });
    expect(controlUrl).toBeNull();
  });
});
