import { isKeyName, isSecretHeader, PARAMETER } from './key-names.ts';
import type { RequestTarget } from './request-target.ts';

/** What stands in place of a key. */
export const REDACTED = '[redacted]';

/** A shorter text is too common to be looked for inside other texts. */
const SHORTEST = 6;
/** How many wrong keys are remembered. */
const MOST = 1000;
const ASSIGNMENT = /(key(?:\[\])?["']?\s*(?:=|:|%3a|%3d)\s*["']?)[^&\s"'#]+/gi;

/**
 * The keys that were seen, right and wrong, so that none comes out of the journal. A wrong key is
 * known by where it was: in the place of a key. It is taken out of everything, also of what came
 * before it.
 */
export class Secrets {
  readonly #wrong = new Set<string>();
  /** Headers that were looked at. */
  readonly #seen = new WeakSet<object>();
  readonly #right: () => Iterable<string>;
  /** The redactor that was made last, and for which keys. */
  #made: { keys: readonly string[]; redact: (text: string) => string } | undefined;

  /** @param right the keys that open an account */
  constructor(right: () => Iterable<string>) {
    this.#right = right;
  }

  /** Remembers what came in the place of a key. */
  remember(value: string): void {
    if (value.length < SHORTEST) return;
    this.#wrong.add(value);
    if (this.#wrong.size <= MOST) return;
    const [oldest = ''] = this.#wrong;
    this.#wrong.delete(oldest);
  }

  /**
   * Remembers what came under a name that keys go by.
   *
   * @param isGood whether an account was found: then the parameter of the contract has its key,
   *   which is known until it is removed
   */
  rememberQuery(query: RequestTarget['query'], isGood: boolean): void {
    for (const [name, value] of query) {
      if (isKeyName(name) && !(isGood && name === PARAMETER)) this.remember(value);
    }
  }

  /** Remembers what a text, such as a body, says is a key. */
  rememberText(text: string): void {
    for (const [assigned, name = ''] of text.matchAll(ASSIGNMENT)) {
      this.remember(assigned.slice(name.length));
    }
  }

  /** Remembers what came in headers that carry secrets, also without the scheme before it. */
  rememberHeaders(headers: Readonly<Record<string, string | readonly string[] | undefined>>): void {
    if (this.#seen.has(headers)) return;
    this.#seen.add(headers);
    for (const name in headers) {
      if (!isSecretHeader(name)) continue;
      for (const text of [headers[name] ?? ''].flat()) {
        for (const part of text.split(/[\s;,]|(?<=\w)=(?=.)/)) this.remember(part);
      }
    }
  }

  /** A function that takes every key known now out of a text, in each way of writing it. */
  redactor(): (text: string) => string {
    const keys = [...this.#right(), ...this.#wrong];
    const made = this.#made;
    if (made?.keys.length === keys.length && made.keys.every((key, at) => key === keys[at])) {
      return made.redact;
    }
    const redact = redactorOf(keys);
    this.#made = { keys, redact };
    return redact;
  }
}

function redactorOf(keys: readonly string[]): (text: string) => string {
  const forms = new Set(keys.flatMap(formsOf));
  const find = finder([...forms]);
  return (text) => {
    if (forms.has(text)) return REDACTED;
    const clean = text.replace(ASSIGNMENT, `$1${REDACTED}`);
    return find(clean).reduce((rest, form) => rest.replaceAll(escaped(form), REDACTED), clean);
  };
}

/**
 * Finds which forms are in a text, in whatever letter case. Each place of the text is looked up by
 * how a form begins, so that a thousand keys cost no more than one; a shorter form is never found.
 */
function finder(forms: readonly string[]): (text: string) => string[] {
  const byBeginning = new Map<string, { form: string; lower: string }[]>();
  for (const form of forms) {
    const lower = form.toLowerCase();
    const beginning = lower.slice(0, SHORTEST);
    const same = byBeginning.get(beginning);
    if (same === undefined) byBeginning.set(beginning, [{ form, lower }]);
    else same.push({ form, lower });
  }
  return (text) => {
    const lower = text.toLowerCase();
    const found = new Set<string>();
    for (let at = 0; at + SHORTEST <= lower.length; at++) {
      for (const known of byBeginning.get(lower.slice(at, at + SHORTEST)) ?? []) {
        if (lower.startsWith(known.lower, at)) found.add(known.form);
      }
    }
    // The longest first: a key may be the beginning of another.
    return [...found].sort((a, b) => b.length - a.length);
  };
}

/** A key as it is, percent-encoded once and twice, in JSON, in hex, and inside of base64. */
function formsOf(key: string): string[] {
  const bytes = Buffer.from(key);
  const coded = encodeURIComponent(key);
  const plain = [key, coded, encodeURIComponent(coded), JSON.stringify(key).slice(1, -1)];
  // In base64 the first and last characters depend on the neighbours: their core does not.
  const cores = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(shift && 4, -4),
  );
  const base64 = cores.filter((core) => core.length >= SHORTEST);
  const url = base64.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'));
  return [...plain, bytes.toString('hex'), ...base64, ...url];
}

function escaped(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'), 'gi');
}
