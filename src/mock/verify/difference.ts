import { type Difference, differences } from '../journal/filter.ts';
import type { ComparedFields, JournalRecord } from '../journal/record.ts';
import { parseExact } from '../json/exact-json.ts';
import { formFields, isJson } from '../requests/form.ts';
import { fieldsOf, pairsOf } from '../requests/request-target.ts';
import { contained } from './contained.ts';
import type { AnyExpectation } from './expectation.ts';

type Fields = ReturnType<typeof fieldsOf>;
type Sent = Pick<JournalRecord, 'headers' | 'query' | 'text' | 'bodyCut'>;

/** What came. Each part is read once, although up to 10,000 expectations may compare it. */
export class Content {
  readonly #sent: Sent;
  #headers: Fields | undefined;
  #query: Fields | undefined;
  #text: string | undefined;
  #body: ReturnType<typeof parsedBody> | undefined;

  constructor(sent: Sent) {
    this.#sent = sent;
  }

  get headers(): Fields {
    this.#headers ??= fieldsOf(pairsOf(this.#sent.headers));
    return this.#headers;
  }

  get query(): Fields {
    this.#query ??= fieldsOf(this.#sent.query);
    return this.#query;
  }

  get text(): string {
    this.#text ??= this.#sent.text;
    return this.#text;
  }

  get bodyCut(): boolean {
    return this.#sent.bodyCut;
  }

  get body() {
    this.#body ??= parsedBody(this.text, this.headers, this.bodyCut);
    return this.#body;
  }
}

/** How a request or a webhook differs from what is expected, as they really are. */
export function* allDifferences(
  fields: ComparedFields,
  content: Content,
  expectation: AnyExpectation,
): Generator<Difference, void> {
  const { query, headers, body } = expectation;
  yield* differences(fields, expectation);
  if (query !== undefined) yield* contained(content.query, query, ['query']);
  if (headers !== undefined) {
    yield* contained(content.headers, withLowerCaseNames(headers), ['headers']);
  }
  if (typeof body !== 'string') {
    if (body === undefined) return;
    const { value, isForm } = content.body;
    yield* contained(value, body, ['body'], isForm);
  } else if (!content.text.includes(body)) {
    yield { place: ['body'], expected: body, received: content.text };
  }
}

export function withLowerCaseNames<Value>(headers: Readonly<Record<string, Value>>) {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(entries) as Record<string, Value>;
}

/** The value of JSON and the fields of a form, as handlers see them, or any other body as text. */
export function parsedBody(
  text: string,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
  isCut = false,
) {
  const [type] = [headers['content-type']].flat();
  // The last field of a form may be cut.
  const fields = text === '' || isCut ? undefined : formFields(text, type);
  try {
    const value = parseExact(text);
    if (fields === undefined || isJson(text, type)) return { value, isForm: false };
  } catch {}
  return { value: fields ?? text, isForm: fields !== undefined };
}
