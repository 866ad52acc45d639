import { constants } from 'node:os';

/** The codes of {@link MomoMockError}. The docs take each cause from the comment above its code. */
export type MomoMockErrorCode =
  /** The command line is invalid. */
  | 'MOMO_MOCK_USAGE'
  /** A setting or an option has an invalid value. */
  | 'MOMO_MOCK_SETTINGS_INVALID'
  /** A fixture file cannot be read or served. */
  | 'MOMO_MOCK_FIXTURE_INVALID'
  /** The certificate, its key or their folder cannot be used. */
  | 'MOMO_MOCK_CERTIFICATE_UNUSABLE'
  /** A field, a parameter or a header is invalid, or the body is not JSON. */
  | 'MOMO_MOCK_REQUEST_INVALID'
  /** The body, or the snapshot to take, is too long. */
  | 'MOMO_MOCK_TOO_LARGE'
  /** A body does not satisfy the schema of its operation. */
  | 'MOMO_MOCK_BODY_REJECTED'
  /** The operation has no fixture file. */
  | 'MOMO_MOCK_OPERATION_UNKNOWN'
  /** The variant has no fixture file. */
  | 'MOMO_MOCK_VARIANT_UNKNOWN'
  /** A name or value of the state is invalid, or the state is full. */
  | 'MOMO_MOCK_STATE_INVALID'
  /** The state of all accounts does not have the value, but the state of an account has. */
  | 'MOMO_MOCK_STATE_IN_ACCOUNT'
  /** The value would replace a key with `[redacted]`. */
  | 'MOMO_MOCK_STATE_REDACTED'
  /** The state has changed since you read it; in the library, during each attempt. */
  | 'MOMO_MOCK_STATE_CHANGED'
  /** A timer failed, or timers did not end. */
  | 'MOMO_MOCK_TIMER_FAILED'
  /** Requests, webhooks or scripted responses differ from what you expect, or the journal cannot tell. */
  | 'MOMO_MOCK_NOT_VERIFIED'
  /** A snapshot is broken, has another version, or does not fit the fixtures. */
  | 'MOMO_MOCK_SNAPSHOT_INVALID'
  /** No account has this key or id. */
  | 'MOMO_MOCK_ACCOUNT_UNKNOWN'
  /** No open prompt has this id: it was answered, timed out, or a reset ended it. */
  | 'MOMO_MOCK_PROMPT_UNKNOWN'
  /** An account with this key already exists. */
  | 'MOMO_MOCK_ACCOUNT_EXISTS'
  /** A folder cannot be written. */
  | 'MOMO_MOCK_FOLDER_UNUSABLE'
  /** Another mock uses the snapshot file. */
  | 'MOMO_MOCK_SNAPSHOT_IN_USE'
  /** Another program listens on the port. */
  | 'MOMO_MOCK_PORT_IN_USE'
  /** The mock cannot listen for another reason. */
  | 'MOMO_MOCK_LISTEN_FAILED'
  /** `momo-mock health` finds no ready mock. */
  | 'MOMO_MOCK_NOT_READY'
  /** No control API of momo-mock responds at the URL, or it requires another token. */
  | 'MOMO_MOCK_CONTROL_UNREACHABLE'
  /** The mock, or the connection to it, was closed. */
  | 'MOMO_MOCK_CLOSED'
  /** The real service does not respond, or its response cannot be used. */
  | 'MOMO_MOCK_REAL_SERVICE_FAILED';

/**
 * An error of momo-mock itself. The service never sends it, because its error bodies are fixtures.
 *
 * The message has the form "Failed to X: cause. Do Y." or "Unknown X. Did you mean Y?", with one
 * line per problem. It never contains an API key.
 */
export class MomoMockError extends Error {
  // Bundlers rename classes, and Node prints the class name.
  static override readonly name = 'MomoMockError';
  /** The kind of error, for programs. */
  readonly code: MomoMockErrorCode;

  constructor(code: MomoMockErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MomoMockError';
    this.code = code;
  }
}

const MAX_STACK = 16_384;

/**
 * Never throws, although a handler may throw a proxy or an error with getters. The message is
 * omitted, because it may quote client input.
 */
export function readThrown(thrown: unknown): { name: string; at: string[] } {
  try {
    if (!(thrown instanceof Error)) return { name: typeof thrown, at: [] };
    const { message, stack } = thrown;
    // A line of the message may look like a line of the stack.
    const below = `${stack}`.replace(message, '').slice(0, MAX_STACK);
    const at = below.split('\n').filter((line) => /^\s+at /.test(line));
    return { name: nameOf(thrown), at: at.map((line) => line.trim()) };
  } catch {
    return { name: typeof thrown, at: [] };
  }
}

/** The error's name, with the code of a system error: `Error (ECONNREFUSED)`. */
function nameOf(error: NodeJS.ErrnoException): string {
  const { name, code } = error;
  // A handler may have set both to client input.
  const known = /^[a-z]{0,40}(Error|Exception)$/i.test(name) ? name : 'Error';
  return code !== undefined && Object.hasOwn(constants.errno, code) ? `${known} (${code})` : known;
}

/** Such as `ENOENT`; `undefined` for an error that is not the system's. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** The reason and the fix if no file descriptor is left; `undefined` for any other error code. */
export function tooManyFiles(code: string | undefined): [reason: string, fix: string] | undefined {
  if (code !== 'EMFILE' && code !== 'ENFILE') return undefined;
  return [`too many files are open (${code})`, 'Raise the limit (ulimit -n) to 128 or more.'];
}

/** `watch` fails with the same code if the system watches too many files. */
export function fullDisk({ code, syscall }: NodeJS.ErrnoException): string | undefined {
  if (syscall === 'watch' || (code !== 'ENOSPC' && code !== 'EDQUOT')) return undefined;
  return `the disk is full (${code}). Free some space, or set TMPDIR to a folder on another disk.`;
}

export function asSentence(problem: string): string {
  return problem.endsWith('?') ? problem : `${problem}.`;
}

export function invalid(place: string, problem: string): MomoMockError {
  const text = `Failed to read ${place}: ${asSentence(problem)}`;
  return new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
}

export function closed(): MomoMockError {
  const text = 'Failed to use the mock: it was closed. Start another one, or connect again.';
  return new MomoMockError('MOMO_MOCK_CLOSED', text);
}

export function cannotWrite(path: string, cause: unknown): MomoMockError {
  if (cause instanceof MomoMockError) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  const text = `Failed to write ${path}: ${code}. Use a writable folder.`;
  return new MomoMockError('MOMO_MOCK_FOLDER_UNUSABLE', text, { cause });
}
