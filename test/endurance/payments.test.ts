import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { runTree } from '../handlers/run-tree.ts';
import { times } from './scale.ts';

const PAYMENTS = times(10_000, 300);

const STEP = 100;

/** Each payment is due 1 ms before the one that came before it. */
const handlerOf = (url: string) => `let payments = 0;
  export default async (_request, { after, callback, state, uuid }) => {
    const number = payments++;
    await state.set(uuid(), { number, note: 'x'.repeat(200) });
    after(${PAYMENTS} - number, () => callback({ url: '${url}', body: { number } }));
    return { status: 201 };
  };`;

it(`${PAYMENTS} payments with callbacks at once: all are called, in order of their due times`, {
  timeout: 600_000,
}, async () => {
  const called: number[] = [];
  const webhook = createServer(async (request, response) => {
    called.push(((await json(request)) as { number: number }).number);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(webhook, 'listening');
  onTestFinished(() => void webhook.close());
  const url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`;
  const mock = await runTree({ 'momo/pay.post.js': handlerOf(url) }, { LOG_LEVEL: 'silent' });
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  onTestFinished(() => agent.destroy());
  const { clock } = mock.mock.service;
  clock.freeze();
  for (let sent = 0; sent < PAYMENTS; sent += STEP) {
    const pay = () => mock.get('/momo/pay?apikey=good', { method: 'POST', agent });
    await Promise.all(Array.from({ length: STEP }, pay));
  }
  expect(clock.state.pending).toBe(PAYMENTS);
  await clock.advance('idle');
  expect(called).toEqual(Array.from({ length: PAYMENTS }, (_, at) => PAYMENTS - 1 - at));
  mock.controller.reset(undefined);
  expect(clock.state.pending).toBe(0);
});
