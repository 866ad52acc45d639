import { describe, expect, test } from 'vitest';
import { serviceAppOf, shippedTree } from './service-app.ts';

const ORIGIN = 'https://shop.example';
const preflight = {
  headers: {
    origin: ORIGIN,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'content-type, x-request-id',
  },
};

describe('a browser page', () => {
  test('may read every answer, refusals too', async () => {
    const { ask } = await serviceAppOf(await shippedTree());
    for (const target of ['/momo/balance?apikey=good', '/momo/balance', '/x?apikey=good', '/%zz']) {
      const { headers } = await ask('GET', target, { headers: { origin: ORIGIN } });
      expect(headers['access-control-allow-origin']).toBe('*');
    }
  });

  test('gets a preflight answered without a key', async () => {
    const { ask } = await serviceAppOf(await shippedTree());
    const { status, headers, body } = await ask('OPTIONS', '/momo/balance', preflight);
    expect({ status, body }).toEqual({ status: 204, body: '' });
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers': 'content-type, x-request-id',
    });
    expect(headers['content-length']).toBeUndefined();
  });

  test('of another origin than the configured ones may not', async () => {
    const corsOrigin = [ORIGIN, 'http://localhost:3000'];
    const { ask } = await serviceAppOf(await shippedTree(), { corsOrigin });
    const allowed = await ask('GET', '/momo/balance?apikey=good', { headers: { origin: ORIGIN } });
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      vary: 'Origin',
    });
    const headers = { origin: 'https://other.example' };
    const refused = await ask('GET', '/momo/balance?apikey=good', { headers });
    expect(refused.headers['access-control-allow-origin']).toBeUndefined();
    expect(refused.headers.vary).toBe('Origin');
    const asked = await ask('OPTIONS', '/momo/balance', {
      ...preflight,
      headers: { ...preflight.headers, ...headers },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers['access-control-allow-methods']).toBeUndefined();
  });

  test('gets nothing for it where it is off', async () => {
    const { ask } = await serviceAppOf(await shippedTree(), { corsOrigin: 'off' });
    const { headers } = await ask('GET', '/momo/balance?apikey=good', {
      headers: { origin: ORIGIN },
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect((await ask('OPTIONS', '/momo/balance', preflight)).status).toBe(401);
  });
});
