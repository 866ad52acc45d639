/** Every code that a {@link MomoMockError} can carry. */
export type MomoMockErrorCode =
  /** A file of the fixture tree cannot be read or says something that cannot be served. */
  | 'MOMO_MOCK_FIXTURE_INVALID'
  /** The certificate, its key, or the folder that holds them cannot be used. */
  | 'MOMO_MOCK_CERTIFICATE_UNUSABLE';

/**
 * What momo-mock itself has to say when something cannot be done. It is never sent over the wire
 * by the service: what goes there is a fixture.
 *
 * The message is one or more whole sentences for a person: "Failed to X: cause. Do Y.", a line each
 * where there are several, and never holds an API key.
 */
export class MomoMockError extends Error {
  /** What kind of trouble it is, for a program. */
  readonly code: MomoMockErrorCode;

  constructor(code: MomoMockErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MomoMockError';
    this.code = code;
  }
}
