/**
 * Keeps the process running from now on when nothing catches an error, as of a promise that a handler
 * does not await. A mock in the process of a test leaves these errors to the test runner.
 *
 * @param report logs the error; must not throw
 */
export function keepRunning(report: (error: unknown) => void): void {
  process.on('uncaughtException', (error) => report(error));
  // Without this listener, Node makes the text of an error from the value.
  process.on('unhandledRejection', (reason) => report(reason));
}
