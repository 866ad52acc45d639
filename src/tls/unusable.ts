import { MomoMockError } from '../errors.ts';

/**
 * The error for a certificate, key or folder that cannot be used.
 *
 * @param sentence "Failed to X: cause. Do Y.", naming the file and never quoting what is in it
 * @param cause an error of the file system. Not one of a parser: what it read is a private key.
 */
export function unusable(sentence: string, cause?: unknown): MomoMockError {
  return new MomoMockError(
    'MOMO_MOCK_CERTIFICATE_UNUSABLE',
    sentence,
    cause === undefined ? undefined : { cause },
  );
}

/** The code of a system error such as `EACCES`, or undefined. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** What a system error says, without the call and the paths: `EACCES: permission denied`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.split(', ')[0] ?? error.message;
}
