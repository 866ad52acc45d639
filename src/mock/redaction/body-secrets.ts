import { formsOfNumber, isNumber } from '../json/exact-json.ts';
import type { Span } from './automaton.ts';

/** A value under a secret name, in each form that it may have, and its place in the body. */
export interface NamedValue extends Span {
  readonly values: readonly string[];
}

export type IsSecretName = (name: string) => boolean;

/** A JSON text and, if it is a name, the text or number under it, as written. */
const MEMBER = /("(?:[^"\\]|\\.)*")(?:\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*))?/g;

export function jsonSecrets(text: string, json: unknown, isSecretName: IsSecretName): string[] {
  const secrets: string[] = [];
  const collect = (value: unknown, isSecret: boolean): void => {
    if (isNumber(value)) {
      if (isSecret) secrets.push(...formsOfNumber(value));
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      for (const [name, member] of Object.entries(value)) {
        collect(member, isSecret || (!isList && isSecretName(name)));
      }
    } else if (isSecret && typeof value === 'string') secrets.push(value);
  };
  collect(json, false);
  // JSON.parse keeps the last of several equal names.
  for (const [, name = '', value] of text.matchAll(MEMBER)) {
    if (value !== undefined && isSecretName(JSON.parse(name))) {
      secrets.push(value.startsWith('"') ? JSON.parse(value) : value);
    }
  }
  return secrets;
}

/**
 * The values under secret names in text that is not JSON: a form, multipart, XML, lines of names and
 * values, broken or cut JSON. Redacting too much is better than missing a secret.
 */
export function looseSecrets(text: string, isSecretName: IsSecretName): NamedValue[] {
  return [...fieldSecrets(text, isSecretName), ...namedSecrets(text, isSecretName)];
}

/** The fields of a form and the parts of multipart: everything after a head with a secret name. */
function* fieldSecrets(text: string, isSecretName: IsSecretName): Generator<NamedValue> {
  const [, delimiter] = /(?:^|\n)(--\S+)/.exec(text) ?? [];
  const separator = delimiter === undefined ? '&' : `\n${delimiter}`;
  const head = delimiter === undefined ? /^[^=<{"\r\n]*=/ : /^.*?\n\r?\n/s;
  let start = 0;
  for (const field of text.split(separator)) {
    const [name = ''] = head.exec(field) ?? [];
    if (isSecretName(decodedForm(name.replace('=', ''))))
      yield namedValue(start + name.length, field.slice(name.length));
    start += field.length + separator.length;
  }
}

/** The name of an XML element, or any other name and the separator before its value. */
const NAME =
  /<((?:[^\s"'\\:=,;&<>{}[\]/!?]+:)?[^\s"'\\:=,;&<>{}[\]/!?]+)(?=[\s>/])>?|([^\s"'\\:=,;&<>{}[\]]+)(["'\\\s\]]*[:=]>?\s*)?/g;
/** Everything up to the closing tag, or the rest of the body if the element contains another one. */
const CONTENT = /([^<]*(?:<(?!\/).*)?)/sy;
const VALUE = /([[{<].*)|\\*"((?:[^"\\]|\\.)*)|\\*'((?:[^'\\]|\\.)*)|([^"'<>{}[\],&\r\n]*)/sy;

function* namedSecrets(text: string, isSecretName: IsSecretName): Generator<NamedValue> {
  NAME.lastIndex = 0;
  for (let match = NAME.exec(text); match !== null; match = NAME.exec(text)) {
    const [, element, name = '', separator] = match;
    if (!isSecretName(element ?? name) || (element ?? separator) === undefined) continue;
    const expression = element === undefined ? VALUE : CONTENT;
    expression.lastIndex = NAME.lastIndex;
    const [matched = '', ...values] = expression.exec(text) ?? [];
    const value = values.find((group) => group !== undefined) ?? '';
    NAME.lastIndex += matched.length;
    yield namedValue(NAME.lastIndex - value.length, value);
  }
}

/** A value, and its words if it may contain several values, each decoded as a form, XML and JSON. */
function namedValue(start: number, value: string): NamedValue {
  const end = start + value.trimEnd().length;
  const text = value.trim();
  const isSeveral = /["'\\<>{}[\]]/.test(text);
  const words = isSeveral
    ? [/[<>]/, /[\s"'\\<>{}[\],;&=:]+/].flatMap((end) => text.split(end))
    : [];
  const values = [text, ...words].flatMap((part) => [
    part,
    decodedForm(part),
    decodedXml(part),
    decodedJson(part),
  ]);
  return { start, end, values };
}

function decodedForm(text: string): string {
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

function decodedXml(text: string): string {
  return text.replace(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity);
}

function decodedJson(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}
