import { once } from 'node:events';
import { Agent } from 'node:https';
import { expect, it, onTestFinished } from 'vitest';
import { isLong, SEED, times } from '../endurance/scale.ts';
import { ask, control } from '../support/client.ts';
import { FREE_PORTS, spawnCommand } from '../support/command.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { describeUnless, missing } from '../support/machine.ts';
import { type Random, random } from '../support/random.ts';
import { startRedis } from '../support/redis-server.ts';
import { type StoreProxy, storeProxy } from '../support/store-proxy.ts';
import { startReplica } from '../support/store-replica.ts';
import { NOTIFY } from '../support/webhook.ts';

const FILES = {
  ...NOTIFY,
  'momo/later.post.js': `export default ({ body }, { after, state }) => {
    after(body.ms, () => state.update('ran', (ran = 0) => ran + 1));
  };`,
};
const KEY = 'configured';
const KEYS = [KEY, 'carol', 'dave', 'erin'] as const;
const LONG = 'x'.repeat(30_000);
/** How many calls run at the same time at most. */
const MAX_RUNNING = 20;

/** A mock of a process of its own, behind a proxy that a test can break. */
interface Process {
  readonly url: string;
  readonly controlUrl: string;
  readonly ca: string;
  readonly agent: Agent;
  readonly proxy: StoreProxy;
  signal(name: NodeJS.Signals): void;
  /** Resolves with how it ended, and all that it wrote. */
  readonly ended: Promise<{ readonly code: number | null; readonly text: string }>;
  /** Whether its calls may take longer than those of others. */
  isSlow: boolean;
}

async function start(storeUrl: string, folder: string): Promise<Process> {
  const proxy = await storeProxy(storeUrl, onTestFinished);
  const env = { MOMO_MOCK_STORE_URL: proxy.url, MOMO_MOCK_API_KEYS: KEY };
  const { child, ready, output } = await spawnCommand(
    [...FREE_PORTS, '--fixtures-dir', folder, '--shutdown-timeout', '100'],
    { env },
  );
  const { url, controlUrl } = await ready;
  const { text: ca } = await control({ controlUrl }, 'GET /certificate');
  const agent = new Agent({ ca, keepAlive: true });
  onTestFinished(() => agent.destroy());
  const ended = once(child, 'close').then(([code]) => ({ code, text: output() }));
  const signal = (name: NodeJS.Signals) => void child.kill(name);
  return { url, controlUrl: `${controlUrl}`, ca, agent, proxy, signal, ended, isSlow: false };
}

/** A random call of a process. Resolves when it has ended, however. */
async function call(to: Process, { below, of, weighted }: Random): Promise<void> {
  const key = of(...KEYS, 'wrong');
  const headers = { apikey: of(...KEYS, undefined) } as Record<string, string>;
  const request = (path: string, options: object = {}) =>
    ask({ ...to, apikey: key }, path, { agent: to.agent, ...options });
  const post = (path: string, body: unknown) => request(path, { method: 'POST', body });
  const tell = (line: string, body?: unknown) =>
    control(to, line, { headers: headers.apikey === undefined ? {} : headers, body });
  const script = () => ({ status: of(503, 504), times: of(1, 2, 3), body: { n: below(9) } });
  const run = weighted<() => Promise<unknown>>([
    [12, () => request('/momo/balance')],
    [4, () => post('/momo/balance', LONG)],
    [3, () => post('/momo/later', { ms: below(2000) })],
    [2, () => post('/momo/notify', { url: 'http://127.0.0.1:1/' })],
    [3, () => tell('POST /responses', [script(), script()].slice(below(2)))],
    [1, () => tell('PUT /responses', [script()])],
    [1, () => tell('DELETE /responses/0')],
    [2, () => (below(2) ? tell('PUT /variant', { variant: 'empty' }) : tell('DELETE /variant'))],
    [1, () => tell('PUT /rate-limit', { limit: 3, window: 60_000 })],
    [1, () => tell('DELETE /rate-limit')],
    [2, () => (below(2) ? tell('PUT /balance', { n: below(9) }) : tell('DELETE /balance'))],
    [1, () => tell('PUT /callbacks/script', [{ lose: true }, {}])],
    [5, () => tell('PATCH /state', { set: { [of('a', 'b')]: below(9) }, delete: ['c'] })],
    [2, () => control(to, 'POST /accounts', { body: { apikey: key, state: { c: 1 } } })],
    [1, () => tell('DELETE /accounts')],
    [2, () => tell('POST /clock', { freeze: of(true, false) })],
    [3, () => tell('POST /clock', { advance: below(1000) })],
    [1, () => tell('POST /reset')],
    [1, () => tell(of('DELETE /requests', 'DELETE /callbacks'))],
    [2, () => tell('GET /requests?limit=1')],
  ]);
  // Its process may be killed.
  await run().catch(() => {});
}

/** What is known of the whole service and of each account, without what is of one process. */
async function seenBy(mock: { readonly controlUrl: string | null }): Promise<unknown> {
  const accounts = (await control(mock, 'GET /accounts')).json as { accounts: { id: string }[] };
  const scopes = [undefined, ...accounts.accounts.map(({ id }) => id)];
  const seen = scopes.map(async (account) => {
    const headers = account === undefined ? {} : { account };
    const get = async (path: string) => {
      const { status, text, headers: own } = await control(mock, `GET ${path}`, { headers });
      return [path, status, text, own.etag];
    };
    const { json } = await control(mock, 'GET /clock', { headers });
    const { now, frozen } = json as { now: number; frozen: boolean };
    const paths = [
      '/balance',
      '/variant',
      '/rate-limit',
      '/responses',
      '/callbacks/script',
      '/state',
    ];
    return [account, now, frozen, ...(await Promise.all(paths.map(get)))];
  });
  const journals = ['/requests', '/callbacks'].map(
    async (path) => (await control(mock, `GET ${path}?limit=10000`)).json,
  );
  return [accounts, await Promise.all(seen), await Promise.all(journals)];
}

describeUnless(missing('redis-server'), 'three processes with one store', () => {
  it.each(Array.from({ length: times(40, 1) }, (_, n) => SEED + n))(
    'agree with each other, and with one memory, after pauses, cuts and restarts: seed %i',
    async (seed) => {
      const choices = random(seed);
      const { below, of, weighted } = choices;
      const server = await startRedis(onTestFinished);
      const folder = temporaryFolder();
      writeFiles(folder, FILES);
      const begin = () => start(server.url, folder);
      const processes = await Promise.all([begin(), begin(), begin()]);
      const former: Process[] = [];
      const running = new Set<Promise<void>>();

      const mend = (one: Process) => {
        one.proxy.mend();
        one.signal('SIGCONT');
        one.isSlow = false;
      };
      const restart = async (at: number, one: Process) => {
        mend(one);
        one.signal(of('SIGTERM', 'SIGKILL'));
        former.push(one);
        processes[at] = await begin();
      };
      const slow = (one: Process, how: () => void) => {
        how();
        one.isSlow = true;
      };
      const finish = async () => {
        for (const one of processes) mend(one);
        await Promise.all(running);
      };

      for (let n = 0; n < times(400, 200); n++) {
        const at = below(processes.length);
        const one = processes[at] as Process;
        await weighted<() => unknown>([
          [
            450,
            async () => {
              const called = call(one, choices).finally(() => running.delete(called));
              running.add(called);
              if (!one.isSlow && below(3) > 0) await called;
              if (running.size >= MAX_RUNNING) await finish();
            },
          ],
          [5, () => slow(one, () => one.signal('SIGSTOP'))],
          [5, () => slow(one, () => one.proxy.cut())],
          [5, () => slow(one, () => one.proxy.stall(of('commands', 'events', undefined)))],
          [30, () => mend(one)],
          [3, () => restart(at, one)],
          [1, () => server.send('DEL', 'momo-mock:events')],
        ])();
      }
      await finish();
      await Promise.all(former.map(({ ended }) => ended));

      const single = await startReplica(server, folder, KEY);
      // From then on the clocks of all stand.
      const frozen = { freeze: true };
      await expect
        .poll(() => control(processes[0] as Process, 'POST /clock', { body: frozen }))
        .toMatchObject({ status: 200 });
      // An entry of another process arrives a little later.
      await expect
        .poll(async () => {
          await single.apply();
          const all = await Promise.all([...processes, single.mock].map(seenBy));
          return all.map((seen) => JSON.stringify(seen) === JSON.stringify(all[0]));
        })
        .toEqual([true, true, true, true]);
      for (const { signal } of processes) signal('SIGTERM');
      for (const { ended } of [...processes, ...former]) {
        const { code, text } = await ended;
        expect([0, null]).toContain(code);
        expect(
          text.split('\n').filter((line) => /a bug in|"level":"?(fatal|60)/.test(line)),
        ).toEqual([]);
      }
    },
    isLong ? 600_000 : 300_000,
  );
});
