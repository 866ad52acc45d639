import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { sharedMock } from '../support/mock.ts';
import { talk, talkTo } from './client.ts';

const mock = sharedMock({}, { control: true });
const LONG = { success: true, message: 'x'.repeat(900_000), balance: [] };
const GET = 'GET /momo/balance?apikey=momo_test_key HTTP/1.1\r\nHost: localhost\r\n';

it.each([
  [
    'a client that immediately half-closes gets the whole answer',
    `${GET}Connection: close\r\n\r\n`,
  ],
  ['a broken request behind a good one does not cut its answer', `${GET}\r\nnonsense\r\n\r\n`],
])('%s', async (_what, bytes) => {
  await mock().setBalance(LONG);
  const reply = await talkTo(mock(), bytes);
  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(reply).toContain(JSON.stringify(LONG));
});

it('a client of the control API that half-closes gets the whole answer, also where that takes a while', async () => {
  const port = Number(new URL(`${mock().controlUrl}`).port);
  const raw = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const asked = 'GET /requests?waitFor=1 HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const reply = talk(raw, raw, [asked]);
  await expect.poll(() => raw.writableFinished).toBe(true);
  await ask(mock());
  expect(await reply).toMatch(/^HTTP\/1\.1 200 OK\r\n.*"operation":"GET \/momo\/balance"/s);
});

// What a closed socket and a half-closed one send is the same. Clients that time out are why there
// are delays, so a FIN is taken for one of those.
it.each([
  ['delay', { delay: 3_600_000 }],
  [
    'dribble',
    { fault: { type: 'dribble' as const, duration: 3_600_000 }, body: { a: 'long one' } },
  ],
  ['hang', { fault: 'hang' as const }],
])(
  'a client that half-closes in a scripted %s has gone away, says the journal',
  async (_what, script) => {
    await mock().respondWith(script);
    await talkTo(mock(), `${GET}\r\n`);
    const aborted = async () => (await mock().requests()).map((entry) => entry.aborted);
    await expect.poll(aborted).toEqual([true]);
  },
);
