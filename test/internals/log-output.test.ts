import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { closeSync, constants, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Destination, LogOutput, MOST_WAITING, openLogOutput } from '../../src/log-output.ts';
import { createLogger } from '../../src/logger.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

/** A line of 1 KiB. */
const LINE = `${'x'.repeat(1023)}\n`;
/** A time that no test waits for. */
const FAR = performance.now() + 3_600_000;

const open = (path: string, flags: number) => {
  const fd = openSync(path, flags);
  onTestFinished(() => closeSync(fd));
  return fd;
};

/** A pipe: an end to write to, the other, and what was written to it since this was last asked. */
function pipe() {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
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
  return { fd, read, path, close: () => closeSync(reader) };
}

/** Writes lines until some are dropped. @returns how many were not */
async function overfill(output: LogOutput): Promise<number> {
  let lines = 0;
  // Each in a turn of the event loop, whose lines are written together.
  for (; output.dropped < 3; lines++) {
    output.write(LINE);
    await nextTurn();
  }
  return lines - 3;
}

describe('what cannot be written', () => {
  it('to a pipe that nobody reads is kept as far as there is room, and written whole when it is read', async () => {
    const { fd, read, close } = pipe();
    onTestFinished(close);
    const output = await openLogOutput(fd);
    const recovered: number[] = [];
    output.onRecovery = (dropped) => recovered.push(dropped);
    const kept = await overfill(output);
    let shown = read();
    expect(kept).toBe(Math.floor((shown.length + MOST_WAITING) / LINE.length));
    expect(output.blocksExit).toBe(false);
    const all = () => {
      shown += read();
      return recovered;
    };
    await expect.poll(all).toEqual([3]);
    shown += read();
    expect(shown).toBe(LINE.repeat(kept));
    await output.close(FAR);
    output.write('late');
    expect(read()).toBe('');
  });

  it.each([
    ['to a full disk', () => open('/dev/full', constants.O_WRONLY)],
    [
      'to a pipe whose reader has gone',
      () => {
        const { fd, close } = pipe();
        close();
        return fd;
      },
    ],
  ])('%s is kept as far as there is room, and no end waits for it', async (_what, openOutput) => {
    const output = await openLogOutput(openOutput());
    expect(await overfill(output)).toBe(MOST_WAITING / LINE.length);
    await output.close(FAR);
  });
});

it('an output that is closed has no file descriptor of its own any more', async ({ skip }) => {
  skip(process.platform !== 'linux', 'this is not Linux');
  const { fd, path, close } = pipe();
  onTestFinished(close);
  const descriptors = () => readdirSync('/proc/self/fd').filter((one) => leadsTo(one, path));
  const before = descriptors();
  const output = await openLogOutput(fd);
  expect(descriptors()).not.toEqual(before);
  await output.close(FAR);
  expect(descriptors()).toEqual(before);
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

describe('an output that a thread writes to', () => {
  const thread = () => {
    const destination = new SlowDestination();
    const released: string[] = [];
    const release = () => void released.push('released');
    const output = new LogOutput(destination, { isThreaded: true, release });
    /** Writes, ends a write, has it fail, or begins to close. */
    const act = (step: string): unknown => {
      if (step === 'write') return output.write(step);
      if (step === 'drain') return destination.emit(step);
      if (step === 'close') return output.close(FAR);
      return destination.emit('error', Object.assign(new Error(), { code: step }));
    };
    return { destination, output, released, act };
  };

  it.each([
    [false, 'before a write', []],
    [true, 'while a write lasts', ['write']],
    [false, 'when it has ended', ['write', 'drain']],
    [false, 'when it failed', ['write', 'EIO']],
    [true, 'while it is tried again', ['write', 'EIO', 'close']],
    [false, 'while it is tried again where no write blocks', ['write', 'EAGAIN', 'close']],
    [false, 'once a write showed that none does', ['write', 'EAGAIN', 'drain', 'write']],
  ])('blocks the exit: %s %s', async (isBlocking, _when, steps) => {
    const { output, act } = thread();
    for (const step of steps) act(step);
    expect(output.blocksExit).toBe(isBlocking);
    act('drain');
  });

  it.each([
    ['tries again what failed', ['write', 'EAGAIN'], ['write', '']],
    ['waits for a write that lasts', ['write'], ['write']],
  ])(
    '%s, is closed when that is written, and takes nothing then',
    async (_what, steps, written) => {
      const { destination, released, act } = thread();
      for (const step of steps) act(step);
      const closed = act('close');
      expect(released).toEqual([]);
      act('drain');
      await closed;
      act('write');
      expect(destination.written).toEqual(written);
      expect(released).toEqual(['released']);
    },
  );
});

it('an output that no thread writes to never blocks the exit', () => {
  const output = new LogOutput(new SlowDestination());
  output.write('a');
  expect(output.blocksExit).toBe(false);
});

it.each([
  [1, '1 log line'],
  [2, '2 log lines'],
])('the log says at any level how many lines were dropped: %i', async (dropped, words) => {
  const destination = new SlowDestination();
  const output = new LogOutput(destination);
  await createLogger({ level: 'fatal', stream: output, output });
  destination.emit('drop', 'x\n'.repeat(dropped));
  destination.emit('drain');
  destination.emit('drain');
  const msg = `Failed to write ${words}: nobody read the output, or its disk was full.`;
  const record = { level: 40, time: expect.any(Number), dropped, msg };
  expect(destination.written.map((line) => JSON.parse(line))).toEqual([record]);
});
