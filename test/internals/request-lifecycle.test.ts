import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { decide } from '../../src/mock/decide.ts';
import { corsHeaders } from '../../src/service/cors.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';

const ASK = 'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\n\r\n';
const CHUNKED =
  'POST /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

async function clientOf({
  port,
  ca,
}: RunningMock): Promise<TLSSocket & { received: () => string }> {
  const socket = connect({ port, host: 'localhost', ca });
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return Object.assign(socket, { received: () => text });
}

const entries = async (mock: RunningMock) => await mock.controller.requests(undefined, {});
const logged = ({ records }: RunningMock) => records.filter(({ msg }) => msg === 'request');
const statuses = (text: string) => text.match(/HTTP\/1\.1 \d{3}/g)?.map((line) => line.slice(9));

test.each([
  ['the rest of it, and then broken chunks', 'efghij\r\n0\r\n\r\nnonsense\r\n\r\n'],
  ['broken chunks', 'efghij\r\nnonsense\r\n'],
  ['the rest of it', 'efghij\r\n0\r\n\r\n'],
])('a body that is late gets one 408, also when %s follow it', async (_what, late) => {
  const mock = await runMock({ CLIENT_TIMEOUT: '300' });
  await mock.controller.script('good', { delay: 1500 }, 'append');
  const client = await clientOf(mock);
  client.write(`${ASK}${CHUNKED}a\r\nabcd`);
  const [, post] = await mock.controller.requests(undefined, { waitFor: 2 });
  expect(post).toMatchObject({ method: 'POST', status: null });
  await expect.poll(async () => (await entries(mock))[1]?.status).toBe(408);
  client.write(late);
  await once(client, 'close');
  expect(statuses(client.received())).toEqual(['200', '408']);
  expect(await entries(mock)).toMatchObject([
    { status: 200, aborted: false },
    { status: 408, reason: 'bad-request', body: 'abcd' },
  ]);
  await expect.poll(() => logged(mock).map(({ status }) => status)).toEqual([200, 408]);
});

test('garbage around the moment of a 408 ends nothing but its connection', async () => {
  const mock = await runMock({ CLIENT_TIMEOUT: '1000' });
  const clients = await Promise.all(Array.from({ length: 12 }, () => clientOf(mock)));
  await Promise.all(
    clients.map(async (client, at) => {
      client.write(`${CHUNKED}a\r\nabcd`);
      // From before the 408 to after it.
      await wait(985 + at * 3);
      client.write('zz\r\nzz\r\n');
      // Not events.once, which would fail at a reset.
      if (!client.closed) await new Promise((done) => client.once('close', done));
    }),
  );
  const ends = await entries(mock);
  expect(ends).toHaveLength(12);
  expect(ends.filter(({ status }) => status !== 400 && status !== 408)).toEqual([]);
  await expect.poll(() => logged(mock)).toHaveLength(12);
  expect(await mock.get('/momo/balance?apikey=good')).toMatchObject({ status: 200 });
});

test('pipelined requests whose client leaves end with it: no status, no timer, one log line each', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout');
  const before = timers().length;
  const mock = await runMock({ SHUTDOWN_TIMEOUT: '3600000' }, { own: true });
  await mock.controller.script('good', { delay: 3_600_000, times: 2 }, 'append');
  const client = await clientOf(mock);
  client.write(ASK + ASK);
  await mock.controller.requests(undefined, { waitFor: 2 });
  client.destroy();
  await expect
    .poll(async () => (await entries(mock)).map((it) => it.aborted))
    .toEqual([true, true]);
  expect(await entries(mock)).toMatchObject([{ status: null }, { status: null }]);
  expect(logged(mock)).toHaveLength(2);
  await mock.close();
  expect(timers().length).toBeLessThanOrEqual(before);
});

test('an answer that was ready behind another one, but never sent, has no status', async () => {
  const mock = await runMock();
  await mock.controller.script('good', { delay: 3_600_000 }, 'append');
  const client = await clientOf(mock);
  client.write(ASK + ASK);
  await expect.poll(async () => (await entries(mock))[1]?.status).toBe(200);
  client.destroy();
  await expect.poll(async () => (await entries(mock))[1]?.aborted).toBe(true);
  expect(await entries(mock)).toMatchObject([
    { status: null, aborted: true },
    { status: null, aborted: true },
  ]);
  expect(logged(mock).map(({ status, aborted }) => ({ status, aborted }))).toEqual([
    { status: undefined, aborted: true },
    { status: undefined, aborted: true },
  ]);
});

test.each(['100-continue', 'x', '100-CONTINUE, x', ''])(
  'a request with "Expect: %s" lives as any other, and counts as running',
  async (expectation) => {
    const mock = await runMock({}, { own: true });
    await mock.controller.script('good', { delay: 100 }, 'append');
    const client = await clientOf(mock);
    client.write(ASK.replace('\r\n\r\n', `\r\nExpect: ${expectation}\r\n\r\n`));
    await mock.controller.requests(undefined, { waitFor: 1 });
    await mock.close();
    expect(statuses(client.received())?.at(-1)).toBe('200');
    expect(logged(mock)).toMatchObject([{ status: 200 }]);
  },
);

test('a client that does not read one of two pipelined answers is cut off, and one that waits is not', async () => {
  const mock = await runMock({ CLIENT_TIMEOUT: '300' });
  await mock.controller.script('good', [{}, { delay: 600 }], 'append');
  const client = await clientOf(mock);
  client.write(ASK + ASK);
  await expect.poll(() => statuses(client.received())).toEqual(['200', '200']);
  await mock.controller.script('good', [{}, { body: 'x'.repeat(60_000_000) }], 'append');
  client.pause();
  client.write(ASK + ASK);
  await expect.poll(async () => (await entries(mock))[3]?.aborted).toBe(true);
});

vi.mock('../../src/mock/decide.ts', { spy: true });
vi.mock('../../src/service/cors.ts', { spy: true });

test.each([
  ['at once', {}],
  ['in a hook', { early: true }],
  ['behind a delay', { late: true }],
])(
  'a bug in momo-mock %s is a 500 and a log line, and ends with its request',
  async (_, { early = false, late = false }: { early?: boolean; late?: boolean }) => {
    const mock = await runMock();
    const bug = () => {
      throw new TypeError('good is in this message');
    };
    if (early) mock.mock.accounts.find = bug;
    else if (late) {
      await mock.controller.script('good', { delay: 1 }, 'append');
      vi.mocked(corsHeaders).mockImplementationOnce(bug);
    } else vi.mocked(decide).mockImplementationOnce(bug);
    const reply = await mock.get('/momo/balance?apikey=good');
    expect(reply).toMatchObject({ status: 500, headers: { 'access-control-allow-origin': '*' } });
    expect(JSON.parse(reply.body)).toMatchObject({ success: false });
    expect(await entries(mock)).toMatchObject([{ status: 500, source: 'error', aborted: false }]);
    const [line] = mock.records.filter(({ level }) => level === 50);
    expect(line).toMatchObject({ error: 'TypeError', at: expect.any(Array) });
    expect(JSON.stringify(mock.records)).not.toContain('good is');
  },
);
