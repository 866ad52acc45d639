import { expect, it } from 'vitest';
import { describeBothWays } from './both-ways.ts';
import { get, type Known } from './client.ts';

const STATUS = 'GET /momo/status/:reference';

async function statuses(known: Known, count: number): Promise<(number | undefined)[]> {
  const all: (number | undefined)[] = [];
  while (all.length < count) all.push((await get(known)).status);
  return all;
}

describeBothWays((open) => {
  it('answers one after the other, each so many times, then as before', async () => {
    const mock = await open();
    await mock.respondWith([{ status: 503 }, { status: 429, times: 2 }]);
    await mock.respondWith({ status: 500 });
    expect(await statuses(mock, 5)).toEqual([503, 429, 429, 500, 200]);
  });

  it('always answers so, until a reset', async () => {
    const mock = await open();
    await mock.respondWith({ status: 503, times: 'always' });
    await mock.respondWith({ status: 500 });
    expect(await statuses(mock, 3)).toEqual([503, 503, 503]);
    await mock.reset();
    expect(await statuses(mock, 1)).toEqual([200]);
  });

  it('sends status, headers and a body of JSON or text', async () => {
    const mock = await open();
    const headers = { 'retry-after': '1', 'set-cookie': ['a=1', 'b=2'] };
    await mock.respondWith([
      { status: 429, headers, body: { error: 'SLOW_DOWN' } },
      { status: 502, body: '<h1>Bad Gateway</h1>' },
      { operation: STATUS, headers: { 'content-type': 'text/html' }, body: '' },
    ]);
    const first = await get(mock);
    expect(first).toMatchObject({ status: 429, headers, text: '{"error":"SLOW_DOWN"}' });
    expect(first.headers['content-type']).toBe('application/json; charset=utf-8');
    const second = await get(mock);
    expect(second).toMatchObject({ status: 502, text: '<h1>Bad Gateway</h1>' });
    expect(second.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(await get(mock, '/momo/status/1')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html' },
      text: '',
    });
  });
});
