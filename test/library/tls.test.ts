import { once } from 'node:events';
import { request } from 'node:https';
import { expect, it } from 'vitest';
import { describeBothWays } from '../support/mock.ts';
import type { TlsMode } from '../support/momo-mock.ts';
import { get } from './client.ts';

describeBothWays((open) => {
  it('serves a wrong certificate, which a client that verifies refuses, until it is right again', async () => {
    const mock = await open();
    await mock.setTls('expired');
    await expect(get(mock)).rejects.toMatchObject({ code: 'CERT_HAS_EXPIRED' });
    expect(await mock.requests({ status: 200 })).toEqual([]);
    await mock.setTls('normal');
    expect((await get(mock)).status).toBe(200);
  });

  it('refuses a mode that there is not, and changes nothing', async () => {
    const mock = await open();
    await expect(mock.setTls('weak' as TlsMode)).rejects.toMatchObject({
      name: 'MomoMockError',
      code: 'MOMO_MOCK_REQUEST_INVALID',
    });
    expect((await get(mock)).status).toBe(200);
  });

  it('has an agent, and options for undici, with which a client trusts it', async () => {
    const mock = await open();
    const target = `${mock.url}/momo/balance?apikey=${mock.apikey}`;
    for (const trust of [{ agent: mock.agent }, { ...mock.connect, agent: false }]) {
      const [incoming] = await once(request(target, trust).end(), 'response');
      expect(incoming.resume().statusCode).toBe(200);
      await once(incoming, 'end');
    }
  });
});
