import { describe, expect, it } from 'vitest';
import { TLS_MODES } from '../../src/tls/tls-mode.ts';
import { controlApp, refused } from './control-app.ts';

describe('TLS', () => {
  it('is normal, and can be made each of the modes', async () => {
    const { send } = await controlApp();
    expect(await send('GET /tls')).toMatchObject({ status: 200, body: '{"mode":"normal"}' });
    for (const mode of [...TLS_MODES].reverse()) {
      const put = await send('PUT /tls', { body: { mode } });
      expect(put).toMatchObject({ status: 200, json: { mode } });
      expect((await send('GET /tls')).json).toEqual({ mode });
    }
  });

  it.each([
    [
      'an unknown mode',
      { mode: 'sekret' },
      'mode: must be one of normal, expired, wrong-host, untrusted.',
    ],
    ['no mode', {}, 'mode: must be one of normal, expired, wrong-host, untrusted.'],
    ['one field more', { mode: 'expired', extra: 1 }, 'extra: unknown field. Use only mode.'],
    ['text', '"expired"', 'the body: must be an object with mode.'],
    ['null', 'null', 'the body: must be an object with mode.'],
  ])('with %s stays as it is', async (_what, body, named) => {
    const { send } = await controlApp();
    const reply = await send('PUT /tls', { body });
    expect(reply).toMatchObject(
      refused(400, 'MOMO_MOCK_REQUEST_INVALID', `Failed to read ${named}`),
    );
    expect(reply.body).not.toContain('sekret');
    expect((await send('GET /tls')).json).toEqual({ mode: 'normal' });
  });

  it('is not for one account', async () => {
    const { send } = await controlApp();
    const options = { headers: { apikey: 'alice-key' }, body: { mode: 'expired' } };
    expect(await send('PUT /tls', options)).toMatchObject(
      refused(400, 'MOMO_MOCK_REQUEST_INVALID'),
    );
    expect((await send('GET /tls')).json).toEqual({ mode: 'normal' });
  });
});

describe('a reset', () => {
  async function changed() {
    const app = await controlApp();
    await app.send('PUT /tls', { body: { mode: 'expired' } });
    await app.send('POST /accounts', { body: { apikey: 'carol-key' } });
    for (const headers of [{}, { apikey: 'alice-key' }]) {
      await app.send('PUT /balance', { headers, body: { balance: 'set' } });
      await app.send('PUT /responses', { headers, body: { status: 500, times: 3 } });
    }
    app.mock.journal.open({ method: 'GET', headers: {} });
    return app;
  }

  it('brings back all that there is', async () => {
    const { send, ask } = await changed();
    expect(await send('POST /reset')).toMatchObject({ status: 204, body: '' });
    expect(ask('alice-key')).toEqual({ status: 200, body: '{"balance":[1]}' });
    expect(ask('carol-key').status).toBe(401);
    expect((await send('GET /tls')).json).toEqual({ mode: 'normal' });
    expect((await send('GET /requests')).json).toEqual({ requests: [], dropped: 0, total: 0 });
  });

  it('of an account brings back that alone', async () => {
    const { send, ask } = await changed();
    const headers = { apikey: 'alice-key' };
    expect((await send('POST /reset', { headers })).status).toBe(204);
    expect((await send('GET /responses', { headers })).json).toEqual({ responses: [] });
    expect(await send('GET /balance', { headers })).toMatchObject({ status: 204 });
    expect((await send('GET /balance')).json).toEqual({ balance: 'set' });
    expect(ask('carol-key').status).toBe(500);
    expect((await send('GET /tls')).json).toEqual({ mode: 'expired' });
    expect((await send('GET /requests')).json).toMatchObject({ requests: [{ id: 1 }] });
  });

  it('of no account is refused', async () => {
    const { send, ask } = await changed();
    const headers = { apikey: 'no-such-key' };
    expect(await send('POST /reset', { headers })).toMatchObject(
      refused(404, 'MOMO_MOCK_ACCOUNT_UNKNOWN'),
    );
    expect(ask('alice-key').status).toBe(500);
  });

  it('meant for an account by its query is refused, and changes nothing', async () => {
    const { send, ask } = await changed();
    expect(await send('POST /reset?apikey=alice-key')).toMatchObject(
      refused(400, 'MOMO_MOCK_REQUEST_INVALID'),
    );
    expect(ask('alice-key').status).toBe(500);
  });
});
