import * as Type from 'typebox';
import type { RequestsOptions } from '../journal/filter.ts';
import { waitFields } from '../journal/filter-schema.ts';
import { closedObject, define } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { MAX_CHOICE_LENGTH, MAX_CHOICES, MAX_PROMPT_LENGTH, MAX_STEP_MS } from '../limits.ts';

/** What a handler asks a person, such as the payer. */
export interface Prompt<Choice extends string = string> {
  /** At most 500 characters, such as the phone number. */
  readonly title: string;
  /** At most 500 characters, such as `Pay 1,000 XOF to …`. */
  readonly text: string;
  /** 1 to 10 names in kebab-case, such as `approve`, `wrong-pin`, `no-funds` and `cancel`. */
  readonly choices: readonly Choice[];
  /**
   * After this time by the account's clock, in ms, the prompt ends without a choice. Time that
   * `advance('idle')` skips does not count.
   *
   * @default it stays open
   */
  readonly timeout?: number;
}

/** An open prompt. Configured keys in it are `[redacted]`. */
export interface PromptEntry extends Omit<Prompt, 'timeout'> {
  readonly id: number;
  /** The id of the account; `null` for an open operation without a valid key. */
  readonly account: string | null;
  /** When the handler asked, by the account's clock, ISO 8601. */
  readonly since: string;
}

/** How many open prompts to wait for. */
export interface PromptsOptions extends Pick<RequestsOptions, 'timeout'> {
  /** Wait until this many prompts are open. If fewer are within `timeout`, it is an error. @default 0 */
  readonly waitFor?: number;
}

const text = Type.String({
  minLength: 1,
  maxLength: MAX_PROMPT_LENGTH,
  title: `text of 1 to ${MAX_PROMPT_LENGTH} characters`,
});

const choice = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: MAX_CHOICE_LENGTH,
  title: `a name in kebab-case of at most ${MAX_CHOICE_LENGTH} characters, such as wrong-pin`,
});

export const PROMPT: Definition<Prompt> = define(
  closedObject(
    {
      title: text,
      text,
      choices: Type.Immutable(
        Type.Array(choice, { maxItems: MAX_CHOICES, title: 'a list of names' }),
      ),
      timeout: Type.Optional(Type.Number({ minimum: 0, maximum: MAX_STEP_MS })),
    },
    { $id: 'Prompt' },
  ),
);

export const PROMPTS_OPTIONS: Definition<PromptsOptions> = define(
  closedObject(waitFields('prompts are open'), { $id: 'PromptsOptions' }),
);
