/** `pass` includes `password`. */
const SECRET = /key|token|secret|auth|pass|cookie|session|signature|credential/i;
/** It is not a secret, because tests must see it. */
const IDEMPOTENCY_KEY = /idempotency[-_. ]?key/gi;

export function isSecretName(name: string): boolean {
  return SECRET.test(name.replace(IDEMPOTENCY_KEY, ''));
}

/** Whether a name looks like a misspelled `apikey`: `apiKey`, `api_key`, `API-KEY`, `apikey[]`, `key`. */
export function isKeyName(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z-]|(?<=api)-/g, '');
  return /^(api|x-?api)?key$/.test(letters);
}
