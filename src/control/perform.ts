import { isUtf8 } from 'node:buffer';
import { invalid } from '../errors.ts';
import { check, parseFor } from '../mock/json/check.ts';
import type { Definition } from '../mock/json/definition.ts';
import { findJsonMistake } from '../mock/json/json-mistake.ts';
import { hasTooManyValues, isTooDeep, TOO_DEEP } from '../mock/json/json-of.ts';
import { MAX_BODY_LEVELS, MAX_GIVEN_BYTES, MAX_GIVEN_VALUES } from '../mock/limits.ts';
import { bodyText } from '../mock/requests/body-text.ts';
import { tooLarge } from '../mock/responses/given-body.ts';
import type { ControlledServer, GivenCall, Route } from './route.ts';

/** Checks the input of a call, finds its account, and runs the route. */
export async function perform(
  route: Route,
  server: ControlledServer,
  { apiKey, ...given }: GivenCall,
): Promise<unknown> {
  const { mock } = server;
  const { bytes, headers } = given;
  const { account, query, body: definition, maxBodyBytes = MAX_GIVEN_BYTES } = route;
  if (typeof account === 'string' && apiKey !== undefined) {
    const name = headers.account === undefined ? 'apikey' : 'account';
    throw invalid(`the header ${name}`, `must be left out. ${account}`);
  }
  if (bytes.length > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const checked = <Value>(definition: Definition<Value>, value: unknown) =>
    check(definition, value, (name) => mock.redactor.isSecret(name));
  const body = bytes.length === 0 ? undefined : await parse(bytes, definition);
  const isLeftOut = body === undefined && route.isBodyOptional === true;
  return await route.run({
    ...given,
    query: query === undefined ? given.query : checked(query, given.query),
    body: definition === undefined || isLeftOut ? body : checked(definition, body),
    server,
    account: account === undefined ? mock.account(apiKey) : mock.all,
  });
}

async function parse(bytes: Buffer, definition: Definition<unknown> | undefined): Promise<unknown> {
  if (!isUtf8(bytes)) throw invalid('the body', 'must be UTF-8');
  const text = bodyText(bytes);
  // A value inside the body has its own check.
  if (isTooDeep(text, MAX_BODY_LEVELS)) throw invalid('the body', TOO_DEEP);
  if (hasTooManyValues(text)) {
    throw invalid('the body', `must have at most ${MAX_GIVEN_VALUES.toLocaleString('en')} values`);
  }
  try {
    return definition === undefined ? JSON.parse(text) : parseFor(definition, text);
  } catch {
    // The error quotes the body.
    const { line, column } = findJsonMistake(text, await import('jsonc-parser')).place;
    const place = column === undefined ? '' : ` at line ${line}, column ${column}`;
    throw invalid('the body', `not valid JSON${place}`);
  }
}
