import formats from 'ajv-formats';

export interface TextFormat {
  readonly name: string;
  /** Its keywords in JSON Schema. */
  readonly keywords: { readonly format: string } | { readonly pattern: string };
  /** A text that matches also satisfies the keywords. */
  readonly matches: (text: string) => boolean;
  /** A text that matches. */
  readonly sample: string;
}

const CURRENCIES = Intl.supportedValuesOf('currency');

/** The most specific format first. */
const TEXT_FORMATS: readonly TextFormat[] = [
  { name: 'date-time', ...ajvFormat('date-time'), sample: '2001-01-01T00:00:00.000Z' },
  { name: 'date', ...ajvFormat('date'), sample: '2001-01-01' },
  { name: 'UUID', ...ajvFormat('uuid'), sample: '00000000-0000-4000-8000-000000000001' },
  {
    name: 'URL',
    ...ajvFormat('uri', (text) => /^https?:\/\//i.test(text)),
    sample: 'https://host.example/',
  },
  { name: 'e-mail', ...ajvFormat('email'), sample: 'user@host.example' },
  {
    name: 'phone number',
    // With +, or with a country code and too many digits for an amount.
    ...patternFormat('^(\\+[1-9]\\d{6,14}|[1-9]\\d{10,14})$'),
    sample: '+22900000001',
  },
  { name: 'decimal', ...patternFormat('^-?\\d+(\\.\\d+)?$'), sample: '100.00' },
  {
    name: 'currency code',
    ...patternFormat('^[A-Z]{3}$', (text) => CURRENCIES.includes(text)),
    sample: 'XOF',
  },
];

/** The maximum length of a text that has a format, in UTF-16 units. */
const MAX_LENGTH = 2000;

export function formatOf(text: string): TextFormat | undefined {
  return text.length > MAX_LENGTH ? undefined : TEXT_FORMATS.find(({ matches }) => matches(text));
}

/** The format of a schema; `undefined` for a format that `record` never writes. */
export function formatIn({ format, pattern }: Keywords): TextFormat | undefined {
  const json = JSON.stringify(format === undefined ? { pattern } : { format });
  return TEXT_FORMATS.find(({ keywords }) => JSON.stringify(keywords) === json);
}

type Keywords = Partial<Record<'format' | 'pattern', string>>;
type Test = (text: string) => boolean;

/** A format of JSON Schema, as ajv checks it. */
function ajvFormat(
  format: 'date' | 'date-time' | 'uuid' | 'uri' | 'email',
  isAlso: Test = () => true,
): Pick<TextFormat, 'keywords' | 'matches'> {
  const check = formats.default.get(format) as RegExp | Test | { validate: RegExp | Test };
  const valid = 'validate' in check ? check.validate : check;
  const isValid: Test = valid instanceof RegExp ? (text) => valid.test(text) : valid;
  return { keywords: { format }, matches: (text) => isAlso(text) && isValid(text) };
}

function patternFormat(
  pattern: string,
  isAlso: Test = () => true,
): Pick<TextFormat, 'keywords' | 'matches'> {
  const expression = new RegExp(pattern, 'u');
  return { keywords: { pattern }, matches: (text) => expression.test(text) && isAlso(text) };
}
