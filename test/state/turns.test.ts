import { expect, it, onTestFinished } from 'vitest';
import { AS_JSON, control } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

const VALUES = 15;
const LONG = '"'.repeat(50_000);

/** A mock with values that each take a turn to redact: over 64 KiB, full of escapes, with a key. */
async function startFull() {
  const mock = await startMock({}, { apiKeys: ['a-key', 'abc'], control: true });
  for (let at = 0; at < VALUES; at++) await mock.state.set(`n${at}`, `${LONG}a-key`);
  return mock;
}

/** Counts the turns of the event loop, which each may serve a request. */
function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const next = () => {
    turns++;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  onTestFinished(() => {
    isOver = true;
  });
  return () => turns;
}

it('requests get a turn after each long value that is listed', async () => {
  const { state } = await startFull();
  const turns = countTurns();
  expect(await state.list()).toMatchObject({ n0: `${LONG}[redacted]` });
  expect(turns()).toBeGreaterThanOrEqual(VALUES);
});

it('requests get a turn after each long value that is searched before [redacted] is written', async () => {
  const { state } = await startFull();
  const turns = countTurns();
  await expect(state.set('other', '[redacted]')).rejects.toMatchObject({
    code: 'MOMO_MOCK_STATE_REDACTED',
  });
  expect(turns()).toBeGreaterThanOrEqual(VALUES);
});

it('another request gets its response before GET /state, which has the ETag of its values', async () => {
  const mock = await startFull();
  const order: string[] = [];
  // It resolves with the headers.
  const listed = fetch(`${mock.controlUrl}/state`).then((response) => {
    order.push('state');
    return response;
  });
  const write = control(mock, 'PUT /state/n0', { headers: AS_JSON, body: '1' });
  const written = write.then(() => order.push('write'));
  const [response] = await Promise.all([listed, written]);
  expect(order).toEqual(['write', 'state']);
  const isBefore = ((await response.json()) as { n0: unknown }).n0 !== 1;
  const now = (await control(mock, 'GET /state?prefix=none')).headers.etag;
  expect(response.headers.get('etag') !== now).toBe(isBefore);
});
