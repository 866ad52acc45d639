import { onTestFinished } from 'vitest';
import { type LocalMomoMock, type StartOptions, startMomoMock } from '../../src/index.ts';
import { type Files, temporaryFolder, writeFiles } from './fixture-folder.ts';

/** A mock in this process, and the folder of its fixtures. */
export interface TestMock extends LocalMomoMock {
  readonly folder: string;
}

/**
 * Starts a mock in this process, which is closed when the test is over.
 *
 * @param files lie over the shipped fixtures
 */
export async function startMock(files: Files = {}, options: StartOptions = {}): Promise<TestMock> {
  const folder = temporaryFolder();
  writeFiles(folder, files);
  const mock = await startMomoMock({ fixturesDir: folder, ...options });
  onTestFinished(() => mock.close());
  return Object.assign(mock, { folder });
}
