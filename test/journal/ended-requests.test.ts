import { describe, expect, it } from 'vitest';
import { connectMomoMock, type Expectation, type MomoMock } from '../../src/index.ts';
import { ask, control } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

/** A mock, in this process or over HTTP, with one request for each way in which one can go. */
async function afterAllKinds(way: string): Promise<MomoMock> {
  const local = await startMock({}, { control: true });
  const mock = way === 'in process' ? local : await connectMomoMock(`${local.controlUrl}`);
  await ask(mock);
  await mock.respondWith({ fault: 'close' });
  await ask(mock).catch(() => {});
  await mock.requests({ waitFor: 2, ended: true });
  const gone = new AbortController();
  await mock.respondWith({ fault: 'hang' });
  const asked = ask(mock, '/momo/balance', { signal: gone.signal });
  await mock.requests({ waitFor: 3 });
  gone.abort();
  await expect(asked).rejects.toThrow();
  await mock.requests({ waitFor: 3, ended: true });
  await mock.respondWith({ delay: 600_000 });
  void ask(mock).catch(() => {});
  await mock.requests({ waitFor: 4 });
  return mock;
}

const [whole, closed, left, inFlight] = [1, 2, 3, 4];

describe.each(['in process', 'over HTTP'])('%s', (way) => {
  it.each<[Expectation, ids: number[]]>([
    [{ aborted: true }, [left]],
    [{ aborted: false }, [whole, closed, inFlight]],
    [{ fault: 'hang' }, [left]],
    [{ fault: 'close' }, [closed]],
    [{ fault: 'reset' }, []],
    [{ status: null }, [closed, left]],
    [{ status: 200 }, [whole]],
    [{ status: null, aborted: true }, [left]],
    [{ ended: true }, [whole, closed, left]],
    [{ ended: false }, [inFlight]],
  ])('requests and verify select by %j', async (fields, ids) => {
    const mock = await afterAllKinds(way);
    const { times: _, ...filter } = fields;
    expect((await mock.requests(filter)).map(({ id }) => id)).toEqual(ids);
    await mock.verify({ ...fields, times: ids.length });
    const failed = mock.verify({ ...fields, times: ids.length + 1 });
    await expect(failed).rejects.toThrow(`${ids.length} of 4 requests match`);
  });

  it('waits for the end of requests, and shows which have ended', async () => {
    const mock = await afterAllKinds(way);
    const entries = await mock.requests({ waitFor: 4, ended: true, timeout: 1 });
    expect(entries.map(({ id, ended }) => [id, ended])).toEqual([
      [whole, true],
      [closed, true],
      [left, true],
    ]);
  });

  it('verifies that a client gave up after its timeout', async () => {
    const local = await startMock({}, { control: true });
    const mock = way === 'in process' ? local : await connectMomoMock(`${local.controlUrl}`);
    await mock.respondWith({ fault: 'hang' });
    const asked = ask(mock, '/momo/balance', { signal: AbortSignal.timeout(20) });
    await Promise.all([
      expect(asked).rejects.toThrow(),
      mock.verify({ path: '/momo/balance', aborted: true }, { timeout: 30_000 }),
    ]);
    await expect(mock.verify({ aborted: false })).rejects.toThrow(
      'aborted: expected false, received true',
    );
  });
});

it('takes an answer in pieces for one that has not ended before its last piece', async () => {
  const mock = await startMock();
  await mock.respondWith({ fault: { type: 'dribble', duration: 600_000 } });
  const gone = new AbortController();
  const asked = ask(mock, '/momo/balance', { signal: gone.signal });
  await mock.requests({ status: 200, waitFor: 1 });
  expect(await mock.requests()).toMatchObject([{ status: 200, ended: false }]);
  const verified = mock.verify({ aborted: true }, { timeout: 30_000 });
  gone.abort();
  await expect(asked).rejects.toThrow();
  await verified;
});

describe('GET /requests', () => {
  it.each([
    ['aborted=yes', 'Failed to read aborted: must be true or false.'],
    ['ended=1', 'Failed to read ended: must be true or false.'],
    ['fault=slow', 'Failed to read fault: must be one of reset, close, truncate'],
    ['status=99', 'Failed to read status: must be a whole number from 100 to 599, or null.'],
    ['status=none', 'Failed to read status: must be a whole number from 100 to 599, or null.'],
    ['limit=null', 'Failed to read limit: must be a whole number'],
  ])('refuses %s', async (query, message) => {
    const mock = await startMock({}, { control: true });
    const { status, text } = await control(mock, `GET /requests?${query}`);
    expect([status, JSON.parse(text).error.message]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });

  it('reads texts as what they stand for', async () => {
    const mock = await startMock({}, { control: true });
    await ask(mock);
    for (const query of ['status=200&ended=true&aborted=false', 'path=/momo/balance&limit=007']) {
      const { text } = await control(mock, `GET /requests?${query}`);
      expect(JSON.parse(text)).toMatchObject({ total: 1 });
    }
    for (const query of ['status=null', 'path=null', 'path=true', 'aborted=true']) {
      const { status, text } = await control(mock, `GET /requests?${query}`);
      expect([status, JSON.parse(text).total]).toEqual([200, 0]);
    }
  });
});
