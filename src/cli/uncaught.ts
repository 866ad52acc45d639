/**
 * Keeps the process running when nothing catches an error, such as in a promise that a handler does
 * not await. A mock in a test process leaves these errors to the test runner.
 *
 * @param report logs the error; must not throw
 */
export function keepRunning(report: (error: unknown) => void): void {
  process.on('uncaughtException', (error) => report(error));
  // Without this listener, Node puts the value into the text of an error.
  process.on('unhandledRejection', (reason) => report(reason));
}
