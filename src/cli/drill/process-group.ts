import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

/** How long a program may take to end by itself, in ms. */
const GRACE = 2000;
const CHECK_INTERVAL = 20;
/** How long output may take to arrive after the end of a program, in ms. */
const DRAIN = 1000;
/** How much of an output is kept, in characters. */
const MAX_KEPT = 16_384;
const SHOWN_LINES = 10;

const running = new Set<ProcessGroup>();

/** Ends everything that the drill started, for a drill that ends immediately. */
export function killAll(): void {
  for (const group of running) group.kill('SIGKILL');
}

/** A program and all its children, which end together. */
export class ProcessGroup {
  readonly #child: ChildProcess;
  #output = '';
  #stdout = '';
  /** How the program ended, in words; `undefined` while it runs. */
  end: string | undefined;
  readonly ended: Promise<void>;

  constructor([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv) {
    // `detached` makes it the leader of a group.
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child = spawn(program, args, { env, detached: true, stdio: [...stdio] });
    this.#child = child;
    running.add(this);
    const keep = (kept: string, text: string) => (kept + text).slice(-MAX_KEPT);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout = keep(this.#stdout, text);
      this.#output = keep(this.#output, text);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = keep(this.#output, text);
    });
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
        if (!this.#isRunning()) running.delete(this);
      });
  }

  get isSuccess(): boolean {
    return this.#child.exitCode === 0;
  }

  get lastLine(): string {
    return this.#stdout.trimEnd().split(/\r?\n/).at(-1) ?? '';
  }

  /** The last lines of both outputs, each on a line of its own; empty without any. */
  get written(): string {
    const text = stripVTControlCharacters(this.#output).replace(/[^\P{Cc}\n\t]/gu, '');
    const lines = text.trimEnd().split('\n');
    // A line without its beginning may have a part of a secret, which nothing recognizes.
    const whole = this.#output.length < MAX_KEPT ? lines : lines.slice(1);
    return whole
      .slice(-SHOWN_LINES)
      .map((line) => `\n  ${line}`)
      .join('')
      .trimEnd();
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
    for (let waited = 0; this.#isRunning() && waited < GRACE; waited += CHECK_INTERVAL) {
      await sleep(CHECK_INTERVAL);
    }
    const isRunning = this.#isRunning();
    if (!isRunning) running.delete(this);
    return !isRunning;
  }

  /** Whether any process of the group runs. */
  #isRunning(): boolean {
    const { pid } = this.#child;
    if (pid === undefined || !running.has(this)) return false;
    try {
      return process.kill(-pid, 0);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  }
}
