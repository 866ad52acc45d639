import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { Capacity } from '../../src/net/capacity.ts';
import { Connections } from '../../src/net/connections.ts';

test('a listener that is full warns once, and again only after half of its connections ended', () => {
  const warned: number[] = [];
  const capacity = new Capacity(4, (open) => warned.push(open));
  expect([0, 3, 4, 4].map((open) => capacity.admits(open))).toEqual([true, true, false, false]);
  capacity.ended(3);
  expect(capacity.admits(4)).toBe(false);
  expect(warned).toEqual([4]);
  capacity.ended(2);
  expect(capacity.admits(4)).toBe(false);
  expect(warned).toEqual([4, 4]);
});

test('a connection that Node cannot accept is warned of, and ends nothing', () => {
  const warned: number[] = [];
  const server = createServer();
  const capacity = new Capacity(Number.POSITIVE_INFINITY, (open) => warned.push(open));
  new Connections(capacity, 1000).track(server);
  const error = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE', syscall: 'accept' });
  for (let count = 0; count < 3; count++) server.emit('error', error);
  expect(warned).toEqual([0]);
});
