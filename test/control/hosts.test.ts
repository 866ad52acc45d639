import { expect, it } from 'vitest';
import { control } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

it.each([
  ['localhost', 200],
  ['app.localhost', 200],
  ['momo.test', 200],
  ['MOMO.test:8480', 200],
  ['momo.test.', 200],
  ['momo', 200],
  ['192.0.2.1', 200],
  ['[::1]:8480', 200],
  ['other.test', 403],
  ['my-momo.test', 403],
  ['a.momo.test', 403],
  ['momo.test.example', 403],
  ['notlocalhost.example', 403],
  ['evil-app.localhost.example', 403],
  ['127.0.0.1.example', 403],
  ['momo.test@evil.example', 403],
  ['momo.test, evil.example', 403],
])('answers the control API at the host %j: %i', async (host, status) => {
  const mock = await startMock({}, { control: true, tlsHosts: ['momo.test'] });
  const reply = await control(mock, 'GET /health', { headers: { host } });
  expect(reply.status).toBe(status);
});
