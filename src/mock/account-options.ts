import * as Type from 'typebox';
import { define } from './check.ts';
import type { Definition } from './definition.ts';
import { jsonValue } from './scripted-response.ts';

/** What an account is made with. */
export interface AccountOptions {
  /**
   * The key of the account.
   *
   * @default a random one
   */
  readonly apikey?: string;
  /** The variant of an operation's files that it gets where there is one. */
  readonly variant?: string;
  /** The balance that it has from the start; the whole body, as JSON. */
  readonly balance?: unknown;
}

/** The definition of what an account is made with. */
export const ACCOUNT: Definition<AccountOptions> = define(
  Type.Object(
    {
      apikey: Type.Optional(
        Type.String({
          title: '1 to 1024 visible ASCII characters',
          description: 'The key of the account; left out: a random one.',
          pattern: '^[!-~]+$',
          minLength: 1,
          maxLength: 1024,
        }),
      ),
      variant: Type.Optional(
        Type.String({ description: "The variant of an operation's files that it gets." }),
      ),
      balance: Type.Optional(
        jsonValue({ description: 'The balance that it has from the start; the whole body.' }),
      ),
    },
    {
      $id: 'Account',
      additionalProperties: false,
      examples: [{ variant: 'empty' }, { apikey: 'test_carol', balance: { balance: [] } }],
    },
  ),
);
