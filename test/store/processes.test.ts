import { Agent } from 'node:https';
import { expect, it, onTestFinished } from 'vitest';
import { times } from '../endurance/scale.ts';
import { ask, control } from '../support/client.ts';
import { FREE_PORTS, type Spawned, spawnCommand } from '../support/command.ts';
import { describeUnless, missing } from '../support/machine.ts';
import { connectMomoMock, type MomoMock } from '../support/momo-mock.ts';
import { startRedis } from '../support/redis-server.ts';

/** A process with a mock, and a client of it. */
interface Process {
  readonly spawned: Spawned;
  readonly mock: MomoMock;
  readonly agent: Agent;
}

describeUnless(missing('redis-server'), 'three processes with one store', () => {
  async function start(MOMO_MOCK_STORE_URL: string): Promise<Process> {
    const spawned = await spawnCommand(FREE_PORTS, { env: { MOMO_MOCK_STORE_URL } });
    const { controlUrl } = await spawned.ready;
    const mock = await connectMomoMock(`${controlUrl}`, { apikey: 'momo_test_key' });
    const agent = new Agent({ ca: mock.ca, keepAlive: true, maxSockets: 8 });
    onTestFinished(async () => {
      agent.destroy();
      await mock.close();
    });
    return { spawned, mock, agent };
  }

  async function startThree(): Promise<[Process, Process, Process]> {
    const { url } = await startRedis(onTestFinished);
    return (await Promise.all([start(url), start(url), start(url)])) as [Process, Process, Process];
  }

  /** The statuses of requests to processes at once; 0 for one that broke. */
  async function load(processes: readonly Process[], count: number): Promise<number[]> {
    const statuses: number[] = [];
    const workers = processes.flatMap((one) => Array.from({ length: 8 }, () => one));
    await Promise.all(
      workers.map(async ({ mock, agent }) => {
        for (let n = 0; n < count / workers.length; n++) {
          const sent = { agent } as object;
          const { status } = await ask(mock, '/momo/balance', sent).catch(() => ({ status: 0 }));
          statuses.push(status ?? 0);
        }
      }),
    );
    return statuses;
  }

  const counted = (statuses: readonly number[], wanted: number) =>
    statuses.filter((status) => status === wanted).length;

  it('give a response exactly as often as it says, and have one journal of all', async () => {
    const processes = await startThree();
    const [one] = processes;
    const [scripted, all] = [times(1000, 200), times(6000, 1200)];
    await one.mock.respondWith({ status: 503, times: scripted });
    const statuses = await load(processes, all);
    expect([counted(statuses, 503), counted(statuses, 200)]).toEqual([scripted, all - scripted]);
    // An entry of another process arrives a little later.
    for (const { mock } of processes) {
      await mock.requests({ waitFor: all, ended: true, limit: 1, timeout: 600_000 });
    }
    for (const { mock } of processes) {
      const query = 'GET /requests?status=503&limit=2000&ended=true';
      const { json } = await control(mock, query);
      const { total, requests } = json as { total: number; requests: { id: number }[] };
      expect([total, new Set(requests.map(({ id }) => id)).size]).toEqual([scripted, scripted]);
      expect((await control(mock, 'GET /requests?limit=1')).json).toMatchObject({
        total: all,
        requests: [{ id: all }],
      });
    }
  });

  it('go on when one is killed, and give no response twice that it has taken', async () => {
    const [one, two, three] = await startThree();
    const account = await one.mock.createAccount({ balance: { of: 'account' } });
    await one.mock.respondWith({ status: 503, times: 1000 });
    const running = load([one, two, three], times(900, 480));
    await one.mock.requests({ waitFor: 100 });
    three.spawned.child.kill('SIGKILL');
    const statuses = await running;
    const { json } = await control(two.mock, 'GET /responses');
    const [{ times: left = 0 } = {}] = (json as { responses: { times?: number }[] }).responses;
    const given = counted(statuses, 503);
    expect(counted(statuses, 0)).toBeGreaterThan(0);
    // What was under way in the killed process is lost: at most one for each of its connections.
    const lost = 1000 - left - given;
    expect(lost).toBeGreaterThanOrEqual(0);
    expect(lost).toBeLessThanOrEqual(8);
    await two.mock.setVariant('empty');
    expect((await ask({ ...one.mock, apikey: account.apikey })).status).toBe(503);
  });
});
