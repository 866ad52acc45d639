import { isObject } from '../mock/json/exact-json.ts';

/** What a webhook says, by the names that providers give to it: what happened, its state and its code. */
const PARTS = [
  /^(event|topic|action|type|(event|notification)_?(type|name))$/i,
  /^(status|state|((transaction|payment|order|transfer|final)_?)?(status|state))$/i,
  /^((result|status|error|response|reason)_?(message_?)?code|reason)$/i,
];

const MAX_LEVELS = 6;
const MAX_LENGTH = 60;

export interface WebhookContent {
  /** Such as `payment.changed, success, 200`. */
  readonly words: string;
  /** What a body has to contain to say the same. */
  readonly match: unknown;
}

interface Found {
  readonly name: string;
  readonly value: string | number;
  readonly path: readonly string[];
}

/** What the body of a webhook says, in JSON or in a form; `undefined` if it has none of these names. */
export function contentOf(body: string): WebhookContent | undefined {
  const json = parsedJson(body);
  const form = json === undefined ? new URLSearchParams(body) : undefined;
  const content = json ?? Object.fromEntries(form ?? []);
  const found = PARTS.flatMap((names) => find(content, names) ?? []);
  const last = found.at(-1);
  if (last === undefined) return undefined;
  const paths = found.map(({ path }) => path);
  // Of text, a webhook has to contain a part.
  const text = new URLSearchParams([[last.name, `${last.value}`]]);
  return {
    words: found.map(wordsOf).join(', '),
    match: form === undefined ? partOf(content, paths) : `${text}`,
  };
}

/** Without its name, a number says nothing. */
function wordsOf({ name, value }: Found): string {
  return typeof value === 'number' ? `${name} ${value}` : value;
}

function parsedJson(body: string): object | undefined {
  try {
    return Object(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** The first member with such a name, the outermost one if there are several. */
function find(root: unknown, names: RegExp): Found | undefined {
  let level: { value: unknown; path: readonly string[] }[] = [{ value: root, path: [] }];
  for (let depth = 0; depth < MAX_LEVELS; depth++) {
    const members = level.flatMap(({ value, path }) =>
      isObject(value)
        ? Object.entries(value).map(([name, inner]) => ({
            name,
            value: inner,
            path: [...path, name],
          }))
        : [],
    );
    const found = members.find(({ name, value }) => names.test(name) && isWord(value));
    if (found !== undefined) return found as Found;
    level = members;
  }
  return undefined;
}

function isWord(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH;
}

/** The part of a value that has only these members. */
function partOf(value: object, paths: readonly (readonly string[])[]): object {
  const members = Object.entries(value).flatMap(([name, inner]) => {
    const inside = paths.filter(([first]) => first === name).map((path) => path.slice(1));
    if (inside.length === 0) return [];
    return [[name, inside.some(({ length }) => length === 0) ? inner : partOf(inner, inside)]];
  });
  return Object.fromEntries(members);
}
