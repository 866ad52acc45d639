import * as Type from 'typebox';
import { closedObject, define, jsonValue, text } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { stateValues } from '../state/state-change.ts';

/** The options of a new account. */
export interface MomoAccountOptions {
  /** The key of the account. @default a random key */
  readonly apiKey?: string;
  /** Its initial variant. Operations without this variant serve the default file. */
  readonly variant?: string;
  /** Its initial balance: the whole body, as JSON. */
  readonly balance?: unknown;
  /** The initial state of its handlers: values by name. They override the values of all accounts. */
  readonly state?: Readonly<Record<string, unknown>>;
}

export const VARIANT: Definition<string> = define(
  Type.String({ description: 'The name of a variant, such as empty.' }),
);

export const KEY = {
  title: '1 to 1024 visible ASCII characters',
  pattern: '^[!-~]+$',
  minLength: 1,
  maxLength: 1024,
};

export const ACCOUNT: Definition<MomoAccountOptions> = define(
  closedObject(
    {
      apiKey: Type.Optional(
        Type.String({
          description: 'The key of the account. Default: a random key.',
          ...KEY,
        }),
      ),
      variant: text('The initial variant. Operations without this variant serve the default file.'),
      balance: Type.Optional(jsonValue({ description: 'The initial balance: the whole body.' })),
      state: Type.Optional(stateValues('The initial state of handlers: values by name.')),
    },
    {
      $id: 'Account',
      examples: [
        { variant: 'empty' },
        { apiKey: 'test_carol', balance: { balance: [] } },
        { state: { 'deposits/7f3a': { status: 'success' } } },
      ],
    },
  ),
);
