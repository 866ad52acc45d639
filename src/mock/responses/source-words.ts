/** The sources of a response, in words for people; `null` where the file says it. */
export const SOURCE_WORDS = {
  fixture: null,
  handler: null,
  script: 'scripted',
  override: 'set balance',
  error: null,
  preflight: 'CORS preflight',
} as const;

/** The source of a response. */
export type ResponseSource = keyof typeof SOURCE_WORDS;
