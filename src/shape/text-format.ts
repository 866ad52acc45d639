import formats from 'ajv-formats';

/** What a text looks like. */
export interface TextFormat {
  /** The name in reports. */
  readonly name: string;
  /** The keywords of JSON Schema that state it. */
  readonly keywords: { readonly format: string } | { readonly pattern: string };
  /** Whether a text has this format. It then also satisfies the keywords. */
  readonly isOne: (text: string) => boolean;
  /**
   * Makes up a text; `undefined` if there are no more.
   *
   * @param count counts up from 1, so that each text is another one
   * @param original the text that it replaces, for its form
   */
  readonly make: (count: number, original: string) => string | undefined;
}

const CURRENCIES = Intl.supportedValuesOf('currency');

/** The formats, the most special first. */
const TEXT_FORMATS: readonly TextFormat[] = [
  { name: 'date-time', ...inAjv('date-time'), make: (count) => dayOf(count).toISOString() },
  { name: 'date', ...inAjv('date'), make: (count) => dayOf(count).toISOString().slice(0, 10) },
  {
    name: 'UUID',
    ...inAjv('uuid'),
    make: (count) => `00000000-0000-4000-8000-${digits(count, 12)}`,
  },
  {
    name: 'URL',
    ...inAjv('uri', (text) => /^https?:\/\//i.test(text)),
    make: (count) => `https://host-${count}.example/`,
  },
  {
    name: 'e-mail',
    ...inAjv('email'),
    make: (count) => `user-${count}@host-${count}.example`,
  },
  {
    name: 'phone number',
    // With +, or with a country code and so many digits that it is hardly an amount.
    ...ofPattern('^(\\+[1-9]\\d{6,14}|[1-9]\\d{10,14})$'),
    make: (count, original) => `${original.startsWith('+') ? '+' : ''}229${digits(count, 8)}`,
  },
  {
    name: 'decimal',
    ...ofPattern('^-?\\d+(\\.\\d+)?$'),
    make: (count, original) => {
      const { length = 0 } = original.split('.')[1] ?? '';
      return (count * 100).toFixed(Math.min(length, MOST_DECIMALS));
    },
  },
  {
    name: 'currency code',
    ...ofPattern('^[A-Z]{3}$', (text) => CURRENCIES.includes(text)),
    make: (count) => CURRENCIES[count - 1],
  },
];

/** The longest text that has a format, in UTF-16 units. */
const LONGEST = 2000;

/** The format of a text; `undefined` if it has none. */
export function formatOf(text: string): TextFormat | undefined {
  return text.length > LONGEST ? undefined : TEXT_FORMATS.find(({ isOne }) => isOne(text));
}

/** The name in reports of what `format` or `pattern` say; `undefined` for what record never writes. */
export function formatName(keywords: object): string | undefined {
  const json = JSON.stringify(keywords);
  return TEXT_FORMATS.find((one) => JSON.stringify(one.keywords) === json)?.name;
}

type Check = (text: string) => boolean;

/** A format of JSON Schema, as ajv checks it. */
function inAjv(
  format: 'date' | 'date-time' | 'uuid' | 'uri' | 'email',
  isAlso: Check = () => true,
): Pick<TextFormat, 'keywords' | 'isOne'> {
  const check = formats.default.get(format) as RegExp | Check | { validate: RegExp | Check };
  const valid = 'validate' in check ? check.validate : check;
  const isValid: Check = valid instanceof RegExp ? (text) => valid.test(text) : valid;
  return { keywords: { format }, isOne: (text) => isAlso(text) && isValid(text) };
}

function ofPattern(
  pattern: string,
  isAlso: Check = () => true,
): Pick<TextFormat, 'keywords' | 'isOne'> {
  const expression = new RegExp(pattern, 'u');
  return { keywords: { pattern }, isOne: (text) => expression.test(text) && isAlso(text) };
}

const MOST_DECIMALS = 20;

/** The day that made-up days follow, in ms since 1970. */
const FIRST_DAY = Date.UTC(2000, 11, 31);
const DAY_MS = 86_400_000;

function dayOf(count: number): Date {
  return new Date(FIRST_DAY + count * DAY_MS);
}

function digits(count: number, length: number): string {
  return String(count).padStart(length, '0');
}
