import { readdirSync, readFileSync } from 'node:fs';

/** Descriptors that are left for files: fixtures that are read, a watch, modules, a certificate. */
const FOR_FILES = 24;

/** How many connections a listener may have open, and a warning when there is no room for more. */
export class Capacity {
  readonly #most: number;
  readonly #warn: (open: number) => void;
  /** How many were open at the last warning. */
  #warnedAt: number | undefined;

  /**
   * @param warn gets the number of open connections when one has to be turned away, and is not
   *   called again until half of them have ended
   */
  constructor(most: number, warn: (open: number) => void) {
    this.#most = most;
    this.#warn = warn;
  }

  /** Whether there is room for one more beside those that are open. */
  admits(open: number): boolean {
    const isRoom = open < this.#most;
    if (!isRoom) this.turnedAway(open);
    return isRoom;
  }

  /** Warns that a connection had to be turned away. */
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
 * The capacity of a listener by which this process never runs out of file descriptors. If it did,
 * Node would close what connects without a word, and files could not be read any more.
 *
 * @param share the part of what is free now that the listener may have, from 0 to 1
 * @param listener its name in the warning
 * @param warn gets a sentence for the log
 */
export function capacityOf(
  share: number,
  listener: string,
  warn: (sentence: string) => void,
): Capacity {
  const most = Math.max(1, Math.floor(freeDescriptors() * share));
  return new Capacity(most, (open) =>
    warn(
      `Failed to take a connection to the ${listener}: ${open} are open, and the limit of open files leaves no room for more. Close some, or raise the limit (ulimit -n). More are closed immediately, without a word, as long as there is no room.`,
    ),
  );
}

/** `Infinity` on systems other than Linux, which do not say. */
function freeDescriptors(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const most = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
    return most - readdirSync('/proc/self/fd').length - FOR_FILES;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
