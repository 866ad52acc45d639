import formats, { type FormatName } from 'ajv-formats';

type Keywords = Readonly<Partial<Record<'format' | 'pattern', string>>>;
type Test = (text: string) => boolean;

export interface TextFormat {
  readonly name: string;
  readonly sample: string;
  /** Its keywords in JSON Schema. A text that matches also satisfies them. */
  readonly keywords: Keywords;
  readonly matches: Test;
}

const CURRENCIES = Intl.supportedValuesOf('currency');

/** The most specific format first. */
const TEXT_FORMATS: readonly TextFormat[] = [
  textFormat('date-time', '2001-01-01T00:00:00.000Z', { format: 'date-time' }),
  textFormat('date', '2001-01-01', { format: 'date' }),
  textFormat('UUID', '00000000-0000-4000-8000-000000000001', { format: 'uuid' }),
  textFormat('URL', 'https://host.example/', { format: 'uri' }, (text) =>
    /^https?:\/\//i.test(text),
  ),
  textFormat('e-mail', 'user@host.example', { format: 'email' }),
  // With +, or with a country code and too many digits for an amount.
  textFormat('phone number', '+22900000001', { pattern: '^(\\+[1-9]\\d{6,14}|[1-9]\\d{10,14})$' }),
  textFormat('decimal', '100.00', { pattern: '^-?\\d+(\\.\\d+)?$' }),
  textFormat('currency code', 'XOF', { pattern: '^[A-Z]{3}$' }, (text) =>
    CURRENCIES.includes(text),
  ),
];

const MAX_LENGTH = 2000;

export function formatOf(text: string): TextFormat | undefined {
  return text.length > MAX_LENGTH ? undefined : TEXT_FORMATS.find(({ matches }) => matches(text));
}

/** The format of a schema; `undefined` for a format that `record` never writes. */
export function formatIn({ format, pattern }: Keywords): TextFormat | undefined {
  return TEXT_FORMATS.find(
    ({ keywords }) =>
      keywords.format === format && (format !== undefined || keywords.pattern === pattern),
  );
}

function textFormat(
  name: string,
  sample: string,
  keywords: Keywords,
  isAlso: Test = () => true,
): TextFormat {
  const { format, pattern } = keywords;
  const check = pattern ? new RegExp(pattern, 'u') : formats.default.get(format as FormatName);
  const { validate = check } = check as { validate?: Test };
  const isValid =
    validate instanceof RegExp ? (text: string) => validate.test(text) : (validate as Test);
  return { name, sample, keywords, matches: (text) => isAlso(text) && isValid(text) };
}
