import { hrtime } from 'node:process';

/**
 * Milliseconds since some moment, which no change of the system's time moves. `performance` tells
 * the same, but loads a good part of Node when it is first asked.
 */
export function monotonic(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
