import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Destination,
  LEAST_PATIENCE,
  LogOutput,
  MOST_WAITING,
  openLogOutput,
  patienceUntil,
} from '../src/log-output.ts';
import { createLogger } from '../src/logger.ts';
import { monotonicTime } from '../src/timers.ts';
import { temporaryFolder } from './tls/temporary-folder.ts';

/** A line of 1 KiB. */
const LINE = `${'x'.repeat(1023)}\n`;

const open = (path: string, flags: number) => {
  const fd = openSync(path, flags);
  onTestFinished(() => closeSync(fd));
  return fd;
};

/** A pipe: an end to write to, and what was written to it since this was last asked. */
function pipe(): { fd: number; read: () => string } {
  const folder = mkdtempSync(join(tmpdir(), 'momo-mock-pipe-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const fd = open(path, constants.O_WRONLY);
  const read = () => {
    const bytes = Buffer.alloc(1_000_000);
    try {
      return bytes.toString('utf8', 0, readSync(reader, bytes));
    } catch {
      // Nothing is in it.
      return '';
    }
  };
  return { fd, read };
}

/** Writes lines until some are dropped. @returns how many were written */
function overfill(output: LogOutput): number {
  let lines = 0;
  for (; output.dropped < 3; lines++) output.write(LINE);
  return lines;
}

/** A time that no test waits for. */
const FAR = performance.now() + 3_600_000;

/** Reads until all is written, and the output is closed. @returns what was read */
async function closeReading(output: LogOutput, read: () => string): Promise<string> {
  let shown = '';
  let isClosed = false;
  const closed = output.close(FAR).then(() => {
    isClosed = true;
  });
  await expect
    .poll(() => {
      shown += read();
      return isClosed;
    })
    .toBe(true);
  await closed;
  return shown + read();
}

describe('an output', () => {
  test('writes immediately, so that an exit loses nothing', async () => {
    const { fd, read } = pipe();
    const output = await openLogOutput(fd);
    output.write('one\n');
    expect(read()).toBe('one\n');
    await closeReading(output, read);
  });

  test('that nobody reads keeps what has room, and drops and counts the rest', async () => {
    const { fd, read } = pipe();
    const output = await openLogOutput(fd);
    const lines = overfill(output);
    const inPipe = read();
    expect(lines - 3).toBe(Math.floor((inPipe.length + MOST_WAITING) / LINE.length));
    expect(output.blocksExit).toBe(false);
    await closeReading(output, read);
  });

  test('is written to again when it is read again, each line whole and in order', async () => {
    const { fd, read } = pipe();
    const output = await openLogOutput(fd);
    const recovered: number[] = [];
    output.onRecovery = (dropped) => recovered.push(dropped);
    const lines = overfill(output);
    let shown = '';
    await expect
      .poll(() => {
        shown += read();
        return recovered;
      })
      .toEqual([3]);
    shown += read();
    expect(shown.split(LINE)).toEqual(Array(lines - 2).fill(''));
    await closeReading(output, read);
  });

  test('is closed when all is written', async () => {
    const { fd, read } = pipe();
    const output = await openLogOutput(fd);
    const lines = overfill(output);
    const shown = await closeReading(output, read);
    expect(shown.split(LINE)).toEqual(Array(lines - 2).fill(''));
    output.write('late');
    expect(read()).toBe('');
  });

  test('that is a full disk drops too, and its end waits for nothing', async () => {
    const output = await openLogOutput(open('/dev/full', constants.O_WRONLY));
    const lines = overfill(output);
    expect(lines - 3).toBe(MOST_WAITING / LINE.length);
    await output.close(FAR);
  });

  test('whose reader has gone drops too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'momo-mock-pipe-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const reader = openSync(join(folder, 'pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
    const output = await openLogOutput(open(join(folder, 'pipe'), constants.O_WRONLY));
    closeSync(reader);
    expect(overfill(output) - 3).toBe(MOST_WAITING / LINE.length);
    await output.close(FAR);
  });

  test('stays as it was for the others that write to it', async ({ skip }) => {
    skip(process.platform !== 'linux', 'this is not Linux');
    const { fd, read } = pipe();
    const flags = () => readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').split('\n')[1];
    const before = flags();
    const output = await openLogOutput(fd);
    overfill(output);
    await closeReading(output, read);
    expect(flags()).toBe(before);
  });

  test('that is a file gets lines after what is in it, immediately', async () => {
    const path = join(temporaryFolder(), 'log');
    const fd = open(path, constants.O_WRONLY | constants.O_CREAT);
    writeSync(fd, 'before\n');
    const output = await openLogOutput(fd);
    output.write('after\n');
    expect(readFileSync(path, 'utf8')).toBe('before\nafter\n');
    await output.close(FAR);
    writeSync(fd, 'last\n');
    expect(readFileSync(path, 'utf8')).toBe('before\nafter\nlast\n');
  });

  test('keeps no file descriptor when it is closed', async ({ skip }) => {
    skip(process.platform !== 'linux', 'this is not Linux');
    const { fd } = pipe();
    const path = readlinkSync(`/proc/self/fd/${fd}`);
    const descriptors = () => readdirSync('/proc/self/fd').filter((one) => leadsTo(one, path));
    const before = descriptors();
    const output = await openLogOutput(fd);
    expect(descriptors()).not.toEqual(before);
    await output.close(FAR);
    expect(descriptors()).toEqual(before);
  });
});

/** Whether a file descriptor of this process is of a path. It may be closed by now. */
function leadsTo(fd: string, path: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === path;
  } catch {
    return false;
  }
}

/** A destination that writes when it is told to. */
class SlowDestination extends EventEmitter implements Destination {
  readonly written: string[] = [];
  write(text: string): void {
    this.written.push(text);
  }
}

/** A connected socket's file descriptor, and what arrives at its other end. */
async function socketPair(): Promise<{ fd: number; received: () => string }> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const client = connect(Object(server.address()).port, '127.0.0.1');
  const [[other]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [
    [Socket],
    unknown,
  ];
  let text = '';
  other.on('data', (chunk) => {
    text += chunk;
  });
  onTestFinished(() => void client.destroy());
  return { fd: Object(client)._handle.fd, received: () => text };
}

describe('an output that a thread writes to', () => {
  test('is a socket, and blocks the exit until the write has ended', async () => {
    const { fd, received } = await socketPair();
    const output = await openLogOutput(fd);
    output.write('one\n');
    expect(output.blocksExit).toBe(true);
    await output.close(FAR);
    expect(output.blocksExit).toBe(false);
    await expect.poll(received).toBe('one\n');
  });

  test('blocks the exit while a write lasts, and not when it failed', () => {
    const destination = new SlowDestination();
    const output = new LogOutput(destination, { isThreaded: true });
    expect(output.blocksExit).toBe(false);
    output.write('a');
    expect(output.blocksExit).toBe(true);
    destination.emit('drain');
    expect(output.blocksExit).toBe(false);
    output.write('b');
    destination.emit('error', Object.assign(new Error(), { code: 'EIO' }));
    expect(output.blocksExit).toBe(false);
    output.write('c');
    destination.emit('drain');
    output.write('d');
    destination.emit('error', Object.assign(new Error(), { code: 'EAGAIN' }));
    expect(output.blocksExit).toBe(false);
  });

  test.each([
    ['does not block the exit, once a write has shown that none blocks', 'EAGAIN', false],
    ['blocks the exit after any other failure', 'EIO', true],
  ])('and that is tried again %s: %s', async (_what, code, blocks) => {
    const destination = new SlowDestination();
    const output = new LogOutput(destination, { isThreaded: true });
    output.write('a');
    destination.emit('error', Object.assign(new Error(), { code }));
    const closed = output.close(0);
    // The retry has begun, and has not ended.
    expect(destination.written).toEqual(['a', '']);
    expect(output.blocksExit).toBe(blocks);
    destination.emit('drain');
    await closed;
  });

  test('is tried again by a close, which ends when all is written', async () => {
    const destination = new SlowDestination();
    let released = 0;
    const output = new LogOutput(destination, { isThreaded: true, release: () => released++ });
    output.write('a');
    destination.emit('error', Object.assign(new Error(), { code: 'EAGAIN' }));
    const closed = output.close(FAR);
    expect(destination.written).toEqual(['a', '']);
    expect(released).toBe(0);
    destination.emit('drain');
    await closed;
    expect(released).toBe(1);
  });

  test('is not written to by a close while a write lasts, nor after it', async () => {
    const destination = new SlowDestination();
    const output = new LogOutput(destination, { isThreaded: true });
    output.write('a');
    const closed = output.close(FAR);
    destination.emit('drain');
    await closed;
    output.write('late');
    expect(destination.written).toEqual(['a']);
  });
});

test('an output that no thread writes to never blocks the exit', () => {
  const output = new LogOutput(new SlowDestination());
  output.write('a');
  expect(output.blocksExit).toBe(false);
});

test('the log gets the time that is left for a stop, and a second at least', () => {
  const left = patienceUntil(monotonicTime() + 60_000);
  expect(left).toBeGreaterThan(LEAST_PATIENCE);
  expect(left).toBeLessThanOrEqual(60_000);
  expect(patienceUntil(monotonicTime() + 10)).toBe(LEAST_PATIENCE);
});

test.each([
  [1, '1 log line'],
  [2, '2 log lines'],
])('the log says at any level how many lines were dropped: %i', async (count, words) => {
  const destination = new SlowDestination();
  const output = new LogOutput(destination);
  await createLogger({ level: 'fatal', stream: output, output });
  for (let dropped = 0; dropped < count; dropped++) destination.emit('drop');
  destination.emit('drain');
  destination.emit('drain');
  expect(destination.written.map((line) => JSON.parse(line))).toEqual([
    {
      level: 40,
      time: expect.any(Number),
      dropped: count,
      msg: `Failed to write ${words}: nobody read the output, or its disk was full.`,
    },
  ]);
});
