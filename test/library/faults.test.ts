import { expect, it } from 'vitest';
import { describeBothWays } from './both-ways.ts';
import { get } from './client.ts';

describeBothWays((open) => {
  it('a fault: the client gets an error, and the next answer is whole', async () => {
    const mock = await open();
    await mock.respondWith({ fault: 'reset' });
    await expect(get(mock)).rejects.toThrow(/read ECONNRESET/);
    expect((await get(mock)).status).toBe(200);
    expect((await mock.requests()).map(({ fault }) => fault)).toEqual(['reset', null]);
  });
});
