import {
  type PoolOptions,
  type PoolWorker,
  ThreadsPoolWorker,
  type WorkerRequest,
} from 'vitest/node';

type Listener = (message: unknown) => void;

/** A thread ends after so many runs, and with it what mutants left behind in it. */
const RUNS = 40;

let thread: ThreadsPoolWorker | undefined;
let runs = 0;

/**
 * The thread that all runs use, where vitest would start one for each. Its libraries are loaded,
 * which takes longer than most tests. `fresh-modules.mjs` has it load the modules of src again.
 */
export class WarmThread implements PoolWorker {
  readonly name = 'warm';
  readonly #options: PoolOptions;
  readonly #listeners: [event: string, listener: Listener][] = [];
  #thread: ThreadsPoolWorker | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    runs += 1;
    if (thread === undefined) {
      thread = new ThreadsPoolWorker(this.#options);
      await thread.start();
    }
    this.#thread = thread;
  }

  async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners) this.#thread?.off(event, listener);
    if (runs < RUNS) return;
    thread = undefined;
    runs = 0;
    await this.#thread?.stop();
  }

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener]);
    this.#thread?.on(event, listener);
  }

  off(event: string, listener: Listener): void {
    this.#thread?.off(event, listener);
  }

  send(message: WorkerRequest): void {
    if (message.type === 'stop')
      this.#answer({ type: 'stopped', __vitest_worker_response__: true });
    else this.#thread?.send(message);
  }

  #answer(message: unknown): void {
    for (const [event, listener] of this.#listeners) if (event === 'message') listener(message);
  }

  deserialize(message: unknown): unknown {
    return message;
  }
}
