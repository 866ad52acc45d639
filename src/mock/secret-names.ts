/** Stated: the key travels in the query under this name. */
export const PARAMETER = 'apikey';

/** `pass` stands for `password` too. */
const SECRET = /key|token|secret|auth|pass|cookie|session|signature|credential/i;
/** Not a secret: tests have to see it. */
const IDEMPOTENCY_KEY = /idempotency[-_. ]?key/gi;

/** Whether the value of a header, query parameter or body field with this name is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name.replace(IDEMPOTENCY_KEY, ''));
}

/**
 * Whether a name looks like a misspelt `apikey`: `apiKey`, `api_key`, `API-KEY`, `apikey[]`,
 * `key`. Seen in the field.
 */
export function isKeyName(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z-]|(?<=api)-/g, '');
  return /^(api|x-?api)?key$/.test(letters);
}

/** Whether a header, its name in lower case, is one in which clients send the key by mistake. */
export function isKeyHeader(name: string): boolean {
  return name === 'authorization' || isKeyName(name);
}
