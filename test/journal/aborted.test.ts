import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import type { ScriptedResponse } from '../support/momo-mock.ts';

const SLOW = `export default ({ query }) => ({
  status: 201,
  body: { from: 'handler' },
  fault: query.fault,
});`;

it.each<{ script: ScriptedResponse; own: string; fault: string | null }>([
  { script: { fault: 'close' }, own: 'truncate', fault: 'close' },
  { script: { fault: 'truncate' }, own: 'close', fault: 'truncate' },
  { script: { delay: 1 }, own: 'truncate', fault: 'truncate' },
  { script: { fault: 'close' }, own: '', fault: 'close' },
  { script: { status: 200, fault: 'truncate' }, own: 'close', fault: 'truncate' },
  { script: { status: 200 }, own: 'close', fault: null },
])('the script $script overrides the fault of a handler, $own', async ({ script, own, fault }) => {
  const mock = await startMock({ 'momo/slow.get.js': SLOW });
  await mock.respondWith({ operation: 'GET /momo/slow', ...script });
  const path = own === '' ? '/momo/slow' : `/momo/slow?fault=${own}`;
  await ask(mock, path).catch(() => {});
  await expect.poll(() => mock.requests()).toMatchObject([{ fault, aborted: false }]);
});

it.each([
  ['reset', null],
  ['close', null],
  ['truncate', 200],
])('the fault %s does not count as a client that gave up', async (fault, status) => {
  const mock = await startMock();
  await mock.respondWith({ fault: fault as 'reset' });
  await expect(ask(mock)).rejects.toThrow();
  await expect
    .poll(() => mock.requests())
    .toMatchObject([{ fault, status, aborted: false, duration: expect.any(Number) }]);
});

it('a client that leaves before the response counts as one that gave up', async () => {
  const mock = await startMock();
  await mock.respondWith({ fault: 'hang' });
  const gone = new AbortController();
  const asked = ask(mock, '/momo/balance', { signal: gone.signal });
  await mock.requests({ waitFor: 1 });
  gone.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(() => mock.requests()).toMatchObject([{ status: null, aborted: true }]);
});
