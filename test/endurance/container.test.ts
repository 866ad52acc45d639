import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { control, send } from '../support/client.ts';
import { FREE_PORTS, spawnCommand } from '../support/command.ts';
import { show, times } from './scale.ts';

const CONTAINER_MB = Number(
  /limits:\s+memory: (\d+)Mi/.exec(readFileSync('examples/ci/kubernetes.yaml', 'utf8'))?.[1],
);
const HEAP_PERCENT = Number(
  /--max-old-space-size-percentage=(\d+)/.exec(readFileSync('Dockerfile', 'utf8'))?.[1],
);
const PAYMENTS = times(100_000, 12_000);
/** Its state has room for no more. */
const MAX_PAYMENTS = 10_000;
const USER = '11111111-1111-4111-8111-111111111111:0123456789abcdef0123456789abcdef';

it('a mock in the container of the Kubernetes manifest keeps all payments that its state has room for', {
  timeout: 1_200_000,
}, async () => {
  const heap = (CONTAINER_MB * HEAP_PERCENT) / 100;
  const { ready, cwd, output } = await spawnCommand(
    [...FREE_PORTS, '--preset', 'mtn-momo', '--snapshot-file', 'snapshot.json'],
    { env: { NODE_OPTIONS: `--max-old-space-size=${heap}`, MOMO_MOCK_LOG_LEVEL: 'warn' } },
  );
  const { url, controlUrl, certificate } = await ready;
  const json = { 'content-type': 'application/json' };
  // No payment ends, so that the timers of all of them are pending at the same time.
  await control({ controlUrl }, 'POST /clock', { headers: json, body: { freeze: true } });
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const ca = readFileSync(resolve(cwd, certificate ?? ''), 'utf8');
  const post = (path: string, headers: Record<string, string>, body?: unknown) =>
    send({ url, ca }, path, {
      method: 'POST',
      agent,
      headers: { 'ocp-apim-subscription-key': 'momo_test_key', ...headers },
      body,
    });
  const basic = `Basic ${Buffer.from(USER).toString('base64')}`;
  const token = await post('/collection/token/', { authorization: basic });
  const { access_token: bearer } = token.json as { access_token: string };
  const statuses: Record<string, number> = {};
  let sent = 0;
  const pay = async () => {
    while (sent++ < PAYMENTS) {
      const headers = {
        ...json,
        authorization: `Bearer ${bearer}`,
        'x-reference-id': randomUUID(),
        'x-target-environment': 'sandbox',
      };
      const { status } = await post('/collection/v1_0/requesttopay', headers, {
        amount: '100',
        currency: 'EUR',
        externalId: `order-${sent}`,
        payer: { partyIdType: 'MSISDN', partyId: '46733123999' },
        payerMessage: 'An order',
        payeeNote: 'An order',
      });
      statuses[`${status}`] = (statuses[`${status}`] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 32 }, pay)).catch((error) => {
    throw new Error(`${error}: ${output()}`);
  });
  agent.destroy();
  expect(statuses).toEqual({ 202: MAX_PAYMENTS, 503: PAYMENTS - MAX_PAYMENTS });
  const { text } = await control({ controlUrl }, 'GET /metrics');
  const resident = Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 1024 ** 2;
  show(`${PAYMENTS} payments with a heap of ${heap} MB: ${resident.toFixed(0)} MB resident`);
  expect(resident).toBeLessThan(CONTAINER_MB);
});
