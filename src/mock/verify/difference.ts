import { type Difference, differences } from '../journal/filter.ts';
import { type FilteredFields, isBodyCut } from '../journal/record.ts';
import { parseExact } from '../json/exact-json.ts';
import { formFields, isJson } from '../requests/form.ts';
import { contained } from './contained.ts';
import type { AnyExpectation } from './expectation.ts';
import type { VerifiedEntry } from './subject.ts';

/** What an expectation is compared with. */
type Comparable = FilteredFields & Pick<VerifiedEntry, 'query' | 'headers' | 'body'>;

export function* allDifferences(
  entry: Comparable,
  expectation: AnyExpectation,
): Generator<Difference, void> {
  const { query, headers = {}, body } = expectation;
  yield* differences(entry, expectation);
  if (query !== undefined) yield* contained(entry.query, query, 'query');
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  yield* contained(entry.headers, Object.fromEntries(lowerCase), 'headers');
  if (typeof body !== 'string') {
    if (body === undefined) return;
    const { value, isForm } = parsedBody(entry);
    yield* contained(value, body, 'body', isForm);
  } else if (!entry.body.includes(body)) {
    yield { field: 'body', expected: body, received: entry.body };
  }
}

interface ParsedBody {
  readonly value: unknown;
  readonly isForm: boolean;
}

/** Parses each body once, although up to 100 expectations may read it. */
const bodies = new WeakMap<object, ParsedBody>();

export function parsedBody(entry: Comparable): ParsedBody {
  const parsed = bodies.get(entry) ?? parse(entry);
  bodies.set(entry, parsed);
  return parsed;
}

/** The value of JSON and the fields of a form, as handlers see them, or any other body as text. */
function parse(entry: Comparable): ParsedBody {
  const { body, headers } = entry;
  const [type] = [headers['content-type']].flat();
  // The last field of a form may be cut.
  const fields = body === '' || isBodyCut(entry) ? undefined : formFields(body, type);
  try {
    const value = parseExact(body);
    if (fields === undefined || isJson(body, type)) return { value, isForm: false };
  } catch {}
  return { value: fields ?? body, isForm: fields !== undefined };
}
