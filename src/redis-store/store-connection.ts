import { Redis } from 'ioredis';
import { MomoMockError } from '../errors.ts';
import { clearTimeout, nextTurn, setTimeout } from '../timers.ts';

/** The time limit of a call, in ms. */
const MAX_WAIT = 1500;

const LATE = new Error('it responds too slowly');

/** A connection to Valkey or Redis. It reconnects whenever it ends. */
export class StoreConnection {
  readonly redis: Redis;
  /** The reason if there is no connection. */
  #failure: Error | undefined;
  #isClosed = false;

  /** @param blockingTimeout the time limit of a blocking command, in ms */
  constructor(url: string, blockingTimeout?: number) {
    this.redis = new Redis({
      ...addressOf(url),
      lazyConnect: true,
      connectTimeout: MAX_WAIT,
      enableOfflineQueue: false,
      // A sent command is never repeated, because the server may have run it.
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 200,
      ...(blockingTimeout !== undefined && { blockingTimeout }),
    });
    this.redis.on('error', (error) => (this.#failure = error));
    this.redis.on('ready', () => (this.#failure = undefined));
    // ioredis waits forever for the first reply of a server, which may be half dead.
    let late: NodeJS.Timeout | undefined;
    this.redis.on('connect', () => {
      late = setTimeout(() => this.redis.disconnect(!this.#isClosed), MAX_WAIT);
    });
    for (const event of ['ready', 'close']) this.redis.on(event, () => clearTimeout(late));
  }

  /** Opens the connection, unless ioredis is already reconnecting. */
  async open(): Promise<void> {
    if (this.#isClosed || !['wait', 'end'].includes(this.redis.status)) return;
    // The next command reports why there is no connection.
    await this.redis.connect().catch(() => {});
  }

  /**
   * Sends commands, and waits for their replies. A command that takes too long ends the connection,
   * because the server may be half dead.
   *
   * @throws MomoMockError `MOMO_MOCK_STORE_UNAVAILABLE`
   */
  async run<Value>(send: (redis: Redis) => Promise<Value>): Promise<Value> {
    const { stream } = this.redis;
    // Each write to a socket is expensive.
    stream?.cork();
    const replies = send(this.redis);
    stream?.uncork();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        // After a suspension, the process first reads what arrived in the meantime.
        void nextTurn()
          .then(() => nextTurn())
          .then(() => reject(LATE));
      }, MAX_WAIT);
    });
    try {
      return await Promise.race([replies, late]);
    } catch (cause) {
      if (cause === LATE && !this.#isClosed) this.redis.disconnect(true);
      throw unavailable(this.#failure ?? cause);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.redis.disconnect();
  }
}

/** The parts of a validated URL. */
function addressOf(url: string) {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1)),
    ...(/^(rediss|valkeys):$/.test(protocol) && { tls: {} }),
  };
}

/** The error does not name the URL, which may contain a password. */
export function unavailable(cause: unknown): MomoMockError {
  if (cause instanceof MomoMockError) return cause;
  const { name, code, message } = cause as NodeJS.ErrnoException;
  // For example OOM if the server's memory is full, or WRONGPASS.
  const [, refusal] = /^(?:ERR )?([A-Z]+)\b/.exec(message) ?? [];
  const silence = code === undefined ? 'it does not respond' : `it does not respond (${code})`;
  const problem =
    name === 'ReplyError' && refusal !== undefined
      ? `it refused the command (${refusal})`
      : message.includes('RESP')
        ? 'it is not Valkey or Redis'
        : silence;
  const text = `Failed to use the store: ${problem}. Check that it runs, and MOMO_MOCK_STORE_URL.`;
  return new MomoMockError('MOMO_MOCK_STORE_UNAVAILABLE', text, { cause });
}

export function isUnavailable(error: unknown): boolean {
  return (error as MomoMockError).code === 'MOMO_MOCK_STORE_UNAVAILABLE';
}

/** The error for a call whose result is unknown. */
export function unknownResult(): MomoMockError {
  const text =
    'Failed to use the store: it has lost its data, or this process has missed events. Try again.';
  return new MomoMockError('MOMO_MOCK_STORE_UNAVAILABLE', text);
}

export function otherFormat(name: string): MomoMockError {
  const text = `Failed to use the store: another version of momo-mock wrote the data of "${name}". Use another MOMO_MOCK_STORE_NAME, or delete the keys that begin with "${name}:".`;
  return new MomoMockError('MOMO_MOCK_STORE_FORMAT', text);
}
