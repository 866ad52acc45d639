import { closed, invalid, MomoMockError } from '../../errors.ts';
import { sleep } from '../../timers.ts';
import type { Remembered } from '../account/remembered.ts';
import type { Clock } from '../clock/clock.ts';
import type { AfterOptions } from '../clock/timer-queue.ts';
import type { Feed } from '../journal/feed.ts';
import { DEFAULT_TIMEOUT_MS } from '../journal/filter.ts';
import { MAX_PROMPTS } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { Prompt, PromptEntry, PromptsOptions } from './prompt.ts';

/** What the prompts of all accounts share. */
export interface SharedPrompts {
  readonly feed: Feed;
  readonly redactor: Redactor;
  /** The accounts that have open prompts. */
  readonly accounts: Set<Prompts>;
  /** The id of the newest prompt. It is never used again, so that nobody answers another prompt. */
  newest: number;
  /** Called after each change. */
  readonly waits: Set<() => void>;
  isClosed: boolean;
}

/** Runs when a prompt ends. */
type OnEnd = (choice: string | undefined) => unknown;

interface OpenPrompt {
  /** With secrets. */
  readonly entry: PromptEntry;
  readonly onEnd: OnEnd;
  readonly options: AfterOptions;
  readonly cancelTimeout: () => void;
}

/**
 * What the handlers of an account ask people, until somebody answers. No snapshot has it, because it
 * ends with a function. A reset, a restore and the removal of the account end it without the function.
 */
export class Prompts implements Remembered {
  readonly #shared: SharedPrompts;
  /** `undefined` for all accounts. */
  readonly #account: string | undefined;
  readonly #clock: Clock;
  readonly #open = new Map<number, OpenPrompt>();
  #isClosed = false;

  constructor(shared: SharedPrompts, account: string | undefined, clock: Clock) {
    this.#shared = shared;
    this.#account = account;
    this.#clock = clock;
  }

  /**
   * Asks a person. The function runs once, as a timer does: with the choice, or with `undefined` after
   * the timeout.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  ask({ timeout, ...asked }: Prompt, onEnd: OnEnd, options: AfterOptions): void {
    const { redactor, newest } = this.#shared;
    if (typeof onEnd !== 'function') throw invalid('what prompt runs', 'must be a function');
    if (asked.choices.some((choice) => redactor.isSecret(choice))) {
      throw invalid('choices', 'must not contain a key');
    }
    if (this.#isClosed) return;
    if (this.#open.size >= MAX_PROMPTS) throw tooMany();
    const since = new Date(this.#clock.now()).toISOString();
    const id = newest + 1;
    const end = () => this.#take(id)?.onEnd(undefined);
    const cancelTimeout =
      timeout === undefined ? () => {} : this.#clock.deadline(timeout, end, options);
    this.#shared.newest = id;
    const entry = { id, account: this.#account ?? null, ...asked, since };
    this.#open.set(id, { entry, onEnd, options, cancelTimeout });
    this.#changed();
  }

  /** Those of the account, in order; of all accounts, those of each. Without secrets. */
  get open(): PromptEntry[] {
    const { redactor } = this.#shared;
    const open = this.#scope.flatMap((prompts) => [...prompts.#open.values()]);
    const entries = open.map(({ entry }) => entry).sort((a, b) => a.id - b.id);
    return entries.map((entry) => ({
      ...entry,
      title: redactor.redact(entry.title),
      text: redactor.redact(entry.text),
    }));
  }

  /** How many are open. */
  get count(): number {
    return this.#scope.reduce((sum, prompts) => sum + prompts.#open.size, 0);
  }

  /**
   * The open prompts, once there are enough.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED` if fewer than `waitFor` are open within `timeout`
   */
  async find(options: PromptsOptions, signal?: AbortSignal): Promise<PromptEntry[]> {
    const { waitFor = 0, timeout = DEFAULT_TIMEOUT_MS } = options;
    const { waits } = this.#shared;
    const end = new AbortController();
    let found: PromptEntry[] | undefined;
    const look = () => {
      // Another change may follow before the wait resumes.
      if (found === undefined && this.count >= waitFor) found = this.open;
      if (found !== undefined || this.#shared.isClosed) end.abort();
    };
    look();
    waits.add(look);
    const signals = signal === undefined ? [end.signal] : [end.signal, signal];
    await sleep(timeout, undefined, { signal: AbortSignal.any(signals) }).catch(() => {});
    waits.delete(look);
    if (found !== undefined) return found;
    throw this.#shared.isClosed ? closed() : this.#tooFew(waitFor, timeout);
  }

  /**
   * Ends a prompt. Resolves when its function has run, which it does even while the clock is frozen.
   *
   * @throws MomoMockError `MOMO_MOCK_PROMPT_UNKNOWN`, `MOMO_MOCK_REQUEST_INVALID` for a choice that is
   *   not offered, `MOMO_MOCK_TIMER_FAILED`
   */
  async answer(id: number, choice: string): Promise<void> {
    const owner = this.#scope.find((prompts) => prompts.#open.has(id));
    const prompt = owner === undefined ? undefined : owner.#open.get(id);
    if (owner === undefined || prompt === undefined) throw unknown();
    const { entry, onEnd, options } = prompt;
    if (!entry.choices.includes(choice)) {
      throw invalid('choice', `must be one of ${entry.choices.join(', ')}`);
    }
    owner.#take(id);
    const failure = await owner.#clock.run(() => onEnd(choice), options);
    if (failure === undefined) return;
    const text = `Failed to answer the prompt: ${failure}`;
    throw new MomoMockError('MOMO_MOCK_TIMER_FAILED', text);
  }

  reset(): void {
    if (this.#open.size === 0) return;
    for (const { cancelTimeout } of this.#open.values()) cancelTimeout();
    this.#open.clear();
    this.#changed();
  }

  save(): undefined {}

  load(): void {}

  /** Ends all of them, and ignores new ones. */
  close(): void {
    this.#isClosed = true;
    this.reset();
  }

  /** By id, because a restore replaces accounts while somebody waits. */
  get #scope(): Prompts[] {
    const all = [...this.#shared.accounts];
    return this.#account === undefined ? all : all.filter((one) => one.#account === this.#account);
  }

  /** `undefined` if it has ended: only the first end counts. */
  #take(id: number): OpenPrompt | undefined {
    const prompt = this.#open.get(id);
    if (prompt === undefined) return undefined;
    this.#open.delete(id);
    prompt.cancelTimeout();
    this.#changed();
    return prompt;
  }

  #changed(): void {
    const { accounts, feed, waits } = this.#shared;
    if (this.#open.size > 0) accounts.add(this);
    else accounts.delete(this);
    feed.change('prompts');
    for (const look of waits) look();
  }

  #tooFew(waitFor: number, timeout: number): MomoMockError {
    const { count } = this;
    const whose = this.#account === undefined ? '' : ` of ${this.#account}`;
    const all = [...this.#shared.accounts].reduce((sum, each) => sum + each.#open.size, 0);
    const elsewhere = all === count ? '' : `, and ${all - count} of other accounts`;
    const text = `Failed to wait: expected at least ${waitFor} open ${waitFor === 1 ? 'prompt' : 'prompts'}${whose} within ${timeout} ms, but ${count} ${count === 1 ? 'is' : 'are'} open${elsewhere}. Check that the request arrived, and that its handler asks with context.prompt; a prompt that was answered or timed out is no longer open.`;
    return new MomoMockError('MOMO_MOCK_NOT_VERIFIED', text);
  }
}

function unknown(): MomoMockError {
  const text =
    'Failed to find the prompt: no open one has this id. It may have been answered, timed out, or ended by a reset; GET /prompts lists those that are open.';
  return new MomoMockError('MOMO_MOCK_PROMPT_UNKNOWN', text);
}

function tooMany(): MomoMockError {
  // Not at module load: the first use of a locale takes 20 ms.
  const most = MAX_PROMPTS.toLocaleString('en');
  const problem = `at most ${most} prompts of an account can be open. Answer some, set a timeout, or reset the account`;
  return invalid('prompt', problem);
}
