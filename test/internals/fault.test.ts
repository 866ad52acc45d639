import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ScriptedResponse } from '../../src/mock/scripted-response.ts';
import { setTimeout } from '../../src/timers.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';

vi.mock('../../src/timers.ts', { spy: true });

let mock: RunningMock;

beforeAll(async () => {
  mock = await runMock({}, { own: true });
  return () => mock.close();
});

const ASK = 'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\n\r\n';

/** What a client sees that sends one request: bytes of the answer, in pieces, and the end. */
async function watch(response: ScriptedResponse) {
  await mock.controller.script(undefined, response, 'replace');
  const raw = connectPlain(mock.port, '127.0.0.1');
  const socket = connect({ socket: raw, ca: mock.ca, servername: 'localhost' });
  onTestFinished(() => void raw.destroy());
  const pieces: string[] = [];
  const errors: string[] = [];
  for (const one of [raw, socket]) {
    one.on('error', (error: NodeJS.ErrnoException) => errors.push(error.code ?? error.message));
  }
  socket.on('data', (piece) => pieces.push(String(piece)));
  await once(socket, 'secureConnect');
  socket.write(ASK);
  return { raw, socket, pieces, errors, closed: once(raw, 'close') };
}

async function entry() {
  const [last] = await mock.controller.requests(undefined, { limit: 1 });
  return last;
}

describe('a fault', () => {
  test('reset: the client gets ECONNRESET', async () => {
    const { pieces, errors, closed } = await watch({ fault: 'reset' });
    await closed;
    expect(errors).toContain('ECONNRESET');
    expect(pieces).toEqual([]);
    expect(await entry()).toMatchObject({ fault: 'reset', status: null, aborted: false });
  });

  test('close: the client gets an end, and no byte of an answer', async () => {
    const { socket, pieces, errors, closed } = await watch({ fault: { type: 'close' } });
    await once(socket, 'end');
    await closed;
    expect({ pieces, errors }).toEqual({ pieces: [], errors: [] });
    expect(await entry()).toMatchObject({ fault: 'close', status: null, aborted: false });
  });

  test('truncate: less comes than was promised', async () => {
    const { pieces, closed } = await watch({ fault: 'truncate' });
    await closed;
    const [head = '', body = ''] = pieces.join('').split('\r\n\r\n');
    const promised = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(body.length).toBeGreaterThan(0);
    expect(body.length).toBeLessThan(promised);
    expect(await entry()).toMatchObject({ fault: 'truncate', status: 200 });
  });

  test.each<[string, ScriptedResponse]>([
    ['of an empty body', { body: '', fault: 'truncate' }],
    ['of a body of one byte', { body: '1', fault: 'truncate' }],
  ])('truncate %s promises one byte that never comes', async (_name, response) => {
    const { pieces, closed } = await watch(response);
    await closed;
    expect(pieces.join('')).toMatch(/content-length: 1\r\n[\s\S]*\r\n\r\n$/i);
  });

  test.each<unknown>([{ a: 1 }, [], '', 7, 'text', '"text"', true])(
    'malformed: %j comes whole, and does not parse',
    async (body) => {
      const { socket, pieces } = await watch({ body, fault: 'malformed' });
      await once(socket, 'data');
      const [head = '', text = ''] = pieces.join('').split('\r\n\r\n');
      expect(text.length).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]));
      expect(() => JSON.parse(text)).toThrow();
    },
  );

  test('malformed: half of the body, and brackets that nothing closes', async () => {
    const { socket, pieces } = await watch({ body: 'abcdef', fault: 'malformed' });
    await once(socket, 'data');
    expect(pieces.join('')).toMatch(/\r\n\r\nabc\}\{$/);
  });

  test('dribble: the whole body comes, in many pieces', async () => {
    const { socket, pieces } = await watch({
      body: 'abcdefghij',
      fault: { type: 'dribble', duration: 200 },
    });
    const body = () => pieces.join('').split('\r\n\r\n')[1] ?? '';
    await expect.poll(body).toBe('abcdefghij');
    expect(pieces.length).toBeGreaterThan(5);
    // The connection is as good as before.
    socket.write(ASK);
    await expect.poll(() => pieces.join('').match(/HTTP\/1\.1 200/g)?.length).toBe(2);
    expect(await entry()).toMatchObject({ status: 200, fault: null });
  });

  test('dribble: 1000 ms from the first piece to the last, where no duration is given', async () => {
    vi.mocked(setTimeout).mockClear();
    const { pieces } = await watch({ body: 'abcdefghij', fault: 'dribble' });
    await expect.poll(() => pieces.join('').endsWith('abcdefghij')).toBe(true);
    const waits = vi.mocked(setTimeout).mock.calls.map(([, ms]) => ms);
    expect(waits.filter((ms) => ms === 1000 / 9)).toHaveLength(9);
  });

  test.each(['', 'x'])('dribble of %j ends too', async (body) => {
    vi.mocked(setTimeout).mockClear();
    const { pieces } = await watch({ body, fault: { type: 'dribble', duration: 20 } });
    const length = `content-length: ${body.length}`;
    await expect.poll(() => pieces.join('').toLowerCase()).toContain(length);
    await expect.poll(() => pieces.join('').endsWith(`\r\n\r\n${body}`)).toBe(true);
    const waits = vi.mocked(setTimeout).mock.calls.map(([, ms]) => ms);
    expect(waits.filter((ms) => ms === 20)).toHaveLength(1);
  });

  test.each([204, 304])('dribble of a %i has no length', async (status) => {
    const { socket, pieces } = await watch({ status, fault: { type: 'dribble', duration: 20 } });
    await once(socket, 'data');
    expect(pieces.join('')).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(pieces.join('')).not.toMatch(/content-length|transfer-encoding/i);
  });

  test('hang: nothing comes until the client gives up', async () => {
    const { socket, pieces, closed } = await watch({ fault: 'hang' });
    await mock.controller.requests(undefined, { waitFor: 1 });
    // Whoever asks meanwhile is answered.
    expect(await mock.get('/momo/balance?apikey=good')).toMatchObject({ status: 200 });
    expect(pieces).toEqual([]);
    const [hanging] = await mock.controller.requests(undefined, { limit: 2 });
    expect(hanging).toMatchObject({ fault: 'hang', status: null, aborted: false });
    socket.destroy();
    await closed;
    const isOver = async () => (await mock.controller.requests(undefined, { limit: 2 }))[0];
    await expect.poll(isOver).toMatchObject({ fault: 'hang', status: null, aborted: true });
  });
});

test('hangs, delays of clients that left, and dribbles of such never hold up a stop', async () => {
  const own = await runMock({ SHUTDOWN_TIMEOUT: '3600000' }, { own: true });
  await own.controller.script(
    undefined,
    [
      { fault: 'hang', times: 2 },
      { delay: 3_600_000 },
      { body: 'slow', fault: { type: 'dribble', duration: 3_600_000 } },
    ],
    'append',
  );
  const clients: TLSSocket[] = [];
  for (let count = 1; count <= 4; count++) {
    const client = connect({ port: own.port, host: 'localhost', ca: own.ca });
    client.on('error', () => {});
    await once(client, 'secureConnect');
    client.write(ASK);
    await own.controller.requests(undefined, { waitFor: count });
    clients.push(client);
  }
  for (const client of clients.slice(1)) client.destroy();
  const aborted = async () =>
    (await own.controller.requests(undefined, {})).filter((it) => it.aborted);
  await expect.poll(async () => (await aborted()).length).toBe(3);
  // One client still waits for its answer. The deadline is an hour away.
  const closed = once(clients[0] as TLSSocket, 'close');
  await own.close();
  await closed;
});

test('a stop after which a hang would begin does not wait for it either', async () => {
  const own = await runMock({ SHUTDOWN_TIMEOUT: '3600000' }, { own: true });
  await own.controller.script(undefined, { fault: 'hang', delay: 300 }, 'append');
  const asked = own.get('/momo/balance?apikey=good').catch((error) => error);
  await own.controller.requests(undefined, { waitFor: 1 });
  await own.close();
  expect(await asked).toBeInstanceOf(Error);
});
