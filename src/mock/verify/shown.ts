import { type Difference, fieldOf, type Place } from '../journal/filter.ts';
import type { JournalRecord } from '../journal/record.ts';
import { writeJson } from '../json/exact-json.ts';
import { jsonOf } from '../json/json-of.ts';
import { REDACTED, type Redactor } from '../redaction/redaction.ts';
import { redactedReason } from '../requests/reason.ts';
import type { ScriptedWebhook } from '../webhooks/webhook-script.ts';
import { partsOfUrl, redactedUrl } from '../webhooks/webhook-url.ts';
import { parsedBody, withLowerCaseNames } from './difference.ts';
import type { AnyExpectation } from './expectation.ts';
import type { VerifiedEntry } from './subject.ts';

/**
 * An expectation without secrets.
 *
 * @param records those whose secrets also count, because a message has them too
 */
export function shownExpectation<Expectation extends AnyExpectation>(
  expectation: Expectation,
  redactor: Redactor,
  records: readonly Pick<JournalRecord, 'parts'>[] = [],
): Expectation {
  const { url, path = null, query, headers, body, reason } = expectation;
  const isText = typeof body === 'string';
  const json = {
    ...(query !== undefined && { query }),
    ...(headers !== undefined && { headers: withLowerCaseNames(headers) }),
  };
  const shown = redactor.redactRequest(
    {
      path,
      headers: {},
      ...(url !== undefined && partsOfUrl(url)),
      body: isText ? body : (writeJson(body) ?? ''),
      also: json,
    },
    [...records.map(({ parts }) => parts), { headers: headers ?? {}, body: '' }],
  );
  return {
    ...expectation,
    ...(reason !== undefined && { reason: redactedReason(reason, redactor) }),
    ...(path !== null && { path: shown.path }),
    ...(url !== undefined && { url: redactedUrl(url, shown) }),
    ...(body !== undefined && { body: isText ? shown.body : parsedBody(shown.body).value }),
    ...(shown.also as object),
  };
}

/** An entry of a webhook script without the secrets of what it matches. */
export function shownWebhook(
  { match, ...scripted }: ScriptedWebhook,
  redactor: Redactor,
): ScriptedWebhook {
  return match === undefined ? scripted : { match: shownExpectation(match, redactor), ...scripted };
}

/** A difference without secrets: of a value with one, it shows neither side and no length. */
export function shownDifference(
  { place, expected, received }: Difference,
  expectation: AnyExpectation,
  entry: VerifiedEntry,
  bodyCut: boolean,
) {
  const [field, ...names] = place;
  if (field === 'reason') return { field, expected: expectation.reason, received: entry.reason };
  if (!SEARCHED.has(field)) return { field, expected, received };
  const isText = typeof expectation.body === 'string';
  const body = isText ? entry.body : parsedBody(entry.body, entry.headers, bodyCut).value;
  const wanted = shownAt(expectation, place);
  const got = received === undefined ? undefined : shownAt({ ...entry, body }, place).value;
  const shown = { field: fieldOf([field, ...wanted.names]), expected: wanted.value, received: got };
  const isChanged = !isSame(wanted.value, expected) || !isSame(got, received);
  if (names.length === 0 || !isChanged) return shown;
  return { ...shown, expected: REDACTED, received: received === undefined ? undefined : REDACTED };
}

/** The fields that can contain secrets. */
const SEARCHED: ReadonlySet<string> = new Set(['url', 'path', 'query', 'headers', 'body']);

/** What is shown at a place, which redaction may hide, with the names that lead there. */
function shownAt(shown: unknown, [field, ...names]: Place) {
  let value = (shown as Readonly<Record<string, unknown>>)[field];
  const shownNames = names.map((name) => {
    const isShown = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    value = isShown ? (value as Readonly<Record<string | number, unknown>>)[name] : REDACTED;
    return isShown ? name : REDACTED;
  });
  return { value, names: shownNames };
}

function isSame(shown: unknown, value: unknown): boolean {
  return jsonOf(shown) === jsonOf(value);
}
