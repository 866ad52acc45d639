import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { LineSplitter, Output, plainText } from './output.ts';
import { hasLiveProcess } from './process-table.ts';

/** How long a program may take to end by itself, in ms. */
const GRACE = 2000;
const CHECK_INTERVAL = 20;
/** How often all processes of the machine are read, in ms, which costs more than a signal. */
const TABLE_INTERVAL = 100;
/** How long output may take to arrive after the end of a program, in ms. */
const DRAIN = 1000;

const running = new Set<ProcessGroup>();

/** Ends everything that the drill started, for a drill that ends immediately. */
export function killAll(): void {
  for (const group of running) group.kill('SIGKILL');
}

/** A program and all its children, which end together. */
export class ProcessGroup {
  readonly #child: ChildProcess;
  readonly #output = new Output();
  readonly #stdout = new Output();
  /** How the program ended, in words; `undefined` while it runs. */
  end: string | undefined;
  readonly ended: Promise<void>;

  /** @param onLines called with what it writes, in whole lines */
  constructor(
    [program = '', ...args]: readonly string[],
    env: NodeJS.ProcessEnv,
    onLines: (lines: string) => void = () => {},
  ) {
    // `detached` makes it the leader of a group.
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child = spawn(program, args, { env, detached: true, stdio: [...stdio] });
    this.#child = child;
    running.add(this);
    const keep = (stream: Readable | null, outputs: readonly Output[]) => {
      const splitter = new LineSplitter(onLines);
      stream?.setEncoding('utf8').on('data', (text: string) => {
        for (const output of outputs) output.add(text);
        splitter.add(text);
      });
      stream?.once('close', () => splitter.end());
    };
    keep(child.stdout, [this.#output, this.#stdout]);
    keep(child.stderr, [this.#output]);
    const closed = once(child, 'close').catch(() => {});
    this.ended = once(child, 'exit')
      .then(
        ([code, signal]) => `it ended with ${signal ?? `exit code ${code}`}`,
        ({ code }: NodeJS.ErrnoException) =>
          code === 'ENOENT' ? 'there is no such program' : `it cannot be executed (${code})`,
      )
      .then(async (end) => {
        // A child in the background may keep the output open.
        await Promise.race([closed, sleep(DRAIN, undefined, { ref: false })]);
        this.end = end;
        if (!this.#isRunning(true)) running.delete(this);
      });
  }

  /** Whether nothing of it runs any more, not even a child in the background. */
  get isOver(): boolean {
    return this.end !== undefined && !running.has(this);
  }

  get isSuccess(): boolean {
    return this.#child.exitCode === 0;
  }

  get lastLine(): string {
    return this.#stdout.text.trimEnd().split(/\r?\n/).at(-1) ?? '';
  }

  /** Both outputs, as text. */
  get written(): string {
    return plainText(this.#output.text);
  }

  kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    // Another group may have the number of one that has ended.
    if (pid === undefined || !running.has(this)) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended.
    }
  }

  /** Waits for the end of the program, and stops it when the limit (ms) is over. */
  async finish(limit: number, signal: AbortSignal): Promise<void> {
    const timeout = AbortSignal.timeout(limit);
    const aborted = AbortSignal.any([signal, timeout]);
    const stop = () => void this.stop();
    if (aborted.aborted) stop();
    aborted.addEventListener('abort', stop);
    await this.ended;
    aborted.removeEventListener('abort', stop);
    if (timeout.aborted) this.end = `it did not end in ${limit / 1000} s`;
  }

  async stop(): Promise<void> {
    this.kill('SIGTERM');
    if (await this.#hasEnded()) return;
    this.kill('SIGKILL');
    await this.#hasEnded();
  }

  async #hasEnded(): Promise<boolean> {
    for (let waited = 0; this.#isRunning(waited % TABLE_INTERVAL === 0); waited += CHECK_INTERVAL) {
      if (waited >= GRACE) return false;
      await sleep(CHECK_INTERVAL);
    }
    running.delete(this);
    return true;
  }

  /** @param looks whether to tell zombies, which do not run, from other processes of the group */
  #isRunning(looks: boolean): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || !running.has(this)) return false;
    try {
      process.kill(-pid, 0);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
    const isLed = exitCode === null && signalCode === null;
    return isLed || !looks || hasLiveProcess(pid);
  }
}
