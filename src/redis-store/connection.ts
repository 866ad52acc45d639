import { Redis } from 'ioredis';
import { MomoMockError } from '../errors.ts';

/** Makes a connection, which is opened by `connect()`. Each command that fails says so itself. */
export function connect(
  url: string,
  more: { readonly commandTimeout?: number; readonly blockingTimeout?: number },
): Redis {
  const redis = new Redis(url.replace(/^valkey(s?):/, 'redis$1:'), {
    lazyConnect: true,
    connectTimeout: 1500,
    enableOfflineQueue: false,
    // What was sent is never sent again: it may have been done.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => 200,
    ...more,
  });
  redis.on('error', () => {});
  return redis;
}

/** The error for a store that does not answer. It names no URL, which may have a password. */
export function unavailable(cause: unknown): MomoMockError {
  // Such as OOM, if its memory is full. Without a reply, there is none.
  const [, refusal] = /^ReplyError: (?:ERR )?([A-Z]+)\b/.exec(`${cause}`) ?? [];
  const why = refusal === undefined ? 'it does not answer' : `it refuses (${refusal})`;
  const text = `Failed to use the store: ${why}. Check that it runs, and MOMO_MOCK_STORE_URL.`;
  return new MomoMockError('MOMO_MOCK_STORE_UNAVAILABLE', text, { cause });
}

/** Whether an error says that the store does not answer. */
export function isUnavailable(error: unknown): boolean {
  return !(error instanceof MomoMockError) || error.code === 'MOMO_MOCK_STORE_UNAVAILABLE';
}

/** The error for data of another format. */
export function otherFormat(name: string): MomoMockError {
  const text = `Failed to use the store: the data of "${name}" is of another version of momo-mock. Use another MOMO_MOCK_STORE_NAME, or delete the keys that begin with "${name}:".`;
  return new MomoMockError('MOMO_MOCK_STORE_FORMAT', text);
}
