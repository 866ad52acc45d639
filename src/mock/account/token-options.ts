import * as Type from 'typebox';
import { invalid } from '../../errors.ts';
import { check, unlessMistyped } from '../json/check.ts';
import { closedObject, define, jsonValue } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { jsonOf } from '../json/json-of.ts';
import { MAX_CLAIMS_BYTES, MAX_STEP_MS } from '../limits.ts';

/** The options of a token that a handler issues. */
export interface TokenOptions {
  /** How long the token is valid, in seconds by the account's clock: above 0, at most 100 years. */
  readonly expiresIn: number;
  /** JSON of at most 4 KiB, which `context.claims` has in requests with the token. @default {} */
  readonly claims?: unknown;
}

const MAX_SECONDS = MAX_STEP_MS / 1000;

const TOKEN: Definition<TokenOptions> = define(
  closedObject(
    {
      expiresIn: Type.Number({
        exclusiveMinimum: 0,
        maximum: MAX_SECONDS,
        title: `a number of seconds above 0, at most ${MAX_SECONDS}`,
      }),
      claims: Type.Optional(jsonValue({})),
    },
    { $id: 'IssueToken' },
  ),
);

export function tokenOptions(given: TokenOptions): { seconds: number; claims: string } {
  const { expiresIn: seconds, claims = {} } = check(TOKEN, given, unlessMistyped);
  const json = jsonOf(claims) ?? '';
  if (Buffer.byteLength(json) > MAX_CLAIMS_BYTES) {
    throw invalid('claims', `must have at most ${MAX_CLAIMS_BYTES / 1024} KiB as JSON`);
  }
  return { seconds, claims: json };
}
