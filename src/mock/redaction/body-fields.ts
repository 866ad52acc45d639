import { jsonFields } from './json-fields.ts';
import type { Span } from './secret-finder.ts';
import { isSecretName } from './secret-names.ts';
import { xmlFields } from './xml-fields.ts';

/** A name or a value in a body, and its place. */
export interface BodyField extends Span {
  /** Its decoded text. An object or an element can contain several texts. */
  readonly values: readonly string[];
  /** Whether it is a value under the name of a secret. */
  readonly isSecret: boolean;
  /** Whether a replacement needs the quotes of JSON. */
  readonly isJson?: true;
}

/**
 * Finds the fields of a body, which may be JSON, XML, multipart or a form. The format is detected
 * from the beginning of the body, because clients send wrong content types. The body may be cut or
 * invalid.
 */
export function bodyFields(body: string): BodyField[] {
  const [delimiter] = /^--[^\r\n]*(?=\r?\n)/.exec(body.trimStart()) ?? [];
  return delimiter === undefined ? fieldsOf(body) : multipartFields(body, delimiter.trimEnd());
}

function fieldsOf(text: string): BodyField[] {
  const first = text.trimStart().slice(0, 1);
  if (first === '<') return xmlFields(text);
  if (!/["{[]/.test(first)) return [...formFields(text), ...looseFields(text)];
  return isJson(text) ? jsonFields(text) : [...jsonFields(text), ...looseFields(text)];
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The fields of a multipart body. A part is one field, or its content has fields. */
function multipartFields(body: string, delimiter: string): BodyField[] {
  const fields: BodyField[] = [];
  let at = 0;
  for (const part of body.split(`\n${delimiter}`)) {
    const { 0: gap = '', index = part.length } = /\r?\n\r?\n/.exec(part) ?? {};
    const content = part.slice(index + gap.length).replace(/\r$/, '');
    const isSecret = isSecretName(partName(part.slice(0, index)));
    const whole = { start: 0, end: content.length, values: [content], isSecret };
    for (const field of isSecret ? [whole] : fieldsOf(content)) {
      const start = at + index + gap.length + field.start;
      fields.push({ ...field, start, end: start + field.end - field.start });
    }
    at += part.length + 1 + delimiter.length;
  }
  return fields;
}

function partName(head: string): string {
  const [, quoted, bare = ''] = /[\s;]name\*?=(?:"((?:[^"\\]|\\.)*)|([^\s;]*))/is.exec(head) ?? [];
  return quoted ?? bare;
}

function formFields(text: string): BodyField[] {
  const fields: BodyField[] = [];
  let start = 0;
  for (const part of text.split('&')) {
    const [[name, value] = ['', '']] = new URLSearchParams(part);
    const equals = part.indexOf('=');
    const end = start + part.length;
    const nameEnd = equals === -1 ? end : start + equals;
    fields.push({ start, end: nameEnd, values: [name], isSecret: false });
    if (equals !== -1) {
      fields.push({ start: nameEnd + 1, end, values: [value], isSecret: isSecretName(name) });
    }
    start = end + 1;
  }
  return fields;
}

const LOOSE_NAME = /([^\s"'\\:=,;&<>]+)(["'\\\s]*[:=]\s*)?/g;
const LOOSE_VALUE = /\\*"((?:[^"\\]|\\.)*)|\\*'((?:[^'\\]|\\.)*)|([^\r\n"',;&<>{}[\]]+)/sy;

/** In an invalid text: the values after the name of a secret and a colon or equals sign. */
function looseFields(text: string): BodyField[] {
  const fields: BodyField[] = [];
  LOOSE_NAME.lastIndex = 0;
  for (let match = LOOSE_NAME.exec(text); match !== null; match = LOOSE_NAME.exec(text)) {
    const [, name = '', sign] = match;
    if (sign === undefined || !isSecretName(name)) continue;
    LOOSE_VALUE.lastIndex = LOOSE_NAME.lastIndex;
    const found = LOOSE_VALUE.exec(text);
    if (found === null) continue;
    const value = found[1] ?? found[2] ?? found[3] ?? '';
    const end = LOOSE_VALUE.lastIndex;
    fields.push({ start: end - value.length, end, values: [value], isSecret: true });
    LOOSE_NAME.lastIndex = end;
  }
  return fields;
}
