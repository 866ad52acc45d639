/** Text that no value has. A number is written as a string with it, which then becomes the number. */
const MARK = `number ${Math.random().toString(36).slice(2)} `;
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g');
/** A string or a number in valid JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** Without a match, all numbers are whole ones that JavaScript writes as they are. */
const MAY_CHANGE = /-0|\d[.eE]|\d{16}/;

const MAX_EXPONENT_LENGTH = 100;

let isWriting = false;

/**
 * A number in JSON that JavaScript would write in another way: `12345678901234567890`, `100.00`, `1e2`.
 * It keeps its text. `JSON.stringify` writes it as a plain number; {@link writeJson} writes the text.
 */
export class ExactNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  toJSON(): string | number {
    return isWriting ? MARK + this.#text : Number(this.#text);
  }
}

/** Parses JSON as `JSON.parse` does, with an {@link ExactNumber} for each number that needs one. */
export function parseExact(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  if (!MAY_CHANGE.test(text)) return plain;
  const marked = text.replace(TOKEN, (token) =>
    token.startsWith('"') || `${Number(token)}` === token ? token : `"${MARK}${token}"`,
  );
  if (marked === text) return plain;
  const root = { value: JSON.parse(marked) };
  // Not a reviver, which would limit the depth.
  const parents: Record<string, unknown>[] = [root];
  for (const parent of parents) {
    // The names of a long list would take more memory than its items.
    for (const name of Array.isArray(parent) ? parent.keys() : Object.keys(parent)) {
      const item = parent[name];
      if (typeof item === 'object' && item !== null) parents.push(item as typeof parent);
      else if (typeof item === 'string' && item.startsWith(MARK)) {
        parent[name] = new ExactNumber(item.slice(MARK.length));
      }
    }
  }
  return root.value;
}

/**
 * Writes JSON as `JSON.stringify` does, with the digits of each {@link ExactNumber} and bigint.
 *
 * @param inspect called with each value, and the object or list that contains it
 * @throws TypeError for a circle
 */
export function writeJson(
  value: unknown,
  inspect?: (item: unknown, parent: unknown) => void,
): string {
  function replace(this: unknown, _name: string, item: unknown): unknown {
    inspect?.(item, this);
    return typeof item === 'bigint' ? `${MARK}${item}` : item;
  }
  isWriting = true;
  try {
    const json = JSON.stringify(value, inspect && replace);
    return json?.includes(MARK) ? json.replace(MARKED, '$1') : json;
  } catch (error) {
    // Without a function, JSON.stringify is several times as fast, but refuses a bigint.
    if (inspect === undefined && error instanceof TypeError) return writeJson(value, () => {});
    throw error;
  } finally {
    isWriting = false;
  }
}

/** Whether a value is an object in JSON, and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** A number as it is in JSON, and as JavaScript writes it. */
export function formsOfNumber(number: number | ExactNumber): string[] {
  return number instanceof ExactNumber ? [`${number}`, `${Number(number)}`] : [`${number}`];
}

/** Whether two numbers have the same decimal value: 1e2 and 100.00 have, 2^53 and 2^53 + 1 have not. */
export function isSameNumber(a: number | ExactNumber, b: number | ExactNumber): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a === b;
  return decimalOf(`${a}`) === decimalOf(`${b}`);
}

/** The same text for all numbers with one decimal value: `100.0`, `1E+2` -> `1e2`. */
function decimalOf(number: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = `${whole}${fraction}`;
  // The lookbehind keeps the search linear.
  const significant = digits.replace(/(?<!0)0+$/, '');
  const unsigned = significant.replace(/^0+/, '');
  if (unsigned === '') return '0';
  // Compared as text, because a bigint of many digits takes seconds.
  if (exponent.length > MAX_EXPONENT_LENGTH) return number;
  const power = BigInt(exponent) + BigInt(whole.length - significant.length);
  return `${sign}${unsigned}e${power}`;
}
