import { describe, expect, test } from 'vitest';
import { runMock } from '../running-mock.ts';

const ORIGIN = 'https://shop.example';
const preflight = {
  method: 'OPTIONS',
  headers: {
    origin: ORIGIN,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'content-type, x-request-id',
  },
};

describe('a browser page', () => {
  test('may read every answer, refusals too', async () => {
    const { get } = await runMock();
    for (const target of ['/momo/balance?apikey=good', '/momo/balance', '/x?apikey=good', '/%zz']) {
      const { headers } = await get(target, { headers: { origin: ORIGIN } });
      expect(headers['access-control-allow-origin']).toBe('*');
    }
  });

  test('gets a preflight answered without a key', async () => {
    const { get } = await runMock();
    const { status, headers, body } = await get('/momo/balance', preflight);
    expect({ status, body }).toEqual({ status: 204, body: '' });
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': expect.stringContaining('GET'),
      'access-control-allow-headers': 'content-type, x-request-id',
    });
    expect(headers['content-length']).toBeUndefined();
  });

  test('of another origin than the configured ones may not', async () => {
    const { get } = await runMock({ CORS_ORIGIN: `${ORIGIN}, http://localhost:3000` });
    const allowed = await get('/momo/balance?apikey=good', { headers: { origin: ORIGIN } });
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      vary: 'Origin',
    });
    const headers = { origin: 'https://other.example' };
    const refused = await get('/momo/balance?apikey=good', { headers });
    expect(refused.headers['access-control-allow-origin']).toBeUndefined();
    expect(refused.headers.vary).toBe('Origin');
    const asked = await get('/momo/balance', {
      ...preflight,
      headers: { ...preflight.headers, ...headers },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers['access-control-allow-methods']).toBeUndefined();
  });

  test('gets nothing for it where it is off', async () => {
    const { get } = await runMock({ CORS_ORIGIN: 'off' });
    const { headers } = await get('/momo/balance?apikey=good', { headers: { origin: ORIGIN } });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect((await get('/momo/balance', preflight)).status).toBe(401);
  });
});
