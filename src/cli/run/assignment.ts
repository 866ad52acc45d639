/** A variable for the command, with the places of the mock in it still to be filled in. */
export interface Assignment {
  readonly name: string;
  readonly template: string;
}

/** What can stand in braces in a template. */
export const PLACEHOLDERS = [
  'url',
  'controlUrl',
  'apikey',
  'ca',
  'bundle',
  'port',
  'controlPort',
  'proxy',
] as const;

/** The facts about a mock that runs, by placeholder. Those that it lacks are left out. */
export type Facts = Readonly<Partial<Record<(typeof PLACEHOLDERS)[number], string>>>;

const PLACEHOLDER = /\{([A-Za-z]\w*)\}/g;
const ALL = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');

/**
 * Reads `NAME=TEMPLATE`.
 *
 * @returns a sentence where it is wrong; it does not repeat the template, which may be a key
 */
export function readAssignment(text: string): Assignment | string {
  const [, name, template] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || template === undefined) {
    return 'Failed to read --set: it is not NAME=TEMPLATE. Give one such as MOMO_BASE_URL={url}.';
  }
  const used = [...template.matchAll(PLACEHOLDER)].map(([, word]) => word);
  if (used.every((word) => PLACEHOLDERS.some((known) => known === word))) return { name, template };
  return `Failed to read --set ${name}: there is no such placeholder. There are ${ALL}.`;
}

/**
 * Fills in a template.
 *
 * @returns `undefined` where the mock lacks what it asks for
 */
export function fillIn({ template }: Assignment, facts: Facts): string | undefined {
  const values = new Map(Object.entries(facts));
  const isWhole = [...template.matchAll(PLACEHOLDER)].every(([, word = '']) => values.has(word));
  if (!isWhole) return undefined;
  return template.replace(PLACEHOLDER, (_all, word) => values.get(word) ?? '');
}
