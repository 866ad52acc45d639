import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { closeSync, constants, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Destination, LogOutput, openLogOutput } from '../../src/log/log-output.ts';
import { createLogger } from '../../src/log/logger.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

/** A time that no test waits for. */
const FAR = performance.now() + 3_600_000;

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
    { isBlocking: false, when: 'before a write', steps: [] },
    { isBlocking: true, when: 'while a write lasts', steps: ['write'] },
    { isBlocking: false, when: 'when it has ended', steps: ['write', 'drain'] },
    { isBlocking: false, when: 'when it failed', steps: ['write', 'EIO'] },
    { isBlocking: true, when: 'while it is tried again', steps: ['write', 'EIO', 'close'] },
  ])('blocks the exit of the process: $isBlocking $when', async ({ isBlocking, steps }) => {
    const { output, act } = thread();
    for (const step of steps) act(step);
    expect(output.blocksExit).toBe(isBlocking);
    act('drain');
  });

  it.each([
    { name: 'repeats a failed write', steps: ['write', 'EAGAIN'], written: ['write', ''] },
    { name: 'waits for a slow write', steps: ['write'], written: ['write'] },
  ])('$name, then closes, and accepts nothing afterwards', async ({ steps, written }) => {
    const { destination, released, act } = thread();
    for (const step of steps) act(step);
    const closed = act('close');
    expect(released).toEqual([]);
    act('drain');
    await closed;
    act('write');
    expect(destination.written).toEqual(written);
    expect(released).toEqual(['released']);
  });
});

it('a pipe is opened again for writing, and closed with the output', async ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux can open a pipe again');
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(fd));
  const opened = () =>
    readdirSync('/proc/self/fd').filter((one) => {
      try {
        return readlinkSync(`/proc/self/fd/${one}`) === pipe;
      } catch {
        // Closed meanwhile.
        return false;
      }
    }).length;
  const output = await openLogOutput(fd);
  expect(opened()).toBe(2);
  output.write('line\n');
  await output.close(FAR);
  const read = Buffer.alloc(10);
  expect(read.toString('utf8', 0, readSync(fd, read))).toBe('line\n');
  expect(opened()).toBe(1);
});

it('an output without a thread never blocks the exit', () => {
  const output = new LogOutput(new SlowDestination());
  output.write('a');
  expect(output.blocksExit).toBe(false);
});

it('the log says at every level that lines were dropped, once for all of them', async () => {
  const destination = new SlowDestination();
  const output = new LogOutput(destination);
  await createLogger({ level: 'fatal', stream: output, output });
  destination.emit('drop');
  destination.emit('drop');
  destination.emit('drain');
  destination.emit('drain');
  const msg = 'Failed to write some log lines: nobody read the output, or its disk was full.';
  const record = { level: 40, time: expect.any(Number), msg };
  expect(destination.written.map((line) => JSON.parse(line))).toEqual([record]);
});
