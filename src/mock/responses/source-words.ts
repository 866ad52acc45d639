/** The sources of a response, in words for people; `null` where the file says it. */
export const SOURCE_WORDS = {
  fixture: null,
  handler: null,
  script: 'scripted',
  balance: 'set balance',
  error: null,
  preflight: 'CORS preflight',
} as const;

/** In place of the operation of a scripted response that has none. */
export const ANY_OPERATION = 'any operation';

/** The source of a response. */
export type ResponseSource = keyof typeof SOURCE_WORDS;
