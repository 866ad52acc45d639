import { asSentence, MomoMockError } from '../../errors.ts';
import { jsonOf } from '../json/json-of.ts';
import {
  MAX_LEVELS,
  MAX_STATE_BYTES,
  MAX_STATE_NAME_LENGTH,
  MAX_STATE_NAMES,
  MAX_STATE_VALUE_BYTES,
} from '../limits.ts';

/** Values by name, as JSON. `null` hides a value in the layers below. */
export type StateLayer = ReadonlyMap<string, string | null>;

/** The value in the first layer that has the name. */
export function jsonIn(layers: readonly StateLayer[], name: string): string | null | undefined {
  return layers.find((layer) => layer.has(name))?.get(name);
}

export function readValues(given: Readonly<Record<string, unknown>> = {}): Map<string, string> {
  const values = Object.entries(given).map(([name, value]): [string, string] => [
    checkName(name),
    stateJson(value),
  ]);
  return new Map(values);
}

export function savedValues(values: StateLayer) {
  return Array.from(values, ([name, json]) => ({ name, json }));
}

export function checkState<Values extends StateLayer>(values: Values): Values {
  let bytes = 0;
  for (const [name, json] of values) {
    checkValueSize(json ?? '');
    bytes += sizeOf(checkName(name), json);
  }
  checkSize(values.size, bytes);
  return values;
}

/** In bytes. The value `null` only hides another one. */
export function sizeOf(name: string, json: string | null | undefined): number {
  return json === undefined ? 0 : Buffer.byteLength(name) + Buffer.byteLength(json ?? '');
}

export function checkSize(names: number, bytes: number): void {
  if (names > MAX_STATE_NAMES) {
    const most = MAX_STATE_NAMES.toLocaleString('en');
    throw stateInvalid(`it can have ${most} names at most. Delete names, or reset the state`);
  }
  if (bytes > MAX_STATE_BYTES) {
    const most = MAX_STATE_BYTES / 1_048_576;
    throw stateInvalid(`it can have ${most} MiB at most. Delete names, or reset the state`);
  }
}

export function checkName(name: string): string {
  if (isName(name)) return name;
  throw stateInvalid(
    `a name must be text of 1 to ${MAX_STATE_NAME_LENGTH} characters. Use another name`,
  );
}

export function isName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= MAX_STATE_NAME_LENGTH;
}

export function stateJson(value: unknown): string {
  const json = jsonOf(value);
  if (json === undefined) {
    throw stateInvalid(
      `the value cannot be written as JSON, or has more than ${MAX_LEVELS} levels. Use another value`,
    );
  }
  checkValueSize(json);
  return json;
}

function checkValueSize(json: string): void {
  if (Buffer.byteLength(json) > MAX_STATE_VALUE_BYTES) {
    throw stateInvalid('the value is longer than 1 MiB as JSON. Store less under one name');
  }
}

export function stateInvalid(problem: string): MomoMockError {
  const text = `Failed to write the state: ${asSentence(problem)}`;
  return new MomoMockError('MOMO_MOCK_STATE_INVALID', text);
}

/** Without it, a test of the state of all accounts would see that a value is missing. */
export function stateInAccount(): MomoMockError {
  const text =
    'Failed to show the state: the state of all accounts has no such value, but an account has. Handlers write to the state of the account whose key a request has. Use the state of this account: in the library mock.account().state for mock.apiKey, over HTTP the header apikey.';
  return new MomoMockError('MOMO_MOCK_STATE_IN_ACCOUNT', text);
}

export function stateRedacted(): MomoMockError {
  const text =
    "Failed to write the state: a value or its name contains [redacted], which stands for a key. Write the whole value, or change it in the mock's process or in a handler, where keys are visible.";
  return new MomoMockError('MOMO_MOCK_STATE_REDACTED', text);
}
