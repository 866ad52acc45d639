import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { sharedMock, startMock } from '../support/mock.ts';
import { openConnection, statusesIn, talkTo, talkToControl } from '../support/raw-connection.ts';

const HOUR = 3_600_000;
const KEY = 'apikey=momo_test_key';
const GET = `GET /momo/balance?${KEY} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const LAST = GET.replace('Host', 'Connection: close\r\nHost');
const LONG = { success: true, message: 'x'.repeat(900_000), balance: [] };

describe('a client that half-closes', () => {
  const mock = sharedMock({}, { control: true });

  it.each([
    ['gets the whole response', LAST],
    ['gets the whole response, even if a broken request followed', `${GET}nonsense\r\n\r\n`],
  ])('%s', async (_what, bytes) => {
    await mock().setBalance(LONG);
    const response = await talkTo(mock(), bytes);
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(response).toContain(JSON.stringify(LONG));
  });

  // What a closed socket and a half-closed one send is the same. Clients that time out are why
  // there are delays, so a FIN is taken for one of those.
  it.each([
    ['delay', { delay: HOUR }],
    ['dribble', { fault: { type: 'dribble' as const, duration: HOUR }, body: { a: 'long one' } }],
    ['hang', { fault: 'hang' as const }],
  ])('in a scripted %s counts as gone in the journal', async (_what, script) => {
    await mock().respondWith(script);
    await talkTo(mock(), GET);
    expect(await mock().requests({ waitFor: 1, ended: true })).toMatchObject([{ aborted: true }]);
  });

  it('during a delay, after sending a broken request, counts as gone in the journal', async () => {
    await mock().respondWith({ delay: HOUR });
    await talkTo(mock(), `${GET}nonsense\r\n\r\n`);
    expect(await mock().requests({ waitFor: 1, ended: true })).toMatchObject([{ aborted: true }]);
  });
});

// An aborted fetch sends no more than a FIN.
describe('a client of the control API that sends a FIN', () => {
  const mock = sharedMock({}, { control: true });
  const HEADERS = 'Host: localhost\r\nContent-Type: application/json\r\n';
  const verify = (what: string, body: string) =>
    `POST /verify${what}?timeout=600000 HTTP/1.1\r\n${HEADERS}Content-Length: ${body.length}\r\n\r\n${body}`;
  const wait = (what: string) => `GET /${what}?waitFor=1&timeout=600000 HTTP/1.1\r\n${HEADERS}\r\n`;

  it.each([
    ['a wait for requests', wait('requests')],
    ['a wait for webhooks', wait('webhooks')],
    ['a verification of requests', verify('', '{}')],
    ['a verification of webhooks', verify('/webhooks', '{}')],
    ['the events', `GET /events HTTP/1.1\r\n${HEADERS}\r\n`],
    ['a wait after another one', wait('requests') + wait('webhooks')],
    ['a wait before something broken', `${wait('requests')}nonsense\r\n\r\n`],
    ['a wait before half a request', `${wait('requests')}GET /health`],
    ['a wait before half a body', `${wait('requests')}${verify('', '{}').slice(0, -1)}`],
  ])('leaves no connection open: %s', async (_what, bytes) => {
    // Resolves when the connection is closed.
    expect(await talkToControl(mock(), bytes)).not.toMatch(/^HTTP\/1.1 [45]/);
  });
});

it('a response that was ready behind another one, but never sent, has no status', async () => {
  const mock = await startMock();
  await mock.respondWith({ delay: HOUR });
  const client = await openConnection(mock);
  client.write(GET + GET);
  await expect.poll(async () => (await mock.requests())[1]?.status).toBe(200);
  client.destroy();
  const gone = { status: null, aborted: true };
  expect(await mock.requests({ waitFor: 2, ended: true })).toMatchObject([gone, gone]);
});

it('the response of a handler to a client that has left changes nothing in the journal', async () => {
  const mock = await startMock();
  let respond = (_: object) => {};
  const response = new Promise<object>((resolve) => {
    respond = resolve;
  });
  await mock.handle('GET /momo/balance', () => response);
  const client = await openConnection(mock);
  client.write(GET);
  await mock.requests({ waitFor: 1 });
  client.destroy();
  const before = await mock.requests({ waitFor: 1, ended: true });
  expect(before).toMatchObject([{ status: null, aborted: true, source: null }]);
  respond({ status: 201 });
  expect(await ask(mock)).toMatchObject({ status: 201 });
  expect((await mock.requests())[0]).toEqual(before[0]);
});

it('a client that does not read is cut off at the client timeout, and a client that waits is not', async () => {
  const files = { 'momo/large.get.json': { large: 'x'.repeat(9_500_000) } };
  // Longer than a handshake takes, which it limits too.
  const mock = await startMock(files, { clientTimeout: 5000 });
  await mock.respondWith([{}, {}, { delay: 6000 }]);
  const reader = await openConnection(mock);
  const waiting = await openConnection(mock);
  reader.write(GET);
  waiting.write(GET);
  await mock.requests({ waitFor: 2, ended: true });
  waiting.write(GET);
  await mock.requests({ waitFor: 3 });
  reader.pause();
  reader.write(GET + GET.replace('balance', 'large').repeat(4));
  const cut = { aborted: true, waitFor: 1, timeout: 600_000 };
  expect(await mock.requests(cut)).not.toEqual([]);
  await expect.poll(() => statusesIn(waiting.received())).toEqual([200, 200]);
});

it('a running request ends with the fixtures with which it began', async () => {
  const file = 'momo/balance.get.json';
  const mock = await startMock({ [file]: '"before"' }, { watch: true });
  const client = await openConnection(mock);
  client.write(`${LAST.replace('\r\n\r\n', '\r\nContent-Length: 4\r\n\r\n')}ab`);
  await mock.requests({ waitFor: 1 });
  expect((await ask(mock)).json).toBe('before');
  writeFiles(mock.folder, { [file]: '"after"' });
  await expect.poll(async () => (await ask(mock)).json).toBe('after');
  client.write('cd');
  await once(client, 'end');
  expect(client.received()).toMatch(/"before"$/);
});
