import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect as plainConnect } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { killChild, runChild, startChild } from './children.mjs';
import { onAnswers, requestFor } from './load/answers.mjs';
import { connector } from './load/connector.mjs';
import { cpuOf, memoryOf } from './processes.mjs';

const CLIENT = fileURLToPath(new URL('load/client.mjs', import.meta.url));
/** How long a server may take to its first answer, in ms. */
const DEADLINE = 30_000;
/** How much longer a load may take than it is meant to, in s. */
const SPARE = 60;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** A port that nobody has. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** A connection; `undefined` where it is not accepted. */
function accepted({ address, port }) {
  return new Promise((done) => {
    const socket = plainConnect({ host: address, port });
    socket.once('connect', () => done(socket)).on('error', () => done(undefined));
  });
}

/** Asks once, over a connection that was accepted; rejects where the answer is not a 200. */
function askOnce(where, through) {
  return new Promise((done, fail) => {
    const socket = connector(where, through)(() => socket.write(requestFor(where.targets[0])));
    socket
      .setTimeout(DEADLINE, () => socket.destroy())
      .on('error', fail)
      .once('close', () => fail(new Error('it closed the connection without an answer')));
    const take = (body) => {
      done(body);
      socket.destroy();
    };
    onAnswers(socket, take, (error) => {
      fail(error);
      socket.destroy();
    });
  });
}

/** Waits until a server gives its first right answer. */
async function firstAnswer(where, child) {
  const deadline = performance.now() + DEADLINE;
  let problem = new Error('it accepted no connection');
  for (; performance.now() < deadline; await sleep(1)) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const socket = await accepted(where);
    if (socket === undefined) continue;
    try {
      return await askOnce(where, socket);
    } catch (error) {
      problem = error;
      socket.destroy();
    }
  }
  throw problem;
}

/**
 * Starts a side and waits for its first answer. Its output goes to a file.
 *
 * @returns how long it took until then, by the clock and in CPU time, in ms; what puts load on it;
 *   when it began, `signal`, which sends it one, and `stop`, which kills it or ends it by another
 */
export async function startServer(side, options = {}) {
  const port = await freePort();
  const given = await side.command({ port, ...options });
  const where = {
    address: side.address ?? '127.0.0.1',
    port,
    ca: given.ca,
    targets: given.targets,
  };
  mkdirSync(given.cwd, { recursive: true });
  const logFile = join(given.cwd, 'log');
  const log = openSync(logFile, 'w');
  const began = performance.now();
  const child = startChild(given.command, given.args, { ...given, stdio: ['ignore', log, log] });
  closeSync(log);
  try {
    await firstAnswer(where, child);
  } catch (error) {
    await killChild(child);
    const said = readFileSync(logFile, 'utf8').trim().split('\n').slice(-3).join(' ');
    throw new Error(`${error.message}: ${said.slice(0, 300)}`);
  }
  const first = { value: performance.now() - began, cpu: cpuOf(child.pid) };
  const load = async (way, job) => {
    const file = join(given.cwd, 'load.json');
    writeFileSync(file, JSON.stringify({ connections: 32, ...job, ...where, way, pid: child.pid }));
    const options = { cwd: given.cwd, seconds: job.seconds + (job.warmUp?.seconds ?? 1) + SPARE };
    return JSON.parse(await runChild(process.execPath, [CLIENT, file], options));
  };
  return {
    first,
    load,
    memory: () => memoryOf(child.pid),
    signal: (signal) => child.kill(signal),
    began,
    stop: async (signal) => {
      await killChild(child, signal);
      rmSync(given.cwd, { recursive: true, force: true });
    },
  };
}
