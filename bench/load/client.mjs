// Puts load on a server, in a process of its own, and writes as JSON what it saw.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { cpuOf } from '../processes.mjs';
import { quantile } from '../statistics.mjs';
import { lineOpener } from './lines.mjs';
import { asFastAsItGoes, atRate, newConnections } from './ways.mjs';

const job = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { open, openAll } = lineOpener(job);

const WAYS = {
  'kept-alive': async () => {
    const lines = await openAll(job.connections);
    await asFastAsItGoes(lines, job.warmUp);
    return await timed(() => asFastAsItGoes(lines, job));
  },
  rate: async () => {
    const lines = await openAll(job.connections);
    await atRate(lines, { ...job, seconds: 1 });
    const took = await atRate(lines, job);
    return { p50: quantile(took, 0.5), p99: quantile(took, 0.99) };
  },
  connections: async () => {
    await newConnections(open, { ...job, ...job.warmUp });
    return await timed(() => newConnections(open, job));
  },
};

/** How many answers come a second, and the server's CPU time for each, in ms. */
async function timed(run) {
  const server = cpuOf(job.pid);
  const own = cpuOf(process.pid);
  const began = performance.now();
  const answered = await run();
  const took = performance.now() - began;
  const serverTook = cpuOf(job.pid) - server;
  return {
    perSecond: (answered * 1000) / took,
    cpu: serverTook / answered,
    answered,
    serverBusy: serverTook / took,
    clientBusy: (cpuOf(process.pid) - own) / took,
  };
}

process.stdout.write(JSON.stringify(await WAYS[job.way]()), () => process.exit());
