import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { Capacity } from '../../src/net/capacity.ts';
import { Connections } from '../../src/net/connections.ts';

test('a listener that is full is told of once, and again only after half of its connections ended', () => {
  const told: number[] = [];
  const capacity = new Capacity(4, (open) => told.push(open));
  expect([0, 3, 4, 4].map((open) => capacity.admits(open))).toEqual([true, true, false, false]);
  capacity.ended(3);
  expect(capacity.admits(4)).toBe(false);
  expect(told).toEqual([4]);
  capacity.ended(2);
  expect(capacity.admits(4)).toBe(false);
  expect(told).toEqual([4, 4]);
});

test('a connection that Node cannot accept is told of, and ends nothing', () => {
  const told: number[] = [];
  const server = createServer();
  new Connections(new Capacity(Number.POSITIVE_INFINITY, (open) => told.push(open))).follow(server);
  const error = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE', syscall: 'accept' });
  for (let count = 0; count < 3; count++) server.emit('error', error);
  expect(told).toEqual([0]);
});
