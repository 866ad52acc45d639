import type { Span } from './secret-finder.ts';
import { isSecretName } from './secret-names.ts';

/** What stands under the name of a secret, and its place in the body. */
export interface NamedValue extends Span {
  readonly values: readonly string[];
}

/** A member of JSON whose value is a text or a number, as it was written. */
const MEMBER = /("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/g;

/** The texts and numbers in JSON under the names of secrets, at any depth. */
export function jsonSecrets(text: string, json: unknown): string[] {
  const secrets: string[] = [];
  const collect = (value: unknown, isSecret: boolean): void => {
    if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      for (const [name, one] of Object.entries(value)) {
        collect(one, isSecret || (!isList && isSecretName(name)));
      }
    } else if (isSecret && typeof value !== 'boolean' && value !== null) secrets.push(`${value}`);
  };
  collect(json, false);
  // JSON.parse keeps the last of several equal names, and rounds long numbers.
  for (const [, name = '', value = ''] of text.matchAll(MEMBER)) {
    if (isSecretName(JSON.parse(name))) {
      secrets.push(value.startsWith('"') ? JSON.parse(value) : value);
    }
  }
  return secrets;
}

/**
 * What follows the name of a secret in any other text: a form, XML, multipart, lines of names and
 * values, JSON that is broken or was cut. Where a bracket follows, all of the rest does.
 */
export function looseSecrets(text: string): NamedValue[] {
  return [...inForm(text), ...inTags(text), ...inParts(text), ...afterNames(text)];
}

/** A value as it was written, and what it means in XML and in JSON. */
export function meaningsOf(value: string): string[] {
  const inXml = value.replace(/&(amp|lt|gt|quot|apos);/g, (_all, name) => ENTITIES[name] ?? '');
  let inJson = value;
  try {
    inJson = JSON.parse(`"${value}"`);
  } catch {}
  return [value, inXml, inJson];
}

const ENTITIES: Readonly<Record<string, string>> = Object.fromEntries(
  ['amp&', 'lt<', 'gt>', 'quot"', "apos'"].map((one) => [one.slice(0, -1), one.slice(-1)]),
);

/** A name, and how far it is to its value: in quotes, or up to a sign that ends it. */
const NAME = /([^\s"'\\:=,;&<>{}[\]]+)(["'\\\s]*[:=]\s*)?/g;
const VALUE = /\\*"((?:[^"\\]|\\.)*)|\\*'((?:[^'\\]|\\.)*)|([^"'<>{}[\],&\r\n]*)/sy;

function* afterNames(text: string): Generator<NamedValue> {
  NAME.lastIndex = 0;
  for (let match = NAME.exec(text); match !== null; match = NAME.exec(text)) {
    const [, name = '', sign] = match;
    if (sign === undefined || !isSecretName(name)) continue;
    VALUE.lastIndex = NAME.lastIndex;
    const [all = '', ...values] = VALUE.exec(text) ?? [];
    const value = values.find((one) => one !== undefined) ?? '';
    const end = NAME.lastIndex + all.length;
    const behind = named(text, end - value.length, value, /^[[{]/);
    yield behind;
    if (behind.isRest) return;
    NAME.lastIndex = end;
  }
}

function* inForm(text: string): Generator<NamedValue> {
  if (/[\r\n<{"]/.test(text.trim())) return;
  let start = 0;
  for (const part of text.split('&')) {
    const [[name, value] = ['', '']] = new URLSearchParams(part);
    const equals = part.indexOf('=') + 1;
    const end = start + part.length;
    if (equals > 0 && isSecretName(name)) yield { start: start + equals, end, values: [value] };
    start = end + 1;
  }
}

const TAG = /<([^\s<>/!?]+)([^<>]*)>([^<]*)/g;

function* inTags(text: string): Generator<NamedValue> {
  for (const { 1: name = '', 2: attributes = '', 3: content = '', index } of text.matchAll(TAG)) {
    if (!isSecretName(name)) continue;
    const start = index + 1 + name.length;
    const end = start + attributes.replace(/\/$/, '').length;
    if (attributes.trim() !== '') yield { start, end, values: wordsOf(attributes) };
    const isEmpty = attributes.endsWith('/');
    if (isEmpty) continue;
    const inside = named(text, start + attributes.length + 1, content, /^<[^/]/);
    yield inside;
    if (inside.isRest) return;
  }
}

/** The parts of multipart, whose head names them. */
function* inParts(text: string): Generator<NamedValue> {
  const [delimiter] = /^\s*--[^\r\n]*/.exec(text) ?? [];
  if (delimiter === undefined) return;
  const between = `\n${delimiter.trim()}`;
  let at = 0;
  for (const part of text.split(between)) {
    const { 0: gap = '', index = part.length } = /\r?\n\r?\n/.exec(part) ?? {};
    const [, quoted, bare = ''] =
      /[\s;]name\*?=(?:"((?:[^"\\]|\\.)*)|([^\s;]*))/is.exec(part.slice(0, index)) ?? [];
    const start = at + index + gap.length;
    const value = part.slice(index + gap.length).replace(/\r$/, '');
    if (isSecretName(quoted ?? bare)) yield { start, end: start + value.length, values: [value] };
    at += part.length + between.length;
  }
}

/** A value, with all of the rest if something opens at its end that is not closed there. */
function named(text: string, start: number, value: string, opening: RegExp) {
  const end = start + value.length;
  const isOpen = value.trim() === '' && opening.test(text.slice(end, end + 2));
  if (!isOpen) return { start, end, values: [value.trim()], isRest: false };
  return { start, end: text.length, values: wordsOf(text.slice(end)), isRest: true };
}

function wordsOf(text: string): string[] {
  return text.match(/[^\s"'<>{}[\],;&=:]+/g) ?? [];
}
