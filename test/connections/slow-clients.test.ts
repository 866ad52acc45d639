import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import { openConnection, openTcp, statusesIn, talk } from '../support/raw-connection.ts';

/** In ms; longer than a handshake takes, which it limits too. */
const TIMEOUT = 5000;
const NEVER = { 'momo/never.get.js': 'export default () => new Promise(() => {});' };
const start = () => startMock(NEVER, { control: true, clientTimeout: TIMEOUT });

const GET = 'GET /momo/balance?apikey=momo_test_key HTTP/1.1\r\nHost: x\r\n\r\n';
const POST = `${GET.replace('GET', 'POST').trimEnd()}\r\nContent-Length: 9\r\n\r\n`;
const CHUNKED = POST.replace('Content-Length: 9', 'Transfer-Encoding: chunked');
const PUT = `PUT /balance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`;

const plain = ({ url }: TestMock) => openTcp(url);
const secure = ({ url, ca }: TestMock) =>
  connect({ socket: openTcp(url), servername: 'localhost', ca });
const control = ({ controlUrl }: TestMock) => openTcp(controlUrl);

/** What the client gets, and the status and reason of each journal entry. */
const JOURNALED = ['HTTP/1.1 408', [[408, 'bad-request']]] as const;
const UNSEEN = ['HTTP/1.1 408', []] as const;

type Case = [open: (mock: TestMock) => Socket, bytes: string, response: string, records: unknown];

/** Where a client stops. */
const STOPS: Readonly<Record<string, Case>> = {
  'before it says anything': [plain, '', '', []],
  'in its handshake': [plain, '\x16\x03\x01\x02', '', [[null, 'tls-handshake']]],
  'after its handshake': [secure, '', ...JOURNALED],
  'in its request line': [secure, 'GET /momo/bal', ...JOURNALED],
  'in its headers': [secure, 'GET /momo/balance HTTP/1.1\r\nHost:', ...JOURNALED],
  'before its body': [secure, POST, ...JOURNALED],
  'in its body': [secure, `${POST}{"a"`, ...JOURNALED],
  'in a chunk': [secure, CHUNKED, ...JOURNALED],
  'in its headers, to the control API': [control, 'GET /health HTTP/1.1\r\nHo', ...UNSEEN],
  'in its body, to the control API': [control, `${PUT}{`, ...UNSEEN],
};

// All at once, since each takes the timeout.
it('a client that stops sending anywhere is disconnected after the client timeout', async () => {
  const outcomes = Object.entries(STOPS).map(async ([name, [open, bytes]]) => {
    const mock = await start();
    const socket = open(mock);
    const response = (await talk(socket, socket, [bytes], 'wait')).slice(0, 12);
    const entries = await mock.requests();
    return [name, [response, entries.map(({ status, reason }) => [status, reason])]] as const;
  });
  const expected = Object.entries(STOPS).map(([name, [, , ...outcome]]) => [name, outcome]);
  expect(Object.fromEntries(await Promise.all(outcomes))).toEqual(Object.fromEntries(expected));
});

it('a web page may read the 408 of a request whose headers were read, and not of any other', async () => {
  const mock = await start();
  const allows = async (bytes: string) => {
    const socket = secure(mock);
    const response = await talk(socket, socket, [bytes], 'wait');
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
    return /\r\naccess-control-allow-origin: \*\r\n/i.test(response);
  };
  const head = 'GET /momo/balance HTTP/1.1\r\nOrigin: https://a.test\r\n';
  const responses = await Promise.all([allows(head), allows(`${POST}{"a"`)]);
  expect(responses).toEqual([false, true]);
});

it('the client timeout limits a handler, and not the wait of a client', async () => {
  const mock = await start();
  await mock.respondWith({
    operation: 'GET /momo/balance',
    delay: TIMEOUT + 1000,
    body: { late: true },
  });
  const [late, never] = await Promise.all([ask(mock), ask(mock, '/momo/never')]);
  expect(late).toMatchObject({ status: 200, json: { late: true } });
  expect(never).toMatchObject({ status: 500 });
});

/** What comes after a body has become late. */
const LATE = {
  'the rest of it, and then broken chunks': 'efghij\r\n0\r\n\r\nnonsense\r\n\r\n',
  'broken chunks': 'efghij\r\nnonsense\r\n',
  'the rest of it': 'efghij\r\n0\r\n\r\n',
};

it('a late body gets one 408, whatever follows it', async () => {
  const outcomes = Object.entries(LATE).map(async ([name, late]) => {
    const mock = await start();
    // Its response comes when the body behind it is already late.
    await mock.respondWith({ delay: TIMEOUT + 3000 });
    const client = await openConnection(mock);
    client.write(`${GET}${CHUNKED}a\r\nabcd`);
    await expect.poll(async () => (await mock.requests())[1]?.status).toBe(408);
    client.write(late);
    await once(client, 'close');
    expect(statusesIn(client.received()), name).toEqual([200, 408]);
    expect(await mock.requests(), name).toMatchObject([
      { status: 200, aborted: false },
      { status: 408, reason: 'bad-request', body: 'abcd' },
    ]);
  });
  await Promise.all(outcomes);
});
