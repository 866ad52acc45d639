import { readdirSync, readFileSync } from 'node:fs';

/** File descriptors that are reserved for files: fixtures, a watch, modules, a certificate. */
const FOR_FILES = 24;

/** Limits the open connections of a listener, and warns when the limit is reached. */
export class Capacity {
  readonly #most: number;
  readonly #warn: (open: number) => void;
  /** The number of open connections at the last warning. */
  #warnedAt: number | undefined;

  /**
   * @param warn receives the number of open connections when one is rejected, and is not called
   *   again until half of them have ended
   */
  constructor(most: number, warn: (open: number) => void) {
    this.#most = most;
    this.#warn = warn;
  }

  /** Whether another connection is allowed. */
  admits(open: number): boolean {
    const isRoom = open < this.#most;
    if (!isRoom) this.turnedAway(open);
    return isRoom;
  }

  /** Warns that a connection was rejected. */
  turnedAway(open: number): void {
    if (this.#warnedAt !== undefined) return;
    this.#warnedAt = open;
    this.#warn(open);
  }

  /** Notes that a connection has ended. */
  ended(open: number): void {
    if (this.#warnedAt !== undefined && open <= this.#warnedAt / 2) this.#warnedAt = undefined;
  }
}

/**
 * The capacity with which a listener never uses up the file descriptors of this process. Otherwise
 * Node would close new connections silently, and files could not be read any more.
 *
 * @param share the part of the free descriptors that the listener may use, from 0 to 1
 * @param listener the name of the listener in the warning
 * @param warn receives a sentence for the log
 */
export function capacityOf(
  share: number,
  listener: string,
  warn: (sentence: string) => void,
): Capacity {
  const most = Math.max(1, Math.floor(freeDescriptors() * share));
  return new Capacity(most, (open) =>
    warn(
      `Failed to accept a connection to the ${listener}: ${open} are open, and the limit of open files allows no more. Close some, or raise the limit (ulimit -n). Until then, new connections are closed without a warning.`,
    ),
  );
}

/** The number of free file descriptors; `Infinity` if it is unknown, as on macOS and Windows. */
function freeDescriptors(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const most = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
    return most - readdirSync('/proc/self/fd').length - FOR_FILES;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
