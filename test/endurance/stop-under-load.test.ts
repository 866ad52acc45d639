import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { expect, it } from 'vitest';
import { FREE_PORTS, spawnCommand } from '../support/command.ts';
import { connectMomoMock, type MomoTarget } from '../support/momo-mock.ts';
import { show, times } from './scale.ts';

const CLIENTS = times(200, 30);
const STUCK = times(50, 5);
const DEADLINE = 1000;

/** How a request ended: without an answer, or with one that was whole, or was not. */
function ask({ url, apikey }: MomoTarget, agent: Agent): Promise<'none' | 'whole' | 'cut'> {
  return new Promise((done) => {
    const asked = get(`${url}/momo/balance?apikey=${apikey}`, { agent }, (incoming) => {
      incoming.on('error', () => {}).resume();
      incoming.on('close', () => done(incoming.complete ? 'whole' : 'cut'));
    });
    asked.on('error', () => done('none'));
  });
}

it('SIGTERM under load, with hangs and dribbles running, ends it at the deadline with no other answer cut', async () => {
  const spawned = await spawnCommand([...FREE_PORTS, '--shutdown-timeout', `${DEADLINE}`]);
  const { controlUrl, certificate } = await spawned.ready;
  await using mock = await connectMomoMock(controlUrl ?? '');
  const agent = new Agent({ ca: readFileSync(certificate ?? ''), keepAlive: true });
  const stuck = await mock.createAccount();
  await stuck.respondWith([
    { fault: 'hang', times: STUCK },
    { fault: { type: 'dribble', duration: 3_600_000 }, times: STUCK },
  ]);
  const held = Array.from({ length: 2 * STUCK }, () => ask(stuck, agent));
  const outcomes: string[] = [];
  const clients = Array.from({ length: CLIENTS }, async () => {
    // The mock is gone once there is no answer any more.
    for (let last = 'whole'; last === 'whole'; outcomes.push(last)) last = await ask(mock, agent);
  });
  expect(await stuck.requests({ waitFor: 2 * STUCK })).toHaveLength(2 * STUCK);
  await expect.poll(() => outcomes.length).toBeGreaterThan(5 * CLIENTS);
  const began = performance.now();
  spawned.child.kill('SIGTERM');
  expect(await spawned.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  const ratio = ((performance.now() - began) / DEADLINE).toFixed(2);
  await Promise.all(clients);
  expect(outcomes).not.toContain('cut');
  const ends = (await Promise.all(held)).sort();
  expect(ends).toEqual([...Array(STUCK).fill('cut'), ...Array(STUCK).fill('none')]);
  show(
    `SIGTERM with ${CLIENTS} clients asking, ${STUCK} hangs and ${STUCK} dribbles: down after ` +
      `${ratio} of the deadline; ${outcomes.length - CLIENTS} answers whole, 0 cut`,
  );
  agent.destroy();
});
