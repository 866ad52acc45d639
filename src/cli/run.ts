import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MomoMockError } from '../errors.ts';
import { createLogger } from '../logger.ts';
import { startMockServer } from '../server.ts';
import { configuredCertificate } from '../tls/configured-certificate.ts';
import type { Invocation } from './arguments.ts';
import { configure } from './configure.ts';
import { hostElsewhere } from './host-elsewhere.ts';
import { type Exit, killed, runChild } from './run/child.ts';
import { environmentFor } from './run/environment.ts';
import { SignalRelay } from './run/signal-relay.ts';
import { Tally } from './run/tally.ts';
import { trustFor } from './run/trust.ts';
import { terminalStream } from './terminal-log.ts';

/** `momo-mock run`: starts the mock for the time that a command runs. */
export async function run(invocation: Invocation): Promise<number> {
  const relay = new SignalRelay();
  const folder = await makeFolder();
  // Standard output is the command's alone, and nobody has to read standard error.
  process.stderr.on('error', () => {});
  let exit: Exit;
  try {
    exit = await runWithMock(invocation, folder, relay);
  } finally {
    await rm(folder, { recursive: true, force: true });
    relay.release();
  }
  if (exit.problem !== undefined) process.stderr.write(`${exit.problem}\n`);
  // What waits for this process is to see what it would have seen of the command.
  if (exit.signal !== undefined) process.kill(process.pid, exit.signal);
  return exit.code;
}

async function runWithMock(
  { flags, run: options }: Invocation,
  folder: string,
  relay: SignalRelay,
): Promise<Exit> {
  const defaults = { PORT: '0', CONTROL_PORT: '0', LOG_LEVEL: 'warn', CERTS_DIR: folder } as const;
  const { config, warnings } = await configure(flags, { defaults });
  const { stderr } = process;
  const stream = stderr.isTTY
    ? terminalStream(stderr)
    : { write: (line: string) => stderr.write(line) };
  const logger = await createLogger({ level: config.LOG_LEVEL, stream });
  const tally = new Tally();
  const certificate = configuredCertificate(config);
  const mock = await startMockServer({
    config,
    logger: tally.counting(logger),
    certificate,
    watch: true,
  }).catch(async (error) => {
    // The folder is about to be removed, and the certificate may be on its way into it.
    await certificate.catch(() => {});
    throw error;
  });
  let exit: Exit;
  try {
    const { cert, warning } = mock.certificate;
    const file = mock.certificate.file ?? (await writeCertificate(folder, cert));
    const trust = await trustFor({ folder, cert, file, env: process.env });
    const elsewhere = options.proxy ? undefined : hostElsewhere(config.HOST, mock.url);
    const sentences = [...warnings, warning, elsewhere, ...trust.warnings];
    for (const text of sentences) if (text) logger.warn(text);
    const apikey = config.keys[0]?.key ?? '';
    const doubled = { mock, apikey, token: config.CONTROL_TOKEN, file, trust };
    const env = environmentFor(doubled, options, process.env);
    exit = relay.early ? killed(relay.early) : await runChild(options.words, env, relay);
  } finally {
    await mock.close();
  }
  if (config.LOG_LEVEL !== 'silent') stderr.write(`momo-mock: ${tally.line()}\n`);
  return options.expectsRequests ? expectRequests(exit, tally) : exit;
}

/** A mock that nobody used is a failure, where the command itself was none. */
function expectRequests(exit: Exit, { requests }: Tally): Exit {
  if (exit.code !== 0 || requests > 0) return exit;
  const problem =
    'Failed to see a request: the command made none to the mock, so it tested nothing against it. Give its client the base URL by --set, as in --set MOMO_BASE_URL={url}.';
  return { code: 1, problem };
}

/** A folder for the time of the run. The key in it is for this user's eyes alone, the rest is not. */
async function makeFolder(): Promise<string> {
  try {
    const folder = await mkdtemp(join(tmpdir(), 'momo-mock-run-'));
    await chmod(folder, 0o755);
    return folder;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const text = `Failed to make a folder in ${tmpdir()}: ${code}. Name one that can be written in TMPDIR.`;
    throw new MomoMockError('MOMO_MOCK_FOLDER_UNUSABLE', text, { cause: error });
  }
}

async function writeCertificate(folder: string, cert: string): Promise<string> {
  const file = join(folder, 'momo-mock.pem');
  await writeFile(file, cert);
  return file;
}
