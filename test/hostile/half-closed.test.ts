import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import type { ScriptedResponse } from '../../src/mock/scripted-response.ts';
import { runMock } from '../support/running-mock.ts';
import { talk } from './client.ts';

const LONG = JSON.stringify({ success: true, message: 'x'.repeat(3_000_000), balance: [] });
const REQUEST = 'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: localhost\r\n';

async function opened() {
  const mock = await runMock();
  const control = connectPlain({
    port: Number(new URL(mock.controlUrl ?? '').port),
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  const raw = connectPlain({ port: mock.port, host: '127.0.0.1', allowHalfOpen: true });
  const tls = connect({ socket: raw, ca: mock.ca, servername: 'localhost' });
  return { mock, control, raw, tls };
}

it('a client that immediately half-closes gets the whole answer', async () => {
  const { mock, raw, tls } = await opened();
  mock.controller.setBalance('good', Buffer.from(LONG));
  const reply = await talk(tls, raw, [`${REQUEST}Connection: close\r\n\r\n`]);
  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(reply.endsWith(LONG)).toBe(true);
});

it('a broken request behind a good one does not cut the answer to the good one', async () => {
  const { mock, raw, tls } = await opened();
  mock.controller.setBalance('good', Buffer.from(LONG));
  const reply = await talk(tls, raw, [`${REQUEST}\r\nnonsense\r\n\r\n`]);
  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(reply.length).toBeGreaterThan(LONG.length);
});

it('one of the control API gets the whole answer, also where that takes a while', async () => {
  const { mock, control } = await opened();
  const ask = 'GET /requests?waitFor=1 HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const reply = talk(control, control, [ask]);
  await expect.poll(() => control.writableFinished).toBe(true);
  await mock.get('/momo/balance?apikey=good');
  expect(await reply).toMatch(/^HTTP\/1\.1 200 OK\r\n.*"operation":"GET \/momo\/balance"/s);
});

// What a closed socket and a half-closed one send is the same. Clients that time out are why there
// are delays, so a FIN is taken for one of those.
it.each<[string, ScriptedResponse]>([
  ['delay', { delay: 3_600_000 }],
  ['dribble', { fault: { type: 'dribble', duration: 3_600_000 }, body: { a: 'long one' } }],
  ['hang', { fault: 'hang' }],
])('one of the service in a scripted %s has gone away, says the journal', async (_what, script) => {
  const { mock, raw, tls } = await opened();
  mock.controller.script('good', script, 'replace');
  await talk(tls, raw, [`${REQUEST}\r\n`]);
  const aborted = async () => (await mock.controller.requests(undefined, {}))[0]?.aborted;
  await expect.poll(aborted).toBe(true);
});
