import { invalid } from '../../errors.ts';
import { urlParts } from '../callbacks/callback-url.ts';
import { REDACTED, type Redactor } from '../redaction/redaction.ts';
import { type AnyExpected, stepsOf } from './expectation.ts';

/**
 * Refuses an expectation that contains a secret. It would never match, because the journal redacts
 * it.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function checkNoSecrets(expected: AnyExpected, redactor: Redactor): void {
  const secretIn = secretFinder(redactor);
  const list = 'exactly' in expected ? 'exactly' : 'expected';
  for (const [index, step] of stepsOf(expected).entries()) {
    const prefix = step === expected ? '' : `${list}[${index}].`;
    const { url = '', query = {}, headers = {}, body } = step;
    const place =
      secretIn(Object.fromEntries(urlParts(url).query), 'url') ??
      secretIn(query, 'query') ??
      secretIn(headers, 'headers') ??
      secretIn(body, 'body');
    if (place === undefined) continue;
    const advice = `Leave it out, or expect "${REDACTED}"`;
    throw invalid(
      `${prefix}${redactor.redact(place)}`,
      `is a secret, which the journal does not show. ${advice}`,
    );
  }
}

/** Creates the function that finds the first value with a secret name. */
function secretFinder({ isSecretName }: Redactor) {
  return function secretIn(value: unknown, place: string): string | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, item] of Object.entries(value)) {
      const at = Array.isArray(value) ? `${place}[${name}]` : `${place}.${name}`;
      const isRedacted = [item].flat().every((one) => one === REDACTED);
      const isSecret = !Array.isArray(value) && isSecretName(name) && !isRedacted;
      const secretPlace = isSecret ? at : secretIn(item, at);
      if (secretPlace !== undefined) return secretPlace;
    }
    return undefined;
  };
}
