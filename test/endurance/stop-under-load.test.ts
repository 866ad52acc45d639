import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { expect, test } from 'vitest';
import { connectMomoMock } from '../../src/index.ts';
import { FREE_PORTS, spawnCommand } from '../support/command.ts';
import { show, times } from './scale.ts';

const HOUR = 3_600_000;
const CLIENTS = times(200, 30);
const STUCK = times(50, 5);
const DEADLINE = 1000;

/** How a request ended: without an answer, or with one that was whole, or was not. */
function ask(url: string, agent: Agent): Promise<'none' | 'whole' | 'cut'> {
  return new Promise((done) => {
    const outgoing = get(url, { agent }, (incoming) => {
      incoming.resume();
      incoming.on('error', () => {});
      incoming.on('close', () => done(incoming.complete ? 'whole' : 'cut'));
    });
    outgoing.on('error', () => done('none'));
  });
}

test('SIGTERM under load, with hangs and dribbles running, ends it at the deadline with no other answer cut', async () => {
  const spawned = await spawnCommand([...FREE_PORTS, '--shutdown-timeout', String(DEADLINE)]);
  const { controlUrl, certificate } = await spawned.ready;
  const mock = await connectMomoMock(controlUrl ?? '');
  const agent = new Agent({ ca: readFileSync(certificate ?? ''), keepAlive: true });
  const busy = `${mock.url}/momo/balance?apikey=${mock.apikey}`;
  const stuck = await mock.createAccount();
  const dribble = { type: 'dribble', duration: HOUR } as const;
  await stuck.respondWith([
    { fault: 'hang', times: STUCK },
    { fault: dribble, times: STUCK },
  ]);
  const held = Array.from({ length: 2 * STUCK }, () =>
    ask(`${stuck.url}/momo/balance?apikey=${stuck.apikey}`, agent),
  );
  const outcomes: string[] = [];
  const clients = Array.from({ length: CLIENTS }, async () => {
    // The mock is gone once there is no answer any more.
    for (let last = 'whole'; last === 'whole'; outcomes.push(last)) last = await ask(busy, agent);
  });
  expect(await stuck.requests({ waitFor: 2 * STUCK })).toHaveLength(2 * STUCK);
  await expect.poll(() => outcomes.length).toBeGreaterThan(5 * CLIENTS);
  const began = performance.now();
  spawned.child.kill('SIGTERM');
  expect(await spawned.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  const ratio = (performance.now() - began) / DEADLINE;
  await Promise.all(clients);
  expect(outcomes).not.toContain('cut');
  const ends = await Promise.all(held);
  expect(ends.sort()).toEqual([...Array(STUCK).fill('cut'), ...Array(STUCK).fill('none')]);
  const whole = outcomes.filter((outcome) => outcome === 'whole').length;
  show(
    `SIGTERM with ${CLIENTS} clients asking, ${STUCK} hangs and ${STUCK} dribbles: down after ` +
      `${ratio.toFixed(2)} of the deadline; ${whole} answers whole, 0 cut`,
  );
  agent.destroy();
  await mock.close();
});
