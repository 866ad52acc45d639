/** Ctrl-C under npm arrives twice at once: from the terminal, and from npm. In ms. */
const SAME_SIGNAL = 100;

/**
 * Waits for the first SIGTERM or SIGINT. A second one ends the process at once, with the exit code
 * that shells give for it. To be called before anything else, so that a stop during the start is a
 * graceful one too.
 */
export function stopSignal(): Promise<void> {
  return new Promise((stop) => {
    let first: number | undefined;
    const hear = (code: number) => () => {
      if (first !== undefined && performance.now() - first > SAME_SIGNAL) process.exit(code);
      first ??= performance.now();
      stop();
    };
    process.on('SIGINT', hear(130));
    process.on('SIGTERM', hear(143));
  });
}
