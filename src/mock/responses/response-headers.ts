import * as Type from 'typebox';

const VALUE_PATTERN = '^[\\t -~\\u0080-\\u00ff]*$';
const VALUE = Type.String({ pattern: VALUE_PATTERN });
/** The headers that tests cannot set, because only faults may break the framing of a message. */
const FRAMING = ['content-length', 'transfer-encoding', 'connection', 'date', 'trailer'];

/** A pattern that ignores letter case. JSON Schema patterns have no flags. */
export function inAnyCase(name: string): string {
  return name.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** Whether a header can have a value: one line of characters that fit in a byte. */
export function isHeaderValue(text: string): boolean {
  return new RegExp(VALUE_PATTERN).test(text);
}

const HEADER_NAME = "^[!#$%&'*+.^_`|~0-9A-Za-z\\-]+$";

function namesWithout(patterns: readonly string[]) {
  return { pattern: HEADER_NAME, not: { pattern: `^(${patterns.join('|')})$` } };
}

const NAMES = namesWithout(FRAMING.map(inAnyCase));

export const SET_HEADER_NAME = Type.Unsafe<string>({
  type: 'string',
  title: `the name of a header, but not ${FRAMING.join(', ')}`,
  ...NAMES,
});

/** A response may close its connection, but not break it. */
const CLOSE = { const: 'close' };
const FRAMING_OF_RESPONSES = FRAMING.filter((name) => name !== 'connection');
const OTHER_CASES = `(?!connection$|Connection$)${inAnyCase('connection')}`;

export const RESPONSE_HEADERS = Type.Unsafe<Readonly<Record<string, string | readonly string[]>>>({
  type: 'object',
  title: `an object of header names and values, each one line of text or a list of such lines, without ${FRAMING_OF_RESPONSES.join(', ')}; connection can only be close`,
  description: 'Headers to add or replace. A list is sent as several headers.',
  propertyNames: namesWithout([...FRAMING_OF_RESPONSES.map(inAnyCase), OTHER_CASES]),
  properties: { connection: CLOSE, Connection: CLOSE },
  additionalProperties: Type.Union([VALUE, Type.Array(VALUE)]),
});

export const WEBHOOK_HEADERS = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  title: `an object of header names and values, each one line of text, without ${FRAMING.join(', ')}`,
  description: 'Header names and values.',
  propertyNames: NAMES,
  additionalProperties: VALUE,
});
