import { once } from 'node:events';
import { expect, it } from 'vitest';
import { sharedLogged } from '../support/mock.ts';
import type { ScriptedResponse } from '../support/momo-mock.ts';
import { openConnection } from '../support/raw-connection.ts';

const GET = 'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\n\r\n';
const LAST = GET.replace('Host: x', 'Host: x\r\nConnection: close');

const mock = sharedLogged({});

/** Lets the mock respond with a script, and a client send one request. */
async function watch(response: ScriptedResponse) {
  await mock().reset();
  mock().records.length = 0;
  await mock().respondWith({ headers: { 'x-own': 'yes' }, ...response });
  const socket = await openConnection(mock());
  const errors: (string | undefined)[] = [];
  socket.on('error', ({ code }: NodeJS.ErrnoException) => errors.push(code));
  let pieces = 0;
  socket.on('data', () => pieces++);
  // Not events.once, which would fail at a reset.
  const closed = new Promise<void>((done) => socket.once('close', () => done()));
  socket.write(GET);
  /** What the log says of the requests that have ended. */
  const logged = () =>
    mock()
      .records.filter(({ msg }) => msg === 'request')
      .map(({ status = null, aborted = false, fault }) => ({ status, aborted, fault }));
  return { socket, closed, errors, pieces: () => pieces, logged };
}

/** The first received response: its status, its announced length, and its body. */
function responseIn(received: string) {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  const body = rest.join('\r\n\r\n').split('HTTP/1.1 200')[0];
  const status = Number(head.slice(9, 12));
  // What the script says of its headers is as good with a fault as without one.
  expect(/\r\nx-own: yes/i.test(head)).toBe(status !== 0);
  return [status, length && Number(length), body];
}

const TEN = 'abcdefghij';
const dribble = { type: 'dribble', duration: 100 } as const;

/** What the client sees of the fault, and how its connection is afterwards. */
it.each<{
  script: ScriptedResponse;
  received: [status: number, length: number | undefined, body: string];
  end: 'is reset' | 'is closed' | 'serves the next request';
}>([
  { script: { fault: 'reset' }, received: [0, undefined, ''], end: 'is reset' },
  { script: { fault: 'close' }, received: [0, undefined, ''], end: 'is closed' },
  {
    script: { fault: { type: 'close' }, delay: 1 },
    received: [0, undefined, ''],
    end: 'is closed',
  },
  { script: { body: TEN, fault: 'truncate' }, received: [200, 10, 'abcde'], end: 'is closed' },
  { script: { body: '', fault: 'truncate' }, received: [200, 1, ''], end: 'is closed' },
  { script: { body: '1', fault: 'truncate' }, received: [200, 1, ''], end: 'is closed' },
  {
    script: { status: 404, body: TEN, fault: 'malformed' },
    received: [404, 7, 'abcde}{'],
    end: 'serves the next request',
  },
  {
    script: { body: { a: 1 }, fault: 'malformed' },
    received: [200, 5, '{"a}{'],
    end: 'serves the next request',
  },
  {
    script: { body: [], fault: 'malformed' },
    received: [200, 3, '[}{'],
    end: 'serves the next request',
  },
  {
    script: { body: '', fault: 'malformed' },
    received: [200, 2, '}{'],
    end: 'serves the next request',
  },
  {
    script: { body: 7, fault: 'malformed' },
    received: [200, 2, '}{'],
    end: 'serves the next request',
  },
  {
    script: { body: '"text"', fault: 'malformed' },
    received: [200, 5, '"te}{'],
    end: 'serves the next request',
  },
  {
    script: { status: 503, body: TEN, fault: dribble },
    received: [503, 10, TEN],
    end: 'serves the next request',
  },
  {
    script: { body: 'x', fault: dribble },
    received: [200, 1, 'x'],
    end: 'serves the next request',
  },
  { script: { body: '', fault: dribble }, received: [200, 0, ''], end: 'serves the next request' },
  {
    script: { status: 204, fault: dribble },
    received: [204, undefined, ''],
    end: 'serves the next request',
  },
  {
    script: { status: 304, fault: dribble },
    received: [304, undefined, ''],
    end: 'serves the next request',
  },
])(
  'a client with the scripted response $script gets $received, and its connection $end',
  async ({ script, received, end }) => {
    const { socket, closed, errors, logged } = await watch(script);
    const [entry] = await mock().requests({ waitFor: 1, ended: true });
    if (end === 'serves the next request') socket.write(LAST);
    await closed;
    expect(responseIn(socket.received())).toEqual(received);
    expect(errors).toEqual(end === 'is reset' ? ['ECONNRESET'] : []);
    const isServed = /\r\nconnection: close\r\n/i.test(socket.received());
    expect(isServed).toBe(end === 'serves the next request');
    // A response that the mock cut off is not a client that gave up.
    const [status] = received;
    const fault = typeof script.fault === 'string' ? script.fault : script.fault?.type;
    const said = { status: status === 0 ? null : status, aborted: false, fault };
    expect(entry).toMatchObject(said);
    expect(logged()[0]).toEqual(said);
  },
);

it('a dribble sends up to ten chunks, over one second by default', async () => {
  const { pieces } = await watch({ body: TEN, fault: 'dribble' });
  const [entry] = await mock().requests({ waitFor: 1, ended: true });
  expect(pieces()).toBeGreaterThan(5);
  // No timer ends earlier than it is set to.
  expect(entry?.duration).toBeGreaterThan(980);
});

it.each(['x', ''])('a dribble of %j also takes its duration', async (body) => {
  await watch({ body, fault: dribble });
  const [entry] = await mock().requests({ waitFor: 1, ended: true });
  expect(entry?.duration).toBeGreaterThan(dribble.duration - 5);
});

it('a hang sends nothing until the client gives up, and other clients are served', async () => {
  const { socket, closed, logged } = await watch({ fault: 'hang' });
  await mock().requests({ waitFor: 1 });
  const other = await openConnection(mock());
  other.write(LAST);
  await once(other, 'end');
  expect(other.received()).toMatch(/^HTTP\/1\.1 200 /);
  const hang = { fault: 'hang', status: null };
  expect(await mock().requests({ limit: 2 })).toMatchObject([{ ...hang, aborted: false }, {}]);
  expect(socket.received()).toBe('');
  socket.destroy();
  await closed;
  expect(await mock().requests({ fault: 'hang', ended: true, waitFor: 1 })).toMatchObject([
    { ...hang, aborted: true },
  ]);
  expect(logged().at(-1)).toEqual({ ...hang, aborted: true });
});
