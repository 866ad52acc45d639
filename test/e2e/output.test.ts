import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, readSync, truncateSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FREE_PORTS, type Ready, signalUntilEnded, usedFolder } from '../support/command.ts';
import { type Asked, ask } from '../support/running-mock.ts';

const CLI = join(process.cwd(), 'dist/cli.cjs');

/** A path that makes a log line of 7 KB. */
const LONG_PATH = `/${`${'a'.repeat(24)}/`.repeat(280)}`;

/** More than any output holds, and what waits for it. */
const REQUESTS = 120;

/** A mock that is ready, and whose standard output nobody reads from then on. */
interface Subject {
  readonly child: ChildProcess;
  readonly ready: Ready;
  /** Takes out of the output what is in it. */
  readonly drain: () => string;
}

/** Starts the command by a shell's words, and reads until it is ready. */
async function start(words: string, cwd: string, drain: () => string): Promise<Subject> {
  const child = spawn('sh', ['-c', words], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  await expect
    .poll(() => {
      shown += drain();
      return shown;
    })
    .toContain('\n');
  return { child, ready: JSON.parse(shown), drain };
}

const commandWith = (flags: readonly string[]) =>
  `exec '${process.execPath}' '${CLI}' ${[...FREE_PORTS, ...flags].join(' ')}`;

async function intoPipe(flags: readonly string[]): Promise<Subject> {
  const cwd = await usedFolder();
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  const reader = openSync(join(cwd, 'pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(reader));
  return await start(`${commandWith(flags)} > pipe`, cwd, () => {
    const bytes = Buffer.alloc(1_000_000);
    try {
      return bytes.toString('utf8', 0, readSync(reader, bytes));
    } catch {
      // Nothing is in it.
      return '';
    }
  });
}

/** A file of at most 16 KiB: writing more fails, as on a full disk, until there is room again. */
async function ontoFullDisk(flags: readonly string[]): Promise<Subject> {
  const cwd = await usedFolder();
  const file = join(cwd, 'log');
  execFileSync('touch', [file]);
  return await start(`ulimit -f 32; ${commandWith(flags)} >> log`, cwd, () => {
    const text = readFileSync(file, 'utf8');
    if (text.endsWith('\n') || text.length === 16 * 1024) truncateSync(file);
    else return '';
    return text;
  });
}

/** What Node gives to the processes that it starts. */
async function intoSocket(flags: readonly string[]): Promise<Subject> {
  const args = [CLI, ...FREE_PORTS, ...flags];
  const cwd = await usedFolder();
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdout } = child;
  const [first] = await once(stdout.setEncoding('utf8'), 'data');
  stdout.pause();
  return { child, ready: JSON.parse(first), drain: () => stdout.read() ?? '' };
}

function request({ ready: { url, certificate } }: Subject, path: string, options: Asked = {}) {
  const mock = { url, certificate: { cert: readFileSync(certificate ?? '', 'utf8') } } as never;
  return ask(mock, path, options);
}

/** Begins a request that no stop waits to the end for. */
async function beginEndlessRequest(subject: Subject): Promise<void> {
  const { controlUrl } = subject.ready;
  const script = { method: 'PUT', headers: { 'content-type': 'application/json' } };
  await fetch(`${controlUrl}/responses`, { ...script, body: '{"delay":3600000}' });
  request(subject, '/momo/balance?apikey=momo_test_key').catch(() => {});
  await fetch(`${controlUrl}/requests?path=/momo/balance&waitFor=1`);
}

/** Makes the mock log more than its output holds. */
async function fillLog(subject: Subject): Promise<void> {
  // Few connections, since handshakes take longer than requests.
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const replies = Array.from({ length: REQUESTS }, () => request(subject, LONG_PATH, { agent }));
  for (const { status } of await Promise.all(replies)) expect(status).toBe(401);
  agent.destroy();
}

/** The records of the whole lines of a log. */
function recordsIn(log: string): { level: number; dropped?: number }[] {
  return log
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

const sumOf = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0);

async function dropped({ ready }: Subject): Promise<number> {
  const reply = await fetch(`${ready.controlUrl}/health`);
  return ((await reply.json()) as { logDropped: number }).logDropped;
}

describe.each([
  ['a pipe that nobody reads', intoPipe],
  ['a socket that nobody reads', intoSocket],
  ['a file on a full disk', ontoFullDisk],
])('a mock whose standard output is %s', (_output, startMock) => {
  test('serves, counts what it drops, and says it when the output takes lines again', async () => {
    const subject = await startMock([]);
    await fillLog(subject);
    const count = await dropped(subject);
    expect(count).toBeGreaterThan(0);
    let shown = '';
    // A line can come after the client has its answer, so also after those that were dropped.
    await expect
      .poll(() => {
        shown += subject.drain();
        return sumOf(recordsIn(shown).map(({ dropped = 1 }) => dropped));
      })
      .toBe(REQUESTS);
    const said = recordsIn(shown).filter((record) => 'dropped' in record);
    expect(new Set(said.map(({ level }) => level))).toEqual(new Set([40]));
    expect(sumOf(said.map(({ dropped = 0 }) => dropped))).toBeGreaterThanOrEqual(count);
  });

  test('ends by a signal within the shutdown timeout', async () => {
    const subject = await startMock(['--shutdown-timeout', '300']);
    await fillLog(subject);
    subject.child.kill('SIGTERM');
    expect(await once(subject.child, 'exit')).toEqual([0, null]);
  });
});

test('a second signal ends a mock immediately whose output is a socket that nobody reads', async () => {
  const subject = await intoSocket(['--shutdown-timeout', '3600000']);
  await fillLog(subject);
  // The socket can take what is left meanwhile. With a request running, the stop still waits.
  await beginEndlessRequest(subject);
  const exited = once(subject.child, 'exit');
  signalUntilEnded(subject.child, 'SIGTERM');
  expect(await exited).toEqual([null, 'SIGTERM']);
});
