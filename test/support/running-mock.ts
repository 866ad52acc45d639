import type { IncomingHttpHeaders } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createLogger } from '../../src/log/logger.ts';
import type { Account } from '../../src/mock/account/account.ts';
import { MockServer } from '../../src/server/mock-server.ts';
import { loadConfig } from '../../src/settings/load.ts';
import type { Certificate } from '../../src/tls/certificate.ts';
import { configuredCertificate } from '../../src/tls/configured-certificate.ts';
import { type Files, temporaryFolder, writeFiles } from './fixture-folder.ts';
import { FIRST_START, SHARED_FOLDER } from './shared-folder.ts';

/** The certificate is made once, and found again by all mocks. Settings for it change the other. */
const CERTS = join(FIRST_START, 'certs');
const OTHER_CERTS = join(SHARED_FOLDER, 'certs');

/** The certificate without settings for it. To read and check it is a quarter of a start. */
let usual: Promise<Certificate> | undefined;

/** A mock in this process, and the records that it logged. */
export interface RunningMock extends MockServer {
  /** All accounts. */
  readonly all: Account;
  readonly ca: string;
  readonly records: Record<string, unknown>[];
  readonly get: (target: string, options?: Asked) => Promise<ReceivedResponse>;
}

/** How it is asked, and with what body. */
export interface Asked extends RequestOptions {
  readonly body?: string;
}

/** A received response. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts a mock on free ports; it is closed when the test is over. Its key is `good`. */
export async function runMock(
  settings: Record<string, string> = {},
  { own = false } = {},
): Promise<RunningMock> {
  const records: Record<string, unknown>[] = [];
  const isUsual = !Object.keys(settings).some((name) => /^(TLS_|CERTS_DIR$|HOST$)/.test(name));
  const env = {
    PORT: '0',
    CONTROL_PORT: '0',
    API_KEYS: 'good',
    CERTS_DIR: isUsual ? CERTS : OTHER_CERTS,
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
  const stream = { write: (line: string) => void records.push(JSON.parse(line)) };
  const logger = await createLogger({ level: 'trace', stream });
  const certificate = (isUsual && usual) || configuredCertificate(config);
  if (isUsual) usual = certificate;
  const mock = await MockServer.start({ config, logger, certificate, watch: true });
  if (!own) onTestFinished(() => mock.close());
  const ca = mock.certificate.cert;
  return Object.assign(mock, {
    all: mock.mock.all,
    ca,
    records,
    get: (target: string, options?: Asked) => ask(mock, target, options),
  });
}

/** The same, over some fixtures. */
export async function runOver(files: Files, settings = {}): Promise<RunningMock> {
  const folder = temporaryFolder();
  writeFiles(folder, files);
  return await runMock({ FIXTURES_DIR: folder, ...settings });
}

/** Sends a request over verified HTTPS, the target byte for byte as it is given. */
export function ask(
  { url, certificate }: Pick<MockServer, 'url' | 'certificate'>,
  target: string,
  { headers, ...options }: Asked = {},
): Promise<ReceivedResponse> {
  const { hostname, port } = new URL(url);
  return new Promise((done, fail) => {
    const outgoing = request(
      { ca: certificate.cert, hostname, port, path: target, agent: false, headers, ...options },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('error', fail);
        incoming.on('end', () =>
          done({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    outgoing.on('error', fail);
    outgoing.end(options.body);
  });
}
