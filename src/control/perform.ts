import { isUtf8 } from 'node:buffer';
import { invalid } from '../errors.ts';
import { check } from '../mock/check.ts';
import type { Definition } from '../mock/definition.ts';
import { tooLarge } from '../mock/given-body.ts';
import { findJsonMistake } from '../mock/json-mistake.ts';
import { isTooDeep, TOO_DEEP } from '../mock/json-of.ts';
import { ENVELOPE_LEVELS, LONGEST_GIVEN, MOST_LEVELS } from '../mock/limits.ts';
import type { Call, Controlled, Input, Route } from './route.ts';

/** A call before its input is checked. */
export interface Given extends Pick<Input, 'params' | 'query'> {
  /** The body as it was sent; empty without one. */
  readonly bytes: Buffer;
}

/**
 * Checks the input of a call, and makes the call.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE`, and those of the route
 */
export async function perform(
  route: Route,
  to: Controlled,
  { params, query, bytes }: Given,
  call: Call,
): Promise<unknown> {
  const { account, body: definition, longestBody = LONGEST_GIVEN } = route;
  if (typeof account === 'string' && call.apikey !== undefined) {
    const name = call.headers.account === undefined ? 'apikey' : 'account';
    throw invalid(`the header ${name}`, `must be left out. ${account}`);
  }
  if (bytes.length > longestBody) throw tooLarge(longestBody);
  const isSecret = (name: string) => to.mock.redactor.isSecret(name);
  const checked = <Value>(of: Definition<Value>, value: unknown) => check(of, value, isSecret);
  const given = bytes.length === 0 ? undefined : await parse(bytes);
  const isLeftOut = given === undefined && route.isBodyOptional === true;
  const input = {
    params,
    query: route.query === undefined ? query : checked(route.query, query),
    body: definition === undefined || isLeftOut ? given : checked(definition, given),
    bytes,
  };
  return await route.run(to, input, call);
}

async function parse(bytes: Buffer): Promise<unknown> {
  if (!isUtf8(bytes)) throw invalid('the body', 'must be UTF-8');
  const text = bytes.toString();
  // A value in it has its own check.
  if (isTooDeep(text, MOST_LEVELS + ENVELOPE_LEVELS)) throw invalid('the body', TOO_DEEP);
  try {
    // Without a reviver or merging, __proto__ is an ordinary field.
    return JSON.parse(text);
  } catch {
    // The message of JSON.parse quotes the body.
    const { line, column } = (await findJsonMistake(text)).place;
    const place = column === undefined ? '' : ` at line ${line}, column ${column}`;
    throw invalid('the body', `not valid JSON${place}`);
  }
}
