import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openTls } from '../control/tunnel.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';

/** A delay that lasts until {@link release}. */
const HELD = 3_599_999;
const held = vi.hoisted(() => [] as (() => void)[]);

vi.mock('../../src/timers.ts', async (load) => {
  const timers = await load<typeof import('../../src/timers.ts')>();
  const setTimeout = (act: () => void, ms: number) => {
    if (ms === HELD) held.push(act);
    return timers.setTimeout(act, ms);
  };
  return { ...timers, setTimeout };
});

function release(): void {
  for (const act of held.splice(0)) act();
}

async function openDirect({ port, ca }: RunningMock): Promise<TLSSocket> {
  const socket = connect({ port, host: 'localhost', ca });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

const openTunnel = (mock: RunningMock) => openTls(mock, 'api.example.com');

const ASK = 'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\n';
const GET = `${ASK}\r\n`;
const POST = `${ASK.replace('GET', 'POST')}Content-Length: 4\r\n`;
const GARBAGE = 'nonsense\r\n\r\n';

const REQUESTS: [string, bytes: string, count: number, statuses: string[]][] = [
  ['a request that expects 100-continue', `${ASK}Expect: 100-continue\r\n\r\n`, 1, ['100', '503']],
  ['a request that expects something else', `${ASK}Expect: x\r\n\r\n`, 1, ['503']],
  ['pipelined requests', GET + GET + GET, 3, ['503', '200', '200']],
  [
    'pipelined requests that expect something',
    `${GET}${ASK}Expect: 100-continue\r\n\r\n${ASK}Expect: x\r\n\r\n`,
    3,
    ['503', '200', '200'],
  ],
];
const WAYS = [
  ['', openDirect],
  [' behind CONNECT', openTunnel],
] as const;
const CASES = REQUESTS.flatMap(([name, ...rest]) =>
  WAYS.map(([way, open]) => [name + way, open, ...rest] as const),
);

async function start(): Promise<RunningMock> {
  held.length = 0;
  const settings = { TLS_HOSTS: 'api.example.com', SHUTDOWN_TIMEOUT: '3600000' };
  const mock = await runMock(settings, { own: true });
  await mock.controller.script('good', { delay: HELD, status: 503 }, 'append');
  return mock;
}

const statusesOf = (reply: string) => reply.match(/HTTP\/1\.1 \d{3}/g)?.map((it) => it.slice(9));

/** What happens while the requests run; resolves when it has begun. */
const EVENTS: [string, behind: string, (mock: RunningMock) => Promise<unknown>][] = [
  ['a stop', '', async (mock) => void mock.close()],
  ['a TLS switch', '', (mock) => mock.tls.set('expired')],
  ['broken input behind', GARBAGE, async () => {}],
  ['broken input behind, and a stop', GARBAGE, async (mock) => void mock.close()],
  ['broken input behind, and a TLS switch', GARBAGE, (mock) => mock.tls.set('expired')],
];

describe.each(EVENTS)('%s', (_event, behind, begin) => {
  test.each(CASES)('lets %s finish, then the connection ends', async (_name, open, ...rest) => {
    const [bytes, count, statuses] = rest;
    const mock = await start();
    onTestFinished(() => mock.close());
    const socket = await open(mock);
    const reply = text(socket);
    socket.write(bytes + behind);
    await mock.controller.requests(undefined, { waitFor: count });
    await begin(mock);
    release();
    expect(statusesOf(await reply)).toEqual([...statuses, ...(behind === '' ? [] : ['400'])]);
  });

  test('lets a body that the client sends after 100 Continue arrive', async () => {
    const mock = await start();
    onTestFinished(() => mock.close());
    const socket = await openDirect(mock);
    let reply = '';
    socket.on('data', (chunk) => {
      reply += chunk;
    });
    socket.write(`${GET}${POST}Expect: 100-continue\r\n\r\n`);
    await mock.controller.requests(undefined, { waitFor: 2 });
    await begin(mock);
    release();
    while (!reply.includes('HTTP/1.1 100')) await once(socket, 'data');
    socket.write(`body${behind}`);
    await once(socket, 'end');
    expect(statusesOf(reply)).toEqual(['503', '100', '405', ...(behind === '' ? [] : ['400'])]);
    expect((await mock.controller.requests(undefined, {}))[1]).toMatchObject({
      method: 'POST',
      body: 'body',
    });
  });

  test('ends with the connection of a client that goes away', async () => {
    const mock = await start();
    const socket = await openDirect(mock);
    socket.write(GET + GET + behind);
    await mock.controller.requests(undefined, { waitFor: 2 });
    await begin(mock);
    socket.destroy();
    await mock.close();
    const received = await mock.controller.requests(undefined, {});
    expect(received.slice(0, 2)).toMatchObject([
      { status: null, aborted: true },
      { status: null, aborted: true },
    ]);
  });
});
