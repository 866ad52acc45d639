import { describe, expect, it } from 'vitest';
import { controlApp, refused } from './control-app.ts';

const FILE = '{"balance":[1]}';

describe('the balance', () => {
  it('is served byte for byte as it was sent, and shown so', async () => {
    const { send, ask } = await controlApp();
    const body = ' {"balance" : 1000.00,\n "é": "\\u00e9", "__proto__": {"a":1}}\n';
    expect(await send('PUT /balance', { body })).toMatchObject({ status: 204, body: '' });
    expect(ask('alice-key')).toEqual({ status: 200, body });
    expect(await send('GET /balance')).toMatchObject({ status: 200, body });
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
  });

  it('of an account is for that account alone, and comes before that of the service', async () => {
    const { send, ask } = await controlApp();
    await send('PUT /balance', { body: { balance: 'service' } });
    await send('PUT /balance', { headers: { apikey: 'alice-key' }, body: { balance: 'alice' } });
    expect(ask('alice-key').body).toBe('{"balance":"alice"}');
    expect(ask('bob-key').body).toBe('{"balance":"service"}');
    await send('DELETE /balance', { headers: { apikey: 'alice-key' } });
    expect(ask('alice-key').body).toBe('{"balance":"service"}');
  });

  it('can be taken back, also where none was set', async () => {
    const { send, ask } = await controlApp();
    await send('PUT /balance', { body: { balance: 'service' } });
    for (const _time of ['first', 'second']) {
      expect(await send('DELETE /balance')).toMatchObject({ status: 204, body: '' });
      expect(ask('alice-key').body).toBe(FILE);
      expect(await send('GET /balance')).toMatchObject({ status: 204, body: '' });
    }
  });

  it.each([
    ['null', 'null'],
    ['a number', '7'],
    ['text', '"text"'],
    ['no field that the schema wants', '{"saldo":1}'],
  ])('that is %s is refused by the schema, and nothing is changed', async (_what, body) => {
    const { send, ask } = await controlApp();
    const message = expect.stringContaining('balance.get.schema.json');
    expect(await send('PUT /balance', { body })).toMatchObject(
      refused(422, 'MOMO_MOCK_BODY_REJECTED', message),
    );
    expect(ask('alice-key').body).toBe(FILE);
  });

  it.each(['GET', 'PUT', 'DELETE'])('%s: of no account', async (method) => {
    const { send } = await controlApp();
    const headers = { apikey: 'sekret-key' };
    const reply = await send(`${method} /balance`, {
      headers,
      ...(method === 'PUT' && { body: { balance: 1 } }),
    });
    expect(reply).toMatchObject(refused(404, 'MOMO_MOCK_ACCOUNT_UNKNOWN'));
    expect(reply.body).not.toContain('sekret');
  });
});
