import { beforeAll, beforeEach, describe, onTestFinished } from 'vitest';
import {
  connectMomoMock,
  type MomoMock,
  MomoMockError,
  type MomoStartOptions,
  startMomoMock,
} from '../../src/index.ts';
import { FREE_PORTS, spawnCommand } from './command.ts';
import { type Files, type Over, temporaryFolder, writeFiles } from './fixture-folder.ts';

/** A mock in this process, and the folder of its fixtures. */
export interface LocalTestMock extends MomoMock {
  readonly folder: string;
}

/** A mock that a test reaches in one of several ways, and the folder of its fixtures. */
export interface TestMock extends MomoMock {
  readonly folder: string;
}

/** How a test reaches a mock: one word says which. `command` is the built command. */
export type Way = 'in process' | 'over HTTP' | 'command';

/** Starts a mock as `startMock` does, in the way that a suite is run for. */
export type Start = (files?: Files, options?: MomoStartOptions) => Promise<TestMock>;

/**
 * Starts a mock in this process, which is closed when the test is over.
 *
 * @param files lie over the shipped fixtures
 */
export async function startMock(
  files: Files = {},
  options: MomoStartOptions = {},
  over: Over = onTestFinished,
): Promise<LocalTestMock> {
  const folder = temporaryFolder(over);
  writeFiles(folder, files);
  // A request that is still open at the end of a test is not waited for.
  const mock = await startMomoMock({ fixturesDir: folder, shutdownTimeout: 0, ...options });
  over(() => mock.close());
  return Object.assign(mock, { folder });
}

/** The sentences with which a start over these files ends, without the folder; none if it starts. */
export async function problemsOf(files: Files, options: MomoStartOptions = {}): Promise<string[]> {
  const folder = temporaryFolder();
  writeFiles(folder, files);
  return await problemsIn(folder, options);
}

/** The sentences with which a start over a folder ends, without the folder; none if it starts. */
export async function problemsIn(
  folder: string,
  options: MomoStartOptions = {},
): Promise<string[]> {
  const started = await startMomoMock({ fixturesDir: folder, ...options }).catch(
    (error: MomoMockError) => error,
  );
  if (started instanceof MomoMockError) {
    if (started.code !== 'MOMO_MOCK_FIXTURE_INVALID') throw started;
    return started.message.replaceAll(`${folder}/`, '').split('\n');
  }
  await started.close();
  return [];
}

/**
 * A mock in this process for all tests of a suite, reset before each: for tables whose rows change
 * nothing that a reset leaves.
 */
export function sharedMock(files: Files = {}, options: MomoStartOptions = {}): () => LocalTestMock {
  const mock = forSuite((over) => startMock(files, options, over));
  beforeEach(() => mock().reset());
  return mock;
}

/**
 * A mock for all tests of a suite, in which something has happened before the first of them: for
 * tables whose rows only look.
 *
 * @param prepare is told what to call for each end that is due when the suite is over
 */
export function preparedMock(
  way: Exclude<Way, 'command'>,
  prepare: (mock: TestMock, over: Over) => Promise<unknown>,
  files: Files = {},
  options: MomoStartOptions = {},
): () => TestMock {
  return forSuite(async (over) => {
    const mock = await startMockBy(way, files, options, over);
    await prepare(mock, over);
    return mock;
  });
}

/** What is made before the first test of a suite, and ended after the last one. */
export function forSuite<Made>(make: (over: Over) => Promise<Made>): () => Made {
  let made: Made;
  beforeAll(async () => {
    // `afterAll` does nothing in here.
    const ends: (() => void | Promise<void>)[] = [];
    made = await make((end) => void ends.unshift(end));
    return async () => {
      for (const end of ends) await end();
    };
  });
  return () => made;
}

/**
 * Starts a mock that is reached in the given way.
 *
 * @param options other than the mock's defaults; the built command takes none
 */
export async function startMockBy(
  way: Way,
  files: Files = {},
  options: MomoStartOptions = {},
  over: Over = onTestFinished,
): Promise<TestMock> {
  if (way === 'in process') return await startMock(files, options, over);
  if (way === 'over HTTP') {
    const local = await startMock(files, { control: true, ...options }, over);
    return await connected(`${local.controlUrl}`, local.folder, over);
  }
  const folder = temporaryFolder();
  writeFiles(folder, files);
  const { ready } = await spawnCommand([...FREE_PORTS, '--fixtures-dir', folder]);
  return await connected(`${(await ready).controlUrl}`, folder);
}

async function connected(
  controlUrl: string,
  folder: string,
  over: Over = onTestFinished,
): Promise<TestMock> {
  const mock = await connectMomoMock(controlUrl);
  over(() => mock.close());
  return Object.assign(mock, { folder });
}

/** Runs a suite twice, unchanged: with mocks in this process, and with clients over HTTP. */
export function describeBothWays(
  suite: (start: Start, way: Exclude<Way, 'command'>) => void,
): void {
  describe.each<Exclude<Way, 'command'>>(['in process', 'over HTTP'])('%s', (way) => {
    suite((files, options) => startMockBy(way, files, options), way);
  });
}
