import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, readSync, truncateSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, control, send } from '../support/client.ts';
import { CLI, FREE_PORTS, type Ready, signalUntilEnded, usedFolder } from '../support/command.ts';

/** A path that makes a log line of 7 KB. */
const LONG_PATH = `/${`${'a'.repeat(24)}/`.repeat(280)}`;

/** More than any output holds, and what waits for it. */
const REQUESTS = 120;

/** A mock that is ready, and whose standard output nobody reads from then on. */
interface Subject {
  readonly child: ChildProcess;
  readonly ready: Ready;
  readonly ca: string;
  /** Takes out of the output what is in it. */
  readonly drain: () => string;
}

/** Starts the command by a shell's words, and reads until it is ready. */
async function start(words: string, cwd: string, drain: () => string): Promise<Subject> {
  const child = spawn('sh', ['-c', words], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  const read = () => {
    shown += drain();
    return shown;
  };
  await expect.poll(read).toContain('\n');
  return subject(child, shown, drain);
}

function subject(child: ChildProcess, record: string, drain: () => string): Subject {
  const ready: Ready = JSON.parse(record);
  return { child, ready, ca: readFileSync(ready.certificate ?? '', 'utf8'), drain };
}

const commandWith = (flags: readonly string[]) =>
  `exec '${process.execPath}' '${CLI}' ${[...FREE_PORTS, ...flags].join(' ')}`;

async function intoPipe(flags: readonly string[]): Promise<Subject> {
  const cwd = usedFolder();
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
  const cwd = usedFolder();
  const file = join(cwd, 'log');
  execFileSync('touch', [file]);
  let taken = 0;
  return await start(`ulimit -f 32; ${commandWith(flags)} >> log`, cwd, () => {
    const text = readFileSync(file, 'utf8');
    const fresh = text.slice(taken);
    // Only a full file is emptied: nothing can come between reading and emptying it.
    const isFull = text.length === 16 * 1024;
    if (isFull) truncateSync(file);
    taken = isFull ? 0 : text.length;
    return fresh;
  });
}

/** What Node gives to the processes that it starts. */
async function intoSocket(flags: readonly string[]): Promise<Subject> {
  const args = [CLI, ...FREE_PORTS, ...flags];
  const cwd = usedFolder();
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdout } = child;
  const [first] = await once(stdout.setEncoding('utf8'), 'data');
  stdout.pause();
  let read: string[] | undefined;
  return subject(child, first, () => {
    if (read === undefined) stdout.on('data', (text) => read?.push(text)).resume();
    const text = read?.join('') ?? '';
    read = [];
    return text;
  });
}

/** Makes the mock log more than its output holds. */
async function fillLog({ ready: { url }, ca }: Subject): Promise<void> {
  // Few connections, since handshakes take longer than requests.
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const asked = Array.from({ length: REQUESTS }, () => send({ url, ca }, LONG_PATH, { agent }));
  for (const { status } of await Promise.all(asked)) expect(status).toBe(401);
  agent.destroy();
}

/** The records in what is read from now on. */
function recordsIn({ drain }: Subject): () => object[] {
  let rest = '';
  const records: object[] = [];
  return () => {
    const lines = (rest + drain()).split('\n');
    rest = lines.pop() ?? '';
    records.push(...lines.map((line) => JSON.parse(line)));
    return records;
  };
}

/** What the log says where lines are missing. */
const MISSING = expect.objectContaining({
  level: 40,
  msg: 'Failed to write some log lines: nobody read the output, or its disk was full.',
});

describe.each([
  ['a pipe that nobody reads', intoPipe],
  ['a socket that nobody reads', intoSocket],
  ['a file on a full disk', ontoFullDisk],
])('a mock whose standard output is %s', (_output, startMock) => {
  it('serves requests, drops lines, and says so when the output accepts lines again', async () => {
    const filled = await startMock([]);
    await fillLog(filled);
    const records = recordsIn(filled);
    await expect.poll(records).toContainEqual(MISSING);
    const { ready, ca } = filled;
    await send({ url: ready.url, ca }, '/after');
    await expect.poll(records).toContainEqual(expect.objectContaining({ path: '/after' }));
  });

  it('stops on a signal within the shutdown timeout', async () => {
    const filled = await startMock(['--shutdown-timeout', '300']);
    await fillLog(filled);
    filled.child.kill('SIGTERM');
    // A write that a thread has just begun can block the exit: then the signal ends the process.
    const ends = [[0, null], ...(startMock === intoSocket ? [[null, 'SIGTERM']] : [])];
    expect(ends).toContainEqual(await once(filled.child, 'exit'));
  });
});

it.each([
  ['pipe', intoPipe],
  ['socket', intoSocket],
])(
  'lines that wait for a %s are written during a stop, once somebody reads it',
  async (_what, startMock) => {
    const filled = await startMock(['--shutdown-timeout', '3600000']);
    await fillLog(filled);
    const exited = once(filled.child, 'exit');
    filled.child.kill('SIGTERM');
    await expect.poll(recordsIn(filled)).toContainEqual(MISSING);
    expect(await exited).toEqual([0, null]);
  },
);

it('the log is appended to the content of a file, and others can append after it', async () => {
  const cwd = usedFolder();
  const mock = `'${process.execPath}' '${CLI}' ${FREE_PORTS.join(' ')}`;
  const words = `{ echo before; ${mock} & echo $! > pid; wait; echo after; } > log`;
  const child = spawn('sh', ['-c', words], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const log = () => readFileSync(join(cwd, 'log'), 'utf8');
  await expect.poll(log).toContain('"ready"');
  const exited = once(child, 'exit');
  process.kill(Number(readFileSync(join(cwd, 'pid'), 'utf8')), 'SIGTERM');
  await exited;
  expect(log()).toMatch(/^before\n\{.*"ready".*\}\n\{.*"stopping"\}\n\{.*"stopped"\}\nafter\n$/);
});

it('a second signal immediately ends a mock whose output is a socket that nobody reads', async () => {
  const filled = await intoSocket(['--shutdown-timeout', '3600000']);
  await fillLog(filled);
  // The socket can take what is left meanwhile. With a request running, the stop still waits.
  const { url } = filled.ready;
  await control(filled.ready, 'PUT /responses', { body: { delay: 3_600_000 } });
  ask({ url, ca: filled.ca, apiKey: 'momo_test_key' }).catch(() => {});
  await control(filled.ready, 'GET /requests?path=/momo/balance&waitFor=1');
  const exited = once(filled.child, 'exit');
  signalUntilEnded(filled.child, 'SIGTERM');
  expect(await exited).toEqual([null, 'SIGTERM']);
});
