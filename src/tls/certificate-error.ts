import { MomoMockError } from '../errors.ts';

/** @param cause a file system error, never a parser error, which may contain a private key */
export function certificateError(sentence: string, cause?: unknown): MomoMockError {
  const options = cause === undefined ? {} : { cause };
  return new MomoMockError('MOMO_MOCK_CERTIFICATE_UNUSABLE', sentence, options);
}

/** The message of a system error without the call and the paths: `EACCES: permission denied`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.split(', ')[0] ?? error.message;
}
