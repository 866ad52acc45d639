import { expect, it, vi } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';

// Every name leads to this machine, by an address that is not allowed for itself.
vi.mock('node:dns', async (original) => {
  const dns = await original<typeof import('node:dns')>();
  const lookup = (_name: string, _options: object, callback: (...found: unknown[]) => void) =>
    callback(null, [{ address: '0.0.0.0', family: 4 }]);
  return { ...dns, lookup };
});

const NOTIFY = 'export default ({ body }, { callback }) => callback(body);';

it.each([
  ['a name that is configured', 'hook.test', 200],
  ['a name below one that is configured', 'a.hook.test', 'host-not-allowed'],
  ['a name that only ends like one', 'my-hook.test', 'host-not-allowed'],
  ['a name in place of a wildcard', 'a.example.com', 200],
  ['a name in capitals in its place', 'A.Example.COM', 200],
  ['two names in its place', 'a.b.example.com', 'host-not-allowed'],
  ['nothing in its place', 'example.com', 'host-not-allowed'],
  ['a name that only ends like it', 'a.notexample.com', 'host-not-allowed'],
])('calls back %s as the setting says: %s', async (_what, host, outcome) => {
  const callbackHosts = ['hook.test', '*.example.com'];
  const mock = await startMock({ 'momo/notify.post.js': NOTIFY }, { callbackHosts });
  const { port } = await startWebhook();
  await ask(mock, '/momo/notify', { method: 'POST', body: { url: `http://${host}:${port}/` } });
  const [attempt] = await mock.callbacks({ waitFor: 1 });
  expect(attempt?.status ?? attempt?.reason).toBe(outcome);
});
