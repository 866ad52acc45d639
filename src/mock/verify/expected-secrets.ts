import { invalid } from '../../errors.ts';
import { urlParts } from '../callbacks/callback-url.ts';
import { REDACTED } from '../redaction/redaction.ts';
import { isSecretName } from '../redaction/secret-names.ts';
import { type AnyExpected, stepsOf } from './expectation.ts';

/**
 * Refuses an expectation that contains a secret. It would never match, because the journal redacts
 * it.
 *
 * @param redact removes configured keys from a text
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function checkNoSecrets(expected: AnyExpected, redact: (text: string) => string): void {
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
      `${prefix}${redact(place)}`,
      `is a secret, which the journal does not show. ${advice}`,
    );
  }
}

/** The place of the first value with a secret name. */
function secretIn(value: unknown, place: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, item] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${place}[${name}]` : `${place}.${name}`;
    const isSecret = !Array.isArray(value) && isSecretName(name) && item !== REDACTED;
    const secretPlace = isSecret ? at : secretIn(item, at);
    if (secretPlace !== undefined) return secretPlace;
  }
  return undefined;
}
