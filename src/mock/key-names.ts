import { remembering } from './remembering.ts';

/** Stated: the key travels in the query under this name. */
export const PARAMETER = 'apikey';

/**
 * Whether a name looks as if a key was meant by it: `apiKey`, `api_key`, `API-KEY`, `apikey[]`,
 * `key`. Seen in the field; used for the hint, and to keep the value out of the journal.
 */
export const isKeyName = remembering((name) =>
  /^(api|x-?api)?key$/.test(name.toLowerCase().replace(/[^a-z-]|(?<=api)-/g, '')),
);

/** Whether a header, its name in lower case, is one that keys are put into by mistake. */
export function isKeyHeader(name: string): boolean {
  return name === 'authorization' || isKeyName(name);
}

/** Whether a header, its name in lower case, carries a secret of one kind or another. */
export const isSecretHeader = remembering(
  (name) => isKeyHeader(name) || /cookie|auth|token|secret|password|credential/.test(name),
);
