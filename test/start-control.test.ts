import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Overview } from '../src/control/schemas/overview.ts';
import { runMock } from './support/running-mock.ts';

describe('the control API of a mock', () => {
  test('shows the settings of the mock, and since when it runs', async () => {
    const { controlUrl, url } = await runMock({ STRICT_PATHS: 'true' });
    const overview = (await (await fetch(`${controlUrl}/`)).json()) as Overview;
    expect(overview.url).toBe(url);
    expect(overview.settings).toContainEqual({ name: 'MOMO_MOCK_STRICT_PATHS', value: 'true' });
    expect(Date.parse(overview.startedAt)).toBeLessThanOrEqual(Date.now());
  });

  test('tells what the mock serves, and until when', async () => {
    const { controlUrl, url, certificate } = await runMock();
    expect(await (await fetch(`${controlUrl}/health`)).json()).toEqual({
      ready: true,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      url,
      certificate: { expiresAt: certificate.expiresAt.toISOString() },
      operations: ['GET /momo/balance'],
      logDropped: 0,
      uncaughtErrors: 0,
    });
  });

  test('gives the certificate that clients have to trust', async () => {
    const { controlUrl, ca } = await runMock();
    expect(await (await fetch(`${controlUrl}/certificate`)).text()).toBe(ca);
  });

  test('switches the certificate of the service, and tells which it has', async () => {
    const mock = await runMock();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ mode: 'expired' });
    await fetch(`${mock.controlUrl}/tls`, { method: 'PUT', headers, body });
    await expect(mock.get('/')).rejects.toMatchObject({ code: 'CERT_HAS_EXPIRED' });
    expect(await (await fetch(`${mock.controlUrl}/tls`)).json()).toEqual({ mode: 'expired' });
  });

  test.each([
    ['momo.example', 200],
    ['other.example', 403],
  ])('asked for %s answers %i, as TLS_HOSTS says', async (host, status) => {
    const { controlUrl } = await runMock({ TLS_HOSTS: 'momo.example' });
    const outgoing = request(`${controlUrl}/health`, { headers: { host }, agent: false }).end();
    const [incoming] = await once(outgoing, 'response');
    expect(incoming.resume().statusCode).toBe(status);
  });
});
