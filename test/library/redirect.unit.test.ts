import tls from 'node:tls';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startMomoMock } from '../../src/index.ts';
import { mockAddress, tlsRedirect } from '../../src/redirect/redirect.ts';
import { RealService } from '../../src/shape/real-service.ts';

const HOST = 'api.example.com';
const { connect } = tls;

it('a redirect replaces one that an earlier test file of jest forgot, with a warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const forgotten = await startMomoMock();
  onTestFinished(() => forgotten.close());
  const { ca, url } = forgotten;
  const host = { key: HOST, ...mockAddress(url, ca), ca: () => [ca], owner: Symbol('earlier') };
  tlsRedirect().redirectHost(host);
  const mock = await startMomoMock({ redirect: HOST });
  onTestFinished(() => mock.close());
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/earlier test file .* api\.example\.com/)],
  ]);
  await fetch(`https://${HOST}/`, { headers: { connection: 'close' } });
  expect([await forgotten.requests(), await mock.requests()]).toEqual([[], [expect.anything()]]);
  await mock.close();
  expect(tls.connect).toBe(connect);
});

it('a redirect works below another replacement of tls.connect, and above one', async () => {
  const mock = await startMomoMock();
  onTestFinished(() => mock.close());
  const ask = async () =>
    (await fetch(`https://${HOST}/`, { headers: { connection: 'close' } })).status;
  const undo = mock.redirect(HOST);
  const below = tls.connect;
  const wrapper = vi.fn((...args: never[]) => Reflect.apply(below, tls, args));
  Object.assign(tls, { connect: wrapper });
  onTestFinished(() => void Object.assign(tls, { connect }));
  expect(await ask()).toBe(401);
  undo();
  expect(tls.connect).toBe(wrapper);
  const again = mock.redirect(HOST);
  expect(await ask()).toBe(401);
  again();
  expect(tls.connect).toBe(wrapper);
  expect(wrapper).toHaveBeenCalledTimes(2);
});

it('a redirect does not apply to check and record', async () => {
  const mock = await startMomoMock({ redirect: 'real.invalid' });
  onTestFinished(() => mock.close());
  const real = new RealService({ url: 'https://real.invalid', userAgent: 'test' });
  await expect(real.get('/')).rejects.toThrow('the connection to the real service failed');
  expect(await mock.requests()).toEqual([]);
});
