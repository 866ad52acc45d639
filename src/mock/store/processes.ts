import type { JsonAccount, Report, StoreEvent, Task } from './event.ts';
import type { ScopeId } from './store.ts';

export interface Process {
  readonly accounts: readonly JsonAccount[];
  /** The number of the last record that it has begun. */
  written: number;
  /** How many timers it had when it ended. */
  readonly timers: number;
  readonly isGone: boolean;
}

/** A task, and what the processes have reported. */
export interface TaskState {
  readonly scope: ScopeId;
  readonly task: Task;
  /** The processes that have not reported. */
  waiting: readonly string[];
  /** How many processes did not report in time. */
  missing: number;
  /** The combined report. For an advance, the process that went furthest counts. */
  report: Report & { readonly ms: number };
}

export interface JsonProcesses {
  readonly processes: readonly (readonly [name: string, state: Process])[];
  readonly asked: readonly (readonly [id: string, state: TaskState])[];
  readonly lost: number;
}

/** The maximum number of exited processes to remember. They may come back. */
const MAX_GONE = 100;

/** The processes of a mock, and their unfinished tasks. */
export class Processes {
  readonly #processes = new Map<string, Process>();
  readonly #tasks = new Map<string, TaskState>();
  /** The number of timers of forgotten processes. */
  #lost = 0;

  get(name: string): Process | undefined {
    return this.#processes.get(name);
  }

  /** The names of the running processes. */
  get live(): string[] {
    return [...this.#processes].flatMap(([name, { isGone }]) => (isGone ? [] : [name]));
  }

  /** The configured accounts of the running processes. */
  get configured(): JsonAccount[] {
    return this.live.flatMap((name) => this.#processes.get(name)?.accounts ?? []);
  }

  /** The number of timers of exited processes. */
  get lost(): number {
    const gone = [...this.#processes.values()].filter(({ isGone }) => isGone);
    return gone.reduce((sum, { timers }) => sum + timers, this.#lost);
  }

  join({ peer, accounts }: StoreEvent & { do: 'join' }): void {
    const written = this.#processes.get(peer)?.written ?? 0;
    this.#processes.set(peer, { accounts, written, timers: 0, isGone: false });
  }

  /** Returns the processes that are forgotten to make room. */
  leave({ peer, timers }: StoreEvent & { do: 'leave' }): string[] {
    const leaving = this.#processes.get(peer);
    if (leaving === undefined || leaving.isGone) return [];
    // Keeps exited processes in the order in which they left.
    this.#processes.delete(peer);
    this.#processes.set(peer, { ...leaving, accounts: [], timers, isGone: true });
    const gone = [...this.#processes].filter(([, { isGone }]) => isGone);
    const forgotten = gone.slice(0, -MAX_GONE);
    for (const [name, { timers }] of forgotten) {
      this.#lost += timers;
      this.#processes.delete(name);
    }
    return forgotten.map(([name]) => name);
  }

  ask(id: string, scope: ScopeId, task: Task, waiting: readonly string[]): void {
    this.#tasks.set(id, { scope, task, waiting, missing: 0, report: { ms: 0 } });
  }

  taskState(id: string): TaskState | undefined {
    return this.#tasks.get(id);
  }

  /** The tasks that a process has not done. */
  tasksOf(peer: string): (readonly [id: string, state: TaskState])[] {
    return [...this.#tasks].filter(([, { waiting }]) => waiting.includes(peer));
  }

  report({ id, peer, report }: StoreEvent & { do: 'report' }): void {
    const state = this.#tasks.get(id);
    if (state?.waiting.includes(peer) !== true) return;
    state.waiting = state.waiting.filter((name) => name !== peer);
    if (report === undefined) state.missing++;
    state.report = {
      ms: Math.max(state.report.ms, report?.ms ?? 0),
      failure: state.report.failure ?? report?.failure,
      attempt: state.report.attempt ?? report?.attempt,
    };
  }

  /** Forgets a task that all processes have done; `undefined` if some have not. */
  finish(id: string): TaskState | undefined {
    const state = this.#tasks.get(id);
    if (state === undefined || state.waiting.length > 0) return undefined;
    this.#tasks.delete(id);
    return state;
  }

  /** Forgets an account's tasks, or all tasks. */
  drop(scope: ScopeId): (readonly [id: string, state: TaskState])[] {
    const dropped = [...this.#tasks].filter(
      ([, state]) => scope === undefined || state.scope === scope,
    );
    for (const [id] of dropped) this.#tasks.delete(id);
    return dropped;
  }

  toJSON(): JsonProcesses {
    return { processes: [...this.#processes], asked: [...this.#tasks], lost: this.#lost };
  }

  load({ processes, asked, lost }: JsonProcesses): void {
    for (const [name, state] of processes) this.#processes.set(name, state);
    for (const [id, state] of asked) this.#tasks.set(id, state);
    this.#lost = lost;
  }
}
