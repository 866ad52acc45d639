import type { Span } from './secret-finder.ts';
import { isSecretName } from './secret-names.ts';

/** What stands under the name of a secret, and its place in the body. */
export interface NamedValue extends Span {
  readonly values: readonly string[];
}

/** A text in JSON and, where it is a name, the text or number of that name, as they were written. */
const MEMBER = /("(?:[^"\\]|\\.)*")(?:\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*))?/g;

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
  for (const [, name = '', value] of text.matchAll(MEMBER)) {
    if (value !== undefined && isSecretName(JSON.parse(name))) {
      secrets.push(value.startsWith('"') ? JSON.parse(value) : value);
    }
  }
  return secrets;
}

/**
 * What follows the name of a secret in any other text: a form, XML, multipart, lines of names and
 * values, JSON that is broken or was cut. Where a bracket or another element follows, all of the
 * rest does: too much is better than too little.
 */
export function looseSecrets(text: string): NamedValue[] {
  const [, delimiter] = /(?:^|\n)(--\S+)/.exec(text) ?? [];
  const fields = delimiter === undefined ? inForm(text) : inParts(text, delimiter);
  return [...fields, ...afterNames(text)];
}

const FIELD = /(?:^|&)([^=&<{"\r\n]*)=([^&]*)/g;

function* inForm(text: string): Generator<NamedValue> {
  for (const { 0: all, 1: name = '', 2: value = '', index } of text.matchAll(FIELD)) {
    if (isSecretName(ofForm(name))) yield named(index + all.length - value.length, value);
  }
}

/** The parts of multipart with the name of a secret in their head, be it that of a file. */
function* inParts(text: string, delimiter: string): Generator<NamedValue> {
  const line = `\n${delimiter}`;
  let at = -1;
  for (const part of `\n${text}`.split(line)) {
    const end = part.search(/\n\r?\n/);
    const value = part.slice(end).trim();
    if (isSecretName(part.slice(0, Math.max(0, end)))) {
      yield named(at + part.indexOf(value, end), value);
    }
    at += part.length + line.length;
  }
}

/** The name of an element of XML, or any other and how far it is to its value. */
const NAME =
  /<((?:[^\s"'\\:=,;&<>{}[\]/!?]+:)?[^\s"'\\:=,;&<>{}[\]/!?]+)(?=[\s>/])>?|([^\s"'\\:=,;&<>{}[\]]+)(["'\\\s\]]*[:=]>?\s*)?/g;
const CONTENT = /((?:[^<]*(?<!\/)>)?\s*<[^/].*|[^<]*)/sy;
const VALUE = /([[{<].*)|\\*"((?:[^"\\]|\\.)*)|\\*'((?:[^'\\]|\\.)*)|([^"'<>{}[\],&\r\n]*)/sy;

function* afterNames(text: string): Generator<NamedValue> {
  NAME.lastIndex = 0;
  for (let match = NAME.exec(text); match !== null; match = NAME.exec(text)) {
    const [, element, name = '', sign] = match;
    if (!isSecretName(element ?? name) || (element ?? sign) === undefined) continue;
    const expression = element === undefined ? VALUE : CONTENT;
    expression.lastIndex = NAME.lastIndex;
    const [all = '', ...values] = expression.exec(text) ?? [];
    const value = values.find((one) => one !== undefined) ?? '';
    NAME.lastIndex += all.length;
    yield named(NAME.lastIndex - value.length, value);
  }
}

/** A value with all that it may mean: in a form, in XML, in JSON, and each word of more than a value. */
function named(start: number, value: string): NamedValue {
  const end = start + value.length;
  const text = value.trim();
  const words = /["'\\<>{}[\]]/.test(text) ? text.split(/[\s"'\\<>{}[\],;&=:]+/) : [];
  const values = [text, ...words].flatMap((one) => [one, ofForm(one), ofXml(one), ofJson(one)]);
  return { start, end, values };
}

function ofForm(text: string): string {
  if (!/[%+]/.test(text)) return text;
  return new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get('') ?? '';
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
};

function ofXml(text: string): string {
  return text.replace(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity);
}

function ofJson(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}
