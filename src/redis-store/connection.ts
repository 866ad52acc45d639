import { Redis } from 'ioredis';
import { MomoMockError } from '../errors.ts';
import { type Counted, countedIn } from '../mock/journal/tally.ts';
import { monotonicTime, setImmediate } from '../timers.ts';
import { LOST, SCRIPTS, type ScriptName, scriptOf } from './scripts.ts';

/** How long one command may take, in ms. */
const LONGEST_COMMAND = 1500;

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

/** Runs the scripts in the store. */
export class Scripts {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #onLost: () => void;
  #isGathering = false;
  readonly calls = new Map<string, Counted>();
  /** Why there is no connection. */
  #failure: NodeJS.ErrnoException | undefined;
  /** The epoch of the data that is known. */
  epoch = '';

  /** @param onLost is called when the store no longer has the data of that epoch */
  constructor(url: string, prefix: string, onLost: () => void) {
    this.#redis = connect(url, { commandTimeout: LONGEST_COMMAND });
    this.#redis.on('error', (error) => (this.#failure = error));
    this.#redis.on('ready', () => (this.#failure = undefined));
    this.#prefix = prefix;
    this.#onLost = onLost;
    for (const name of Object.keys(SCRIPTS) as ScriptName[]) {
      this.#redis.defineCommand(name, { lua: scriptOf(name), numberOfKeys: 0 });
    }
  }

  /** Opens the connection. It is opened again whenever it ends. */
  async connect(): Promise<void> {
    if (this.#redis.status === 'wait') await this.#redis.connect();
  }

  /** @throws MomoMockError `MOMO_MOCK_STORE_UNAVAILABLE` */
  async run(name: ScriptName, ...args: (string | number)[]): Promise<unknown> {
    const commands = this.#redis as unknown as Record<
      ScriptName,
      (...args: (string | number)[]) => Promise<unknown>
    >;
    this.#gather();
    const began = monotonicTime();
    let call: string = name;
    try {
      const epoch = name === 'storeStart' ? '' : this.epoch;
      return await commands[name](this.#prefix, epoch, ...args);
    } catch (cause) {
      call = 'failed';
      // Nothing is answered without the data; it begins anew for the next request.
      if (`${cause}`.includes(LOST)) this.#onLost();
      throw unavailable(this.#failure ?? cause);
    } finally {
      const counted = countedIn(this.calls, call);
      counted.count++;
      counted.ms += monotonicTime() - began;
    }
  }

  /** Sends the commands of one turn of the event loop together: each write to a socket is dear. */
  #gather(): void {
    const { stream } = this.#redis;
    if (this.#isGathering || stream === undefined) return;
    this.#isGathering = true;
    stream.cork();
    setImmediate(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  close(): void {
    this.#redis.disconnect();
  }
}

/** The error for a store that does not answer. It names no URL, which may have a password. */
function unavailable(cause: unknown): MomoMockError {
  // Such as OOM if its memory is full, or WRONGPASS.
  const [, refusal] = /^ReplyError: (?:ERR )?([A-Z]+)\b/.exec(`${cause}`) ?? [];
  const { code } = cause as NodeJS.ErrnoException;
  const problem = code === undefined ? 'it does not answer' : `it does not answer (${code})`;
  const why = refusal === undefined ? problem : `it refuses (${refusal})`;
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
