import type { BodyField } from './body-fields.ts';
import { isSecretName } from './secret-names.ts';

const CDATA = '<![CDATA[';
const TOKEN =
  /<!\[CDATA\[(.*?)(?:\]\]>|$)|<!--.*?(?:-->|$)|<(\/?)([^\s<>/"'=]+)((?:[^<>"']|"[^"<]*"?|'[^'<]*'?)*)>?/gs;
const ATTRIBUTE = /([^\s"'=/]+)(?:\s*=\s*(?:"([^"]*)|'([^']*)|([^\s"']+)))?/g;

/** An open element with the name of a secret. All of its content is one value. */
interface SecretElement {
  readonly name: string;
  readonly start: number;
  readonly values: string[];
  /** The number of open elements with its name. */
  depth: number;
}

/** The fields of an XML body: texts and attributes. */
export function xmlFields(body: string): BodyField[] {
  const fields: BodyField[] = [];
  let secret: SecretElement | undefined;
  let at = 0;
  const add = (start: number, text: string, isSecret = false) => {
    const trimmed = text.trim();
    const values = [decoded(trimmed)];
    const first = start + text.indexOf(trimmed);
    if (secret !== undefined) secret.values.push(...values);
    else fields.push({ start: first, end: first + trimmed.length, values, isSecret });
  };
  const close = (end: number) => {
    if (secret === undefined) return;
    fields.push({ start: secret.start, end, values: secret.values, isSecret: true });
    secret = undefined;
  };
  for (const match of body.matchAll(TOKEN)) {
    const { 0: tag, 1: cdata, 2: slash = '', 3: name, 4: attributes = '', index } = match;
    add(at, body.slice(at, index));
    at = index + tag.length;
    if (cdata !== undefined) add(index + CDATA.length, cdata);
    if (name === undefined) continue;
    const before = index + 1 + slash.length + name.length;
    for (const attribute of attributes.matchAll(ATTRIBUTE)) {
      const [all, key = '', inDouble, inSingle, bare] = attribute;
      const value = inDouble ?? inSingle ?? bare;
      if (value === undefined) continue;
      const end = before + attribute.index + all.length;
      add(end - value.length, value, isSecretName(key) || isSecretName(name));
    }
    const isEmpty = tag.endsWith('/>');
    if (secret === undefined) {
      if (slash === '' && !isEmpty && isSecretName(name)) {
        secret = { name: name.toLowerCase(), start: at, values: [], depth: 1 };
      }
    } else if (secret.name === name.toLowerCase() && !isEmpty) {
      secret.depth += slash === '' ? 1 : -1;
      if (secret.depth === 0) close(index);
    }
  }
  add(at, body.slice(at));
  close(body.length);
  return fields;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (entity, name) => ENTITIES[name] ?? entity);
}
