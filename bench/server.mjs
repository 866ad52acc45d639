// A server in a process of its own: how long it takes to its first answer, load on it, its memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';

const PATH = '/momo/balance?apikey=momo_test_key';
/** How long a server may take to its first answer, in ms. */
const DEADLINE = 30_000;
/** The first answer has shown that the certificate is good. Verifying it would slow the load. */
const UNVERIFIED = { secureContext: createSecureContext(), rejectUnauthorized: false };

const exit = new AbortController();
process.once('exit', () => exit.abort());

/** Below those that the system gives out, so that nobody else takes one before its server does. */
let port = 20_000 + (process.pid % 10_000);
export const nextPort = () => port++;

/** Sends a request on a new connection; rejects unless the answer is a 200. */
function ask(url, options) {
  const { get } = url.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, servername: 'localhost', ...options }, (response) => {
      if (response.statusCode === 200) response.resume().once('end', resolve);
      else request.destroy(new Error(`it answered ${response.statusCode}`));
    });
    request.setTimeout(DEADLINE, () => request.destroy(new Error('it did not answer')));
    request.on('error', reject);
  });
}

async function firstAnswer(url, ca, child) {
  for (const end = performance.now() + DEADLINE; ; await sleep(1)) {
    try {
      return await ask(url, ca && { ca: readFileSync(ca) });
    } catch (error) {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
      if (performance.now() > end) throw error;
    }
  }
}

/**
 * CPU time of a process, in ms: that of its threads that live, which Linux gives exactly, or that
 * of all, in steps of 10 ms.
 */
function cpuOf(pid) {
  const read = (path) => {
    try {
      return readFileSync(`/proc/${pid}/${path}`, 'utf8').split(' ');
    } catch {
      return [0];
    }
  };
  const threads = readdirSync(`/proc/${pid}/task`).map((id) => read(`task/${id}/schedstat`)[0]);
  const [user, system] = read('stat').slice(-39, -37).map(Number);
  const exact = threads.reduce((sum, one) => sum + one / 1e6, 0);
  return Math.max(exact, (user + system) * 10);
}

/**
 * Starts a side, with its output in a file, and waits for its first answer.
 *
 * @param side.command gives `cwd`, `args`, `ca` unless it is plain HTTP, and the `command` unless it
 *   is Node
 */
export async function startServer(side) {
  const port = nextPort();
  const { cwd, args, ca, command = process.execPath } = await side.command(port);
  const url = `${ca ? 'https' : 'http'}://127.0.0.1:${port}${PATH}`;
  const log = openSync(join(cwd, 'log'), 'w');
  const began = performance.now();
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
    stdio: ['ignore', log, log],
    signal: exit.signal,
    killSignal: 'SIGKILL',
  });
  closeSync(log);
  const ended = once(child, 'exit');

  /** Ends it. On SIGTERM, momo-mock keeps the code that V8 compiled. */
  const stop = async (signal = 'SIGKILL') => {
    child.kill(signal);
    await ended;
    rmSync(cwd, { recursive: true, force: true });
  };

  /** What one of a number of requests took of the server's CPU, and how busy this process was. */
  const measured = async (send) => {
    const [cpu, generator, start] = [cpuOf(child.pid), process.cpuUsage(), performance.now()];
    const answered = await send();
    const took = performance.now() - start;
    const { user, system } = process.cpuUsage(generator);
    return {
      cpu: (cpuOf(child.pid) - cpu) / answered,
      rate: (answered * 1000) / took,
      generator: (user + system) / took / 10,
    };
  };

  /** Sends requests on 32 kept-alive connections, for a `duration` in s or an `amount` of them. */
  const load = (autocannon, bounds) =>
    measured(async () => {
      const result = await autocannon({ url, connections: 32, sampleInt: 100, ...bounds });
      const { errors, non2xx, '2xx': answered } = result;
      if (errors + non2xx > 0 || answered === 0)
        throw new Error(`${errors} requests failed, ${non2xx} had a wrong status`);
      return answered;
    });

  /** Opens a connection for each request, 8 at a time: autocannon does not count such answers. */
  const connections = ({ duration }) =>
    measured(async () => {
      const end = performance.now() + duration * 1000;
      let answered = 0;
      const askAgain = async () => {
        for (; performance.now() < end; answered++) await ask(url, UNVERIFIED);
      };
      await Promise.all(Array.from({ length: 8 }, askAgain));
      return answered;
    });

  /** Resident memory in MB, when the server has been idle for a second. */
  const memory = async () => {
    await sleep(1000);
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
    return kilobytes / 1024;
  };

  try {
    await firstAnswer(url, ca, child);
  } catch (error) {
    const lines = readFileSync(join(cwd, 'log'), 'utf8').trim().split('\n');
    const line = lines.find((text) => /error:/i.test(text)) ?? lines.at(-1);
    await stop();
    throw new Error(`${error.message}: ${line.trim()}`);
  }
  const first = { ms: performance.now() - began, cpu: cpuOf(child.pid) };
  return { first, load, connections, memory, stop };
}
