import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { connectMomoMock } from '../../src/index.ts';

/** A control API in whose journal so many requests match, call by call, and what it was asked. */
async function journal(counts: number[]) {
  const asked: Record<string, string>[] = [];
  const server = createServer(({ url = '' }, response) => {
    const fixed: Record<string, object | string> = {
      '/health': { url: 'https://localhost' },
      '/certificate': '-----BEGIN CERTIFICATE-----',
      '/accounts': { apikey: 'k' },
    };
    const given = fixed[url];
    if (given !== undefined) {
      response.end(typeof given === 'string' ? given : JSON.stringify(given));
      return;
    }
    asked.push(Object.fromEntries(new URL(url, 'http://localhost').searchParams));
    const total = counts.shift() ?? 0;
    const limit = Number(asked.at(-1)?.limit ?? total);
    const requests = Array(Math.min(limit, total)).fill({});
    response.end(JSON.stringify({ requests, dropped: 0, total }));
  }).listen(0, 'localhost');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = new URL(`http://localhost:${(server.address() as AddressInfo).port}`);
  const scope = await connectMomoMock(url.href);
  onTestFinished(() => scope.close());
  return { asked, scope };
}

it('asks once where the wait is short', async () => {
  const { asked, scope } = await journal([]);
  await scope.requests({ status: 200, limit: 1, waitFor: 2, timeout: 60_000 });
  await scope.requests();
  expect(asked).toEqual([
    { status: '200', limit: '1', waitFor: '2', timeout: '60000' },
    { timeout: '5000' },
  ]);
});

it('waits longer than fetch would, a minute a call', async () => {
  const { asked, scope } = await journal([]);
  await scope.requests({ waitFor: 2, timeout: 570_000 });
  const waits = asked.map(({ timeout }) => Number(timeout));
  expect(waits).toEqual([...Array(9).fill(60_000), 30_000]);
});

it('ends a long wait as soon as enough is there, whatever the limit', async () => {
  const { asked, scope } = await journal([1, 2, 2]);
  expect(await scope.requests({ limit: 1, waitFor: 2, timeout: 600_000 })).toHaveLength(1);
  expect(asked).toEqual([
    { limit: '0', waitFor: '2', timeout: '60000' },
    { limit: '0', waitFor: '2', timeout: '60000' },
    { limit: '1', waitFor: '2', timeout: '0' },
  ]);
});
