import { ExactNumber } from '../../mock/json/exact-json.ts';

/** What placeholders stand for, by name. */
export type PlaceholderValues = Readonly<Record<string, string>>;

/** Not after a dollar sign, which begins a variable of the shell. */
const PLACEHOLDER = /(?<!\$)\{([A-Za-z][\w.-]*)\}/g;

export function placeholdersIn(template: string): string[] {
  return Array.from(template.matchAll(PLACEHOLDER), ([, name = '']) => name);
}

/** @param encode how to write a value at this place of the template */
export function fillIn(
  template: string,
  values: PlaceholderValues,
  encode: (value: string, at: number) => string = (value) => value,
): string {
  return template.replace(PLACEHOLDER, (_all, name: string, at: number) =>
    encode(values[name] ?? '', at),
  );
}

/** A value at the beginning is a URL itself. */
export function fillInUrl(template: string, values: PlaceholderValues): string {
  return fillIn(template, values, (value, at) => (at === 0 ? value : encodeURIComponent(value)));
}

export function fillInAll(
  texts: PlaceholderValues,
  values: PlaceholderValues,
): Record<string, string> {
  const filled = Object.entries(texts).map(([name, text]) => [name, fillIn(text, values)]);
  return Object.fromEntries(filled);
}

/** Replaces each text in a JSON value. */
export function replaceTexts(json: unknown, replace: (text: string) => unknown): unknown {
  if (typeof json === 'string') return replace(json);
  if (Array.isArray(json)) return json.map((item) => replaceTexts(item, replace));
  if (typeof json !== 'object' || json === null || json instanceof ExactNumber) return json;
  const members = Object.entries(json).map(([name, item]) => [name, replaceTexts(item, replace)]);
  return Object.fromEntries(members);
}
