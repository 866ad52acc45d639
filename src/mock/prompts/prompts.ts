import { once } from 'node:events';
import { closed, invalid, MomoMockError } from '../../errors.ts';
import { within } from '../../timers.ts';
import type { AccountContext } from '../account/account-context.ts';
import type { Clock } from '../clock/clock.ts';
import type { AfterOptions } from '../clock/timer-queue.ts';
import { DEFAULT_TIMEOUT_MS } from '../journal/filter.ts';
import type { OpenPrompt } from './open-prompts.ts';
import type { Prompt, PromptEntry, PromptsOptions } from './prompt.ts';

/**
 * What the handlers of an account ask people, until somebody answers. Its clock has the prompts, so a
 * reset, a restore and the removal of the account end them, and no snapshot has them.
 */
export class Prompts {
  readonly #context: AccountContext;
  /** `undefined` for all accounts. */
  readonly #account: string | undefined;
  readonly #clock: Clock;

  constructor(context: AccountContext, account: string | undefined, clock: Clock) {
    this.#context = context;
    this.#account = account;
    this.#clock = clock;
  }

  /** Asks a person. The function runs once: with the choice, or with `undefined` after the timeout. */
  ask(
    { timeout = Infinity, ...asked }: Prompt,
    onEnd: OpenPrompt['onEnd'],
    options: AfterOptions,
  ): void {
    if (typeof onEnd !== 'function') throw invalid('what prompt runs', 'must be a function');
    const { size } = new Set(asked.choices);
    if (size === 0 || size < asked.choices.length) {
      throw invalid('choices', 'must have at least one name, and each only once');
    }
    const now = this.#clock.now();
    const since = new Date(now).toISOString();
    const entry = {
      id: ++this.#context.newestPrompt,
      account: this.#account ?? null,
      ...asked,
      since,
    };
    this.#clock.ask({ entry, due: now + Math.round(timeout), onEnd, options });
  }

  /** The open prompts without secrets, in order, once there are enough. */
  async find(options: PromptsOptions, signal?: AbortSignal): Promise<PromptEntry[]> {
    const { waitFor = 0, timeout = DEFAULT_TIMEOUT_MS } = options;
    const { feed, redactor } = this.#context;
    const end = new AbortController();
    const ended = AbortSignal.any([end.signal, feed.closed, ...(signal ? [signal] : [])]);
    const enough = async () => {
      while (this.#open.length < waitFor && !ended.aborted) {
        await once(feed.changes, 'prompts', { signal: ended }).catch(() => {});
      }
    };
    const late = () => this.#tooFew(waitFor, timeout);
    await within(enough(), timeout, late).finally(() => end.abort());
    if (feed.closed.aborted) throw closed();
    const entries = this.#open.map(({ entry }) => entry).sort((a, b) => a.id - b.id);
    return entries.map((entry) => ({
      ...entry,
      title: redactor.redact(entry.title),
      text: redactor.redact(entry.text),
      choices: this.#shown(entry.choices),
    }));
  }

  /** Ends a prompt. Resolves when its function has run. */
  async answer(id: number, choice: string): Promise<void> {
    const prompt = this.#open.find(({ entry }) => entry.id === id);
    if (prompt === undefined) throw new MomoMockError('MOMO_MOCK_PROMPT_UNKNOWN', UNKNOWN);
    const { choices } = prompt.entry;
    const shown = this.#shown(choices);
    // The live page knows only what is shown.
    const isUnique = shown.indexOf(choice) === shown.lastIndexOf(choice);
    const chosen = choices.includes(choice)
      ? choice
      : choices[isUnique ? shown.indexOf(choice) : -1];
    if (chosen === undefined) throw invalid('choice', `must be one of ${shown.join(', ')}`);
    await this.#current?.answer(prompt, chosen);
  }

  #shown(choices: readonly string[]): string[] {
    return choices.map((choice) => this.#context.redactor.redact(choice));
  }

  /** By id, because a restore replaces accounts while somebody waits. */
  get #current(): Clock | undefined {
    const { all, accounts } = this.#context;
    const owner =
      this.#account === undefined ? all : accounts.find(({ id }) => id === this.#account);
    return owner?.clock;
  }

  get #open(): readonly OpenPrompt[] {
    return this.#current?.prompts ?? [];
  }

  #tooFew(waitFor: number, timeout: number): MomoMockError {
    const { length: count } = this.#open;
    const whose = this.#account === undefined ? '' : ` of ${this.#account}`;
    const others = this.#context.all.clock.prompts.length - count;
    const elsewhere = others === 0 ? '' : `, and ${others} of other accounts`;
    const text = `Failed to wait: expected at least ${waitFor} open ${waitFor === 1 ? 'prompt' : 'prompts'}${whose} within ${timeout} ms, but ${count} ${count === 1 ? 'is' : 'are'} open${elsewhere}. Check that the request arrived, and that its handler asks with context.prompt; a prompt that was answered or timed out is no longer open.`;
    return new MomoMockError('MOMO_MOCK_NOT_VERIFIED', text);
  }
}

const UNKNOWN =
  'Failed to find the prompt: no open one has this id. It may have been answered, timed out, or ended by a reset; GET /prompts lists those that are open.';
