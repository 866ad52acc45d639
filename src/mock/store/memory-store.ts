import { randomBytes } from 'node:crypto';
import { MomoMockError } from '../../errors.ts';
import { timeOfDay } from '../../timers.ts';
import type { ScriptedCallback } from '../callbacks/callback-script.ts';
import type { Counter } from '../journal/counters.ts';
import type { LocalRecord, RecordKind, StoredRecord } from '../journal/record.ts';
import type { RateLimit } from '../rate-limit.ts';
import {
  jsonOfAccount,
  jsonOfChanges,
  jsonOfEdit,
  type Report,
  type StoreEvent,
  type Task,
} from './event.ts';
import { Memory, type MemoryOwner } from './memory.ts';
import type { TaskState } from './processes.ts';
import {
  type Account,
  type ClockTime,
  type Edit,
  type NewAccount,
  type Overrides,
  RUNNING,
  type ScopeId,
  type StateChanges,
  type StateRead,
  type Store,
  type StoreListener,
  type Taken,
} from './store.ts';
import { StoredScope } from './stored-scope.ts';

/** A call of this process that waits for a task. */
interface Waiting {
  readonly resolve: (state: TaskState) => void;
  readonly reject: (error: Error) => void;
  /** When a shared store noticed that the call waits only for other processes. */
  since?: number;
}

/**
 * The store in the memory of this process. Each change is an event, which `append` applies. A
 * shared store appends it to the events of all processes.
 */
export class MemoryStore implements Store, MemoryOwner {
  /** The name of this process. It contains no dash. */
  readonly peer = randomBytes(6).toString('hex');
  readonly memory = new Memory(this);
  /** Whether account ids restart at 1 after a reset. */
  protected readonly countsAnew: boolean = true;
  /** The calls of this process that wait for a task, by its id. */
  protected readonly waiting = new Map<string, Waiting>();
  readonly #rateLimit: RateLimit | undefined;
  #taskCount = 0;

  /**
   * @param configured the accounts at startup, and after a reset
   * @param rateLimit the limit of accounts without their own
   */
  constructor(configured: readonly NewAccount[], rateLimit?: RateLimit) {
    this.#rateLimit = rateLimit;
    this.memory.apply(this.joined(configured));
  }

  get calls(): ReadonlyMap<string, Counter> {
    return new Map();
  }

  listen(listener: StoreListener): void {
    this.memory.listener = listener;
  }

  async open(): Promise<void> {}

  take(
    key: string | undefined,
    operation = '',
    isRefused = false,
    isOpen = false,
  ): Taken | Promise<Taken> {
    return this.memory.apply(this.taking(key, operation, isRefused, isOpen)) as Taken;
  }

  async accounts(): Promise<readonly Account[]> {
    await this.sync();
    return this.memory.accounts;
  }

  async find(key: string): Promise<Account | undefined> {
    await this.sync();
    return this.memory.find(key).account;
  }

  async add(account: NewAccount): Promise<Account> {
    const event = { do: 'add', account: jsonOfAccount(account), at: timeOfDay() } as const;
    return (await this.append(event)) as Account;
  }

  async remove({ id }: Pick<Account, 'id'>): Promise<void> {
    await this.append({ do: 'remove', id });
  }

  async get(scope: ScopeId): Promise<Overrides> {
    await this.sync();
    return this.memory.scope(scope) ?? new StoredScope();
  }

  async change(scope: ScopeId, edit: Edit): Promise<boolean> {
    if (edit.scripts !== undefined || edit.more !== undefined) await this.memory.loadScripts();
    return (await this.append({ do: 'change', scope, edit: jsonOfEdit(edit) })) as boolean;
  }

  async takeCallback(scope: ScopeId): Promise<ScriptedCallback | undefined> {
    return (await this.append({ do: 'take-callback', scope })) as ScriptedCallback | undefined;
  }

  async readState(scope: ScopeId): Promise<StateRead> {
    await this.sync();
    return this.memory.read(this.memory.scope(scope));
  }

  async writeState(
    scope: ScopeId,
    changes: StateChanges,
    version?: string,
  ): Promise<string | undefined> {
    const event = { do: 'write', scope, changes: jsonOfChanges(changes), version } as const;
    return (await this.append(event)) as string | undefined;
  }

  clock(scope: ScopeId): ClockTime {
    return this.memory.scope(scope)?.clock ?? RUNNING;
  }

  async freeze(scope: ScopeId, isFrozen: boolean, at: number): Promise<void> {
    await this.append({ do: 'freeze', scope, isFrozen, at });
  }

  async advance(scope: ScopeId, by: number | 'idle'): Promise<number> {
    const { missing, report } = await this.#ask({ advance: by }, scope);
    if (report.failure === undefined) return missing;
    const text = `Failed to advance the clock: ${report.failure}`;
    throw new MomoMockError('MOMO_MOCK_TIMER_FAILED', text);
  }

  async sendAgain(id: number): Promise<number | undefined> {
    return (await this.#ask({ send: id }, undefined)).report.attempt;
  }

  async lost(): Promise<number | undefined> {
    return undefined;
  }

  begin(record: LocalRecord): void {
    record.id = this.memory.nextId(record.kind);
    this.memory.listener?.journals[record.kind].add(record);
  }

  note(record: LocalRecord): void {
    this.memory.listener?.journals[record.kind].note(record);
  }

  end(record: LocalRecord): void {
    record.ended = true;
    this.note(record);
    this.memory.listener?.ended(record);
  }

  async empty(kind: RecordKind, scope: ScopeId): Promise<void> {
    await this.append({ do: 'empty', kind, scope });
  }

  synced(): void | Promise<void> {}

  /** Resolves once this process knows all earlier changes of every process. */
  protected sync(): void | Promise<void> {}

  async close(_timers: number): Promise<void> {}

  async reset(scope: ScopeId): Promise<void> {
    const { countsAnew } = this;
    await this.append({ do: 'reset', scope, at: timeOfDay(), countsAnew });
  }

  stored(_record: StoredRecord): void {}

  assigned(id: string, scope: ScopeId, task: Task): void {
    void this.#run(scope, task).then((report) => this.report(id, report));
  }

  done(id: string, state: TaskState): void {
    this.waiting.get(id)?.resolve(state);
  }

  /** Applies a change in all processes. Resolves to its result. */
  protected append(event: StoreEvent): unknown {
    return this.memory.apply(event);
  }

  /** Reports what this process has done of a task. */
  protected async report(id: string, report: Report): Promise<void> {
    await this.append({ do: 'report', id, peer: this.peer, report });
  }

  protected joined(configured: readonly NewAccount[]): StoreEvent {
    const accounts = configured.map(jsonOfAccount);
    return { do: 'join', peer: this.peer, accounts, at: timeOfDay() };
  }

  protected taking(
    key: string | undefined,
    operation: string,
    isRefused: boolean,
    isOpen: boolean,
  ): StoreEvent & { do: 'take' } {
    const account = this.memory.find(key).account?.id;
    const at = timeOfDay();
    const open = isOpen && account === undefined && { isOpen };
    return { do: 'take', account, operation, isRefused, ...open, at, limit: this.#rateLimit };
  }

  async #ask(task: Task, scope: ScopeId): Promise<TaskState> {
    const id = `${this.peer}-${++this.#taskCount}`;
    const done = new Promise<TaskState>((resolve, reject) =>
      this.waiting.set(id, { resolve, reject }),
    );
    // If the event cannot be appended, nobody waits for `done`.
    done.catch(() => {});
    try {
      await this.append({ do: 'ask', id, scope, task });
      return await done;
    } finally {
      this.waiting.delete(id);
    }
  }

  async #run(scope: ScopeId, task: Task): Promise<Report> {
    const { listener } = this.memory;
    if (listener === undefined) return {};
    if ('advance' in task) return await listener.advance(scope, task.advance);
    return { attempt: await listener.send(task.send).catch(() => undefined) };
  }
}
