import { invalid } from '../../errors.ts';
import type { AfterOptions } from '../clock/timer-queue.ts';
import { MAX_PROMPTS } from '../limits.ts';
import type { PromptEntry } from './prompt.ts';

/** Waits for a person until it is due. */
export interface OpenPrompt {
  /** With secrets. */
  readonly entry: PromptEntry;
  due: number;
  /** Runs once, as a timer does. */
  readonly onEnd: (choice?: string) => unknown;
  readonly options: AfterOptions;
}

/** An account's open prompts. They become timers when they end, so that `idle` does not see them. */
export class OpenPrompts extends Set<OpenPrompt> {
  override add(prompt: OpenPrompt): this {
    if (this.size >= MAX_PROMPTS) {
      const advice = 'Answer some, set a timeout, or reset the account';
      throw invalid('prompt', `an account can have at most ${MAX_PROMPTS} open prompts. ${advice}`);
    }
    return super.add(prompt);
  }

  get nextDue(): number {
    return Math.min(Infinity, ...[...this].map(({ due }) => due));
  }

  postpone(ms: number): void {
    for (const prompt of this) prompt.due += ms;
  }
}
