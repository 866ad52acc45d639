import formats from 'ajv-formats';

/** The keywords of JSON Schema that state the format of a text. */
export type FormatKeywords = { readonly format: string } | { readonly pattern: string };

/** What a text looks like. */
export interface TextFormat {
  /** The name in reports. */
  readonly name: string;
  readonly keywords: FormatKeywords;
  /** Whether a text has this format. It then also satisfies the keywords. */
  readonly isOne: (text: string) => boolean;
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** The formats, the most special first. */
export const TEXT_FORMATS = [
  known('date-time', 'date-time'),
  known('date', 'date'),
  known('UUID', 'uuid'),
  known('URL', 'uri', (text) => /^https?:\/\//i.test(text)),
  known('e-mail', 'email'),
  // With +, or with a country code and so many digits that it is hardly an amount.
  ofPattern('phone number', '^(\\+[1-9]\\d{6,14}|[1-9]\\d{10,14})$'),
  ofPattern('decimal', '^-?\\d+(\\.\\d+)?$'),
  ofPattern('currency code', '^[A-Z]{3}$', (text) => CURRENCIES.has(text)),
] as const satisfies readonly TextFormat[];

/** The name of a format in reports. */
export type FormatName = (typeof TEXT_FORMATS)[number]['name'];

/** The longest text that has a format, in UTF-16 units. */
const LONGEST = 2000;

/** The format of a text; `undefined` if it has none. */
export function formatOf(text: string): (typeof TEXT_FORMATS)[number] | undefined {
  return text.length > LONGEST ? undefined : TEXT_FORMATS.find(({ isOne }) => isOne(text));
}

/** The name in reports of what `format` or `pattern` say; `undefined` for what record never writes. */
export function formatName(keywords: object): string | undefined {
  const json = JSON.stringify(keywords);
  return TEXT_FORMATS.find((one) => JSON.stringify(one.keywords) === json)?.name;
}

/** A format of JSON Schema, which ajv checks. */
function known<Name extends string>(
  name: Name,
  format: 'date' | 'date-time' | 'uuid' | 'uri' | 'email',
  isAlso: (text: string) => boolean = () => true,
) {
  const check = formats.default.get(format) as RegExp | { validate: unknown } | Check;
  const isValid = readCheck(check);
  return { name, keywords: { format }, isOne: (text: string) => isAlso(text) && isValid(text) };
}

type Check = (text: string) => boolean;

/** ajv-formats has regular expressions, functions, and objects of either. */
function readCheck(check: RegExp | { validate: unknown } | Check): Check {
  if (typeof check === 'function') return check;
  return check instanceof RegExp
    ? (text) => check.test(text)
    : readCheck(check.validate as RegExp | Check);
}

function ofPattern<Name extends string>(
  name: Name,
  pattern: string,
  isAlso: (text: string) => boolean = () => true,
) {
  const expression = new RegExp(pattern, 'u');
  return {
    name,
    keywords: { pattern },
    isOne: (text: string) => isAlso(text) && expression.test(text),
  };
}
