import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { inAnyEncoding, keyWords, replaceSpans, SecretFinder } from '../redaction/secret-finder.ts';

/**
 * The keys from the settings, which tests may have put anywhere: in any letter case, percent-encoded,
 * or with JSON escapes. A mark replaces each. It has the exact text, encrypted with the key, so that
 * only a mock with this key can put it back.
 */
export class HiddenKeys {
  readonly #finder = new SecretFinder();
  /** By the ids in marks. */
  readonly #forms: ReadonlyMap<string, string>;

  constructor(keys: readonly string[]) {
    const forms = keys.flatMap(formsOf);
    for (const form of forms) this.#finder.add(form);
    this.#forms = new Map(forms.map((form) => [idOf(form), form]));
  }

  hide<Json>(json: Json): Json {
    return mapTexts(json, (text) =>
      replaceSpans(
        text,
        this.#forms.size === 0 ? [] : this.#find(text),
        ({ form }, key) => markOf(form, key),
        (others) => others.replace(LIKE_MARK, '[key=$1 '),
      ),
    );
  }

  /** The mark of a key that was removed from the settings stays. */
  putBack<Json>(json: Json): Json {
    return mapTexts(json, (text) =>
      text.replace(MARK, (mark, id, sealed, escapes) => {
        if (escapes !== undefined) return `[key${escapes} `;
        const form = this.#forms.get(id);
        return form === undefined ? mark : opened(form, sealed);
      }),
    );
  }

  /** With the form of the key that is in each place once the text is decoded. */
  #find(text: string) {
    const forms: string[] = [];
    const spans = inAnyEncoding(text, (lower) => {
      const words = this.#finder.hasShort
        ? keyWords(lower, WORD, (word) => this.#finder.has(word))
        : [];
      const found = [...this.#finder.find(lower, false), ...words];
      forms.push(...found.map(({ start, end }) => lower.slice(start, end)));
      return found;
    });
    return spans.map((span, index) => ({ ...span, form: forms[index] ?? '' }));
  }
}

const WORD = /[^\s"'=&<>:,;{}[\]\\]+/g;

/** How often JSON is in JSON where a key is still found. Each level doubles its backslashes. */
const MAX_NESTED = 6;

/** A key, in lower case, as it is and as it is in JSON that is in JSON, and in URLs in URLs. */
function formsOf(key: string): string[] {
  const forms = [key.replaceAll('+', ' '), encodeURIComponent(key)];
  let form = key;
  for (let level = 0; level <= MAX_NESTED; level++) {
    forms.push(form);
    form = JSON.stringify(form).slice(1, -1);
  }
  return [...new Set(forms.map((form) => form.toLowerCase()))];
}

/** The mark of a key, or the escaped beginning of test data that looks like a mark. */
const MARK = /\[key ([\da-f]{16}) ([\w-]+)\]|\[key=(=*) /g;
const LIKE_MARK = /\[key(=*) /g;

function markOf(form: string, text: string): string {
  const secret = secretOf(form);
  // Equal texts have equal marks, so that a snapshot changes only with what it has.
  const iv = createHmac('sha256', secret).update(text).digest().subarray(0, IV_BYTES);
  const sealed = createCipheriv('aes-256-ctr', secret, iv).update(text);
  return `[key ${idOf(form)} ${Buffer.concat([iv, sealed]).toString('base64url')}]`;
}

function opened(form: string, mark: string): string {
  const bytes = Buffer.from(mark, 'base64url');
  const iv = Buffer.concat([bytes.subarray(0, IV_BYTES)], IV_BYTES);
  const decipher = createDecipheriv('aes-256-ctr', secretOf(form), iv);
  return decipher.update(bytes.subarray(IV_BYTES)).toString();
}

const IV_BYTES = 16;

function idOf(form: string): string {
  return hashOf(form).slice(0, 16);
}

function secretOf(form: string): Buffer {
  return createHash('sha256').update(`mark ${form}`).digest();
}

export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** A copy of JSON with changed texts, but the same names. */
function mapTexts<Value>(json: Value, change: (text: string) => string): Value {
  const mapped = (value: unknown): unknown => {
    if (typeof value === 'string') return change(value);
    if (Array.isArray(value)) return value.map(mapped);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, mapped(member)]);
    return Object.fromEntries(members);
  };
  return mapped(json) as Value;
}
