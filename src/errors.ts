/** Every code that a {@link MomoMockError} can carry. */
export type MomoMockErrorCode =
  /** The command line cannot be understood. */
  | 'MOMO_MOCK_USAGE'
  /** Settings hold values that are not allowed. */
  | 'MOMO_MOCK_SETTINGS_INVALID'
  /** A file of the fixture tree cannot be read or says something that cannot be served. */
  | 'MOMO_MOCK_FIXTURE_INVALID'
  /** The certificate, its key, or the folder that holds them cannot be used. */
  | 'MOMO_MOCK_CERTIFICATE_UNUSABLE'
  /** A value that a test passed to the mock is not valid. */
  | 'MOMO_MOCK_REQUEST_INVALID'
  /** A body that a test passed to the mock is too long. */
  | 'MOMO_MOCK_TOO_LARGE'
  /** A body does not satisfy the schema of its operation. */
  | 'MOMO_MOCK_BODY_REJECTED'
  /** No fixture file makes such an operation. */
  | 'MOMO_MOCK_OPERATION_UNKNOWN'
  /** No fixture file is of such a variant. */
  | 'MOMO_MOCK_VARIANT_UNKNOWN'
  /** No account has such a key. */
  | 'MOMO_MOCK_ACCOUNT_UNKNOWN'
  /** An account has the key already. */
  | 'MOMO_MOCK_ACCOUNT_EXISTS'
  /** A folder cannot be written. */
  | 'MOMO_MOCK_FOLDER_UNUSABLE'
  /** This version of Node lacks what an option needs. */
  | 'MOMO_MOCK_NODE_TOO_OLD'
  /** Another program listens on a port. */
  | 'MOMO_MOCK_PORT_IN_USE'
  /** No mock that is ready was found. */
  | 'MOMO_MOCK_NOT_READY'
  /** No control API of momo-mock answers at the URL, or it demands another token. */
  | 'MOMO_MOCK_CONTROL_UNREACHABLE'
  /** The mock, or the connection to it, was closed before. */
  | 'MOMO_MOCK_CLOSED'
  /** A host and port cannot be listened on for another reason. */
  | 'MOMO_MOCK_LISTEN_FAILED';

/**
 * An error of momo-mock itself. The service never sends it: the bodies of its error responses are
 * fixtures.
 *
 * The message is one or more whole sentences for a person: "Failed to X: cause. Do Y.", a line each
 * where there are several, and never holds an API key.
 */
export class MomoMockError extends Error {
  /** The kind of error, for a program. */
  readonly code: MomoMockErrorCode;

  constructor(code: MomoMockErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MomoMockError';
    this.code = code;
  }
}

/**
 * The reason and the fix where the system has no file descriptor left.
 *
 * @param code of the system's error
 * @returns the reason and the fix; `undefined` for another error
 */
export function tooManyFiles(code: string | undefined): [reason: string, fix: string] | undefined {
  if (code !== 'EMFILE' && code !== 'ENFILE') return undefined;
  return [`too many files are open (${code})`, 'Raise their limit (ulimit -n) to 128 or more.'];
}
