import { join } from 'node:path';
import { beforeAll, beforeEach, describe, onTestFinished } from 'vitest';
import {
  connectMomoMock,
  type MomoMock,
  MomoMockError,
  type MomoStartOptions,
  startMomoMock,
} from '../../src/index.ts';
import { createLogger } from '../../src/log/logger.ts';
import type { Account } from '../../src/mock/account/account.ts';
import { MockServer } from '../../src/server/mock-server.ts';
import { loadConfig } from '../../src/settings/load.ts';
import type { Certificate } from '../../src/tls/certificate.ts';
import { configuredCertificate } from '../../src/tls/configured-certificate.ts';
import { type Files, type Over, temporaryFolder, writeFiles } from './fixture-folder.ts';
import { FIRST_START, SHARED_FOLDER } from './shared-folder.ts';

/** A mock, and the folder of its fixtures. */
export interface TestMock extends MomoMock {
  readonly folder: string;
}

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
): Promise<TestMock> {
  const folder = temporaryFolder(over);
  writeFiles(folder, files);
  // A request that is still open at the end of a test is not waited for.
  const mock = await startMomoMock({ fixturesDir: folder, shutdownTimeout: 0, ...options });
  over(() => mock.close());
  return Object.assign(mock, { folder });
}

/** The certificate is made once, and found again by all servers. Settings for it change the other. */
const CERTS = join(FIRST_START, 'certs');
const OTHER_CERTS = join(SHARED_FOLDER, 'certs');

/** The certificate without settings for it. To read and check it is a quarter of a start. */
let usual: Promise<Certificate> | undefined;

/** A mock in this process as the command starts it, for what no client of the library sees. */
export interface TestServer extends MockServer {
  readonly folder: string;
  /** All accounts. */
  readonly all: Account;
  readonly apiKey: string;
  readonly ca: string;
  /** The records that it logged. */
  readonly records: Record<string, unknown>[];
}

/**
 * Starts a mock on free ports, which is closed when the test is over. Its key is `good`.
 *
 * @param settings without the prefix, such as `CLIENT_TIMEOUT`
 */
export async function startServer(
  files: Files = {},
  settings: Record<string, string> = {},
  over: Over = onTestFinished,
): Promise<TestServer> {
  const folder = temporaryFolder(over);
  writeFiles(folder, files);
  const isUsual = !Object.keys(settings).some((name) => /^(TLS_|CERTS_DIR$|HOST$)/.test(name));
  const env = {
    PORT: '0',
    CONTROL_PORT: '0',
    API_KEYS: 'good',
    CERTS_DIR: isUsual ? CERTS : OTHER_CERTS,
    // A folder is watched, which takes time.
    ...(Object.keys(files).length > 0 && { FIXTURES_DIR: folder }),
    ...settings,
  };
  const config = await loadConfig({
    flags: {},
    env: Object.fromEntries(
      Object.entries(env).map(([name, value]) => [`MOMO_MOCK_${name}`, value]),
    ),
    dotenv: {},
    readKeysFile: async () => '',
  });
  const records: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void records.push(JSON.parse(line)) };
  const logger = await createLogger({ level: 'trace', stream });
  const certificate = (isUsual && usual) || configuredCertificate(config);
  if (isUsual) usual = certificate;
  const server = await MockServer.start({ config, logger, certificate, watch: true });
  over(() => server.close());
  const { cert: ca } = server.certificate;
  const more = Object.assign(server, { apiKey: 'good', ca, folder, records });
  // A reset replaces it.
  return Object.defineProperty(more, 'all', { get: () => server.mock.all }) as TestServer;
}

/** A mock in this process that is reached over HTTP, and what it logs. */
export interface LoggedMock extends TestMock, Pick<TestServer, 'records'> {
  /** All that it has logged, as text. */
  logged(): string;
}

/** Starts a mock that logs, as {@link startServer} does. */
export async function startLogged(
  files: Files,
  settings: Record<string, string> = {},
  over: Over = onTestFinished,
): Promise<LoggedMock> {
  const { controlUrl, folder, records } = await startServer(files, settings, over);
  const logged = () => records.map((record) => JSON.stringify(record)).join('\n');
  return Object.assign(await connected(`${controlUrl}`, folder, over), { records, logged });
}

/** One mock that logs for all tests of a suite. */
export function sharedLogged(
  files: Files,
  settings: Record<string, string> = {},
): () => LoggedMock {
  return forSuite((over) => startLogged(files, settings, over));
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
export function sharedMock(files: Files = {}, options: MomoStartOptions = {}): () => TestMock {
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
  prepare: (mock: TestMock, over: Over) => Promise<unknown>,
  files: Files = {},
  options: MomoStartOptions = {},
): () => TestMock {
  return forSuite(async (over) => {
    const mock = await startMock(files, options, over);
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

/** Starts a mock as {@link startMock} does, and connects to it over HTTP. */
export async function startRemote(
  files: Files = {},
  options: MomoStartOptions = {},
  over: Over = onTestFinished,
): Promise<TestMock> {
  const { controlUrl, folder } = await startMock(files, { control: true, ...options }, over);
  return await connected(`${controlUrl}`, folder, over);
}

async function connected(controlUrl: string, folder: string, over: Over): Promise<TestMock> {
  const mock = await connectMomoMock(controlUrl);
  over(() => mock.close());
  return Object.assign(mock, { folder });
}

/** Runs a suite twice, unchanged: with mocks in this process, and with clients over HTTP. */
export function describeBothWays(suite: (start: Start) => void): void {
  describe.each([
    ['in process', startMock],
    ['over HTTP', startRemote],
  ])('%s', (_way, start) => suite((files, options) => start(files, options)));
}
