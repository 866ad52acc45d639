import { readFileSync } from 'node:fs';
import type { Server } from 'node:net';

/** File descriptors for everything else: Node, fixtures, the watch, modules. */
const RESERVED = 48;

/**
 * Limits the open connections of a listener, so that it never exhausts the file descriptors of this
 * process. Otherwise Node would close new connections silently, and reading a file would fail.
 *
 * @param share the fraction of the free descriptors for this listener, from 0 to 1
 * @param warn receives a sentence for the log, once until there is room again
 */
export function limitConnections(
  servers: readonly Server[],
  share: number,
  listener: string,
  warn: (sentence: string) => void,
): void {
  const max = Math.max(1, Math.floor((freeDescriptors() * share) / servers.length));
  let isFull = false;
  const onRefused = () => {
    if (isFull) return;
    isFull = true;
    warn(
      `Failed to accept a connection to the ${listener}: the limit of open files is reached. Close some connections, or raise the limit (ulimit -n). Until then, momo-mock closes new connections without a warning.`,
    );
  };
  for (const server of servers) {
    server.maxConnections = max;
    server.on('drop', onRefused);
    server.on('connection', () => (isFull = false));
    // Without a listener, a failed accept would end the process.
    server.on('error', ({ syscall }: NodeJS.ErrnoException) => {
      if (syscall === 'accept') onRefused();
    });
  }
}

/** It is `Infinity` if unknown, as on macOS and Windows. */
function freeDescriptors(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const max = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
    return max - RESERVED;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
