import { onTestFinished } from 'vitest';
import { type Files, type Over, temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { forSuite, type TestMock } from '../support/mock.ts';
import { connectMomoMock } from '../support/momo-mock.ts';
import { runMock } from '../support/running-mock.ts';

/** A mock in this process that is reached over HTTP, and what it logs. */
export interface LoggedMock extends TestMock {
  readonly records: readonly Record<string, unknown>[];
  /** All that it has logged, as text. */
  logged(): string;
}

/**
 * Starts a mock that logs.
 *
 * @param files lie over the shipped fixtures
 * @param settings without the prefix, such as `CLIENT_TIMEOUT`
 */
export async function startLogged(
  files: Files,
  settings: Record<string, string> = {},
  over: Over = onTestFinished,
): Promise<LoggedMock> {
  const folder = temporaryFolder(over);
  writeFiles(folder, files);
  const server = await runMock({ FIXTURES_DIR: folder, ...settings }, { own: true });
  over(() => server.close());
  const mock = await connectMomoMock(`${server.controlUrl}`);
  over(() => mock.close());
  const logged = () => server.records.map((record) => JSON.stringify(record)).join('\n');
  return Object.assign(mock, { folder, records: server.records, logged });
}

/** One mock that logs for all tests of a suite. */
export function sharedLogged(
  files: Files,
  settings: Record<string, string> = {},
): () => LoggedMock {
  return forSuite((over) => startLogged(files, settings, over));
}
