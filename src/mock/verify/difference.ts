import { type Difference, differences } from '../journal/filter.ts';
import type { FilteredFields } from '../journal/record.ts';
import { parseExact } from '../json/exact-json.ts';
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
    if (body !== undefined) yield* contained(parsedBody(entry), body, 'body');
  } else if (!entry.body.includes(body)) {
    yield { field: 'body', expected: body, received: entry.body };
  }
}

/** Parses each body once, although up to 100 expectations may read it. */
const bodies = new WeakMap<object, unknown>();

/** The value of a JSON body, or any other body as text. */
function parsedBody(entry: Comparable): unknown {
  if (bodies.has(entry)) return bodies.get(entry);
  let body: unknown = entry.body;
  try {
    body = parseExact(entry.body);
  } catch {}
  bodies.set(entry, body);
  return body;
}
