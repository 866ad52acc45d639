import * as Type from 'typebox';
import { DEFAULT_TIMEOUT_MS, type RequestsOptions } from '../journal/filter.ts';
import { define, withRule } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import {
  MAX_CHOICE_LENGTH,
  MAX_CHOICES,
  MAX_PROMPT_TEXT_LENGTH,
  MAX_PROMPT_TITLE_LENGTH,
  MAX_STEP_MS,
  MAX_TIMES,
  MAX_WAIT_MS,
} from '../limits.ts';

/** What a handler asks a person, such as the payer. */
export interface Prompt<Choice extends string = string> {
  /** At most 100 characters, such as the phone number. */
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

const text = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, title: `text of 1 to ${maxLength} characters` });

export const PROMPT: Definition<Prompt> = define(
  withRule(
    Type.Object(
      {
        title: text(MAX_PROMPT_TITLE_LENGTH),
        text: text(MAX_PROMPT_TEXT_LENGTH),
        choices: Type.Immutable(
          Type.Array(
            Type.String({
              pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
              maxLength: MAX_CHOICE_LENGTH,
              title: `a name in kebab-case of at most ${MAX_CHOICE_LENGTH} characters, such as wrong-pin`,
            }),
            { maxItems: MAX_CHOICES, title: 'a list of names' },
          ),
        ),
        timeout: Type.Optional(Type.Number({ minimum: 0, maximum: MAX_STEP_MS })),
      },
      { $id: 'Prompt', additionalProperties: false },
    ),
    ({ choices }) => {
      const isFine = choices.length > 0 && new Set(choices).size === choices.length;
      return isFine ? undefined : ['choices', 'must have at least one name, and each only once'];
    },
  ),
);

export const PROMPTS_OPTIONS: Definition<PromptsOptions> = define(
  Type.Object(
    {
      waitFor: Type.Optional(
        Type.Integer({
          description: 'Wait until this many prompts are open, then return them.',
          minimum: 0,
          maximum: MAX_TIMES,
          default: 0,
        }),
      ),
      timeout: Type.Optional(
        Type.Integer({
          description: 'How long to wait, in ms. After that, the response is a 422.',
          minimum: 0,
          maximum: MAX_WAIT_MS,
          default: DEFAULT_TIMEOUT_MS,
        }),
      ),
    },
    { $id: 'PromptsOptions', additionalProperties: false },
  ),
);
