import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MomoMockError } from '../errors.ts';
import { createLogger } from '../logger.ts';
import type { Tally } from '../mock/tally.ts';
import { startMockServer } from '../server.ts';
import { configuredCertificate } from '../tls/configured-certificate.ts';
import { hostElsewhere } from './banner.ts';
import type { Command, CommandLine } from './command-line.ts';
import { configure } from './configure.ts';
import { type Exit, killed, runChild, SignalRelay } from './run/child.ts';
import {
  type CommandVariables,
  environmentFor,
  PLACEHOLDERS,
  readAssignments,
} from './run/environment.ts';
import { trustFor } from './run/trust.ts';
import { terminalStream } from './terminal-log.ts';

/** `momo-mock run`: starts the mock for the time that a command runs. */
export const run: Command = {
  usage: 'momo-mock run [flags] -- COMMAND [ARGUMENT]...',
  about: `Starts the mock on free ports, runs the command, stops the mock, and exits with the exit status of
the command. The command trusts the certificate of the mock, and gets these variables:
MOMO_MOCK_URL, MOMO_MOCK_CONTROL_URL, MOMO_MOCK_APIKEY and MOMO_MOCK_CA (a file).`,
  examples: [
    'momo-mock run -- npm test',
    'momo-mock run --set MOMO_BASE_URL={url} --set MOMO_KEY={apikey} -- pytest',
    'momo-mock run --proxy --tls-hosts api.example.com -- npm test',
    'momo-mock run --expect-requests --balance-variant empty -- npm test',
  ],
  options: {
    set: {
      type: 'string',
      multiple: true,
      value: 'NAME=TEMPLATE',
      about: `set one more variable; ${PLACEHOLDERS.map((name) => `{${name}}`).join(' ')} are filled in`,
    },
    proxy: {
      type: 'boolean',
      about: 'set HTTPS_PROXY, which leads the names in --tls-hosts to the mock',
    },
    'expect-requests': {
      type: 'boolean',
      about: 'exit with 1 if the command sends the mock no request',
    },
  },
  runsAnother: true,
  run: runCommand,
};

/** The options of `run` beside the settings. */
interface RunOptions extends CommandVariables {
  /** Whether a mock that got no request is a failure. */
  readonly expectsRequests: boolean;
}

function readOptions({ options }: CommandLine): RunOptions {
  const isOn = (name: string) => (options[name]?.at(-1) ?? 'false') !== 'false';
  return {
    assignments: readAssignments(options.set ?? []),
    proxy: isOn('proxy'),
    expectsRequests: isOn('expect-requests'),
  };
}

async function runCommand(line: CommandLine): Promise<number> {
  const relay = new SignalRelay();
  const options = readOptions(line);
  const folder = await makeFolder();
  // Standard output is the command's alone, and nobody has to read standard error.
  process.stderr.on('error', () => {});
  let exit: Exit;
  try {
    exit = await runWithMock(line, options, folder, relay);
  } finally {
    await rm(folder, { recursive: true, force: true });
    relay.release();
  }
  if (exit.problem !== undefined) process.stderr.write(`${exit.problem}\n`);
  // Whoever waits for this process has to see what it would have seen of the command.
  if (exit.signal !== undefined) process.kill(process.pid, exit.signal);
  return exit.code;
}

async function runWithMock(
  { flags, behind }: CommandLine,
  options: RunOptions,
  folder: string,
  relay: SignalRelay,
): Promise<Exit> {
  const defaults = { PORT: '0', CONTROL_PORT: '0', LOG_LEVEL: 'warn', CERTS_DIR: folder };
  const { config, warnings } = await configure(flags, { defaults });
  const { stderr } = process;
  const stream = stderr.isTTY
    ? terminalStream(stderr)
    : { write: (line: string) => stderr.write(line) };
  const logger = await createLogger({ level: config.LOG_LEVEL, stream });
  const certificate = configuredCertificate(config);
  const mock = await startMockServer({ config, logger, certificate, watch: true }).catch(
    async (error) => {
      // The folder is about to be removed, and the certificate may be on its way into it.
      await certificate.catch(() => {});
      throw error;
    },
  );
  let exit: Exit;
  try {
    const { cert, warning } = mock.certificate;
    const file = mock.certificate.file ?? (await writeCertificate(folder, cert));
    const trust = await trustFor({ folder, cert, file, env: process.env });
    const elsewhere = options.proxy ? undefined : hostElsewhere(config.HOST, mock.url);
    for (const text of [...warnings, warning, elsewhere, ...trust.warnings]) {
      if (text) logger.warn(text);
    }
    const apikey = config.keys[0]?.key ?? '';
    const access = { mock, apikey, token: config.CONTROL_TOKEN, file, trust };
    const env = environmentFor(access, options, process.env);
    exit = relay.early ? killed(relay.early) : await runChild(behind, env, relay);
  } finally {
    await mock.close();
  }
  const { tally } = mock.mock.journal;
  if (config.LOG_LEVEL !== 'silent') stderr.write(`momo-mock: ${tallyLine(tally)}\n`);
  const isUnused = options.expectsRequests && tally.requests === 0;
  return isUnused && exit.code === 0 ? { code: 1, problem: UNUSED } : exit;
}

const UNUSED =
  'Failed to see a request: the command made none to the mock, so it tested nothing against it. Give its client the base URL by --set, as in --set MOMO_BASE_URL={url}.';

/** How many requests there were, by status and reason, the most first: one line. */
export function tallyLine({ requests, kinds }: Pick<Tally, 'requests' | 'kinds'>): string {
  const counts = [...kinds].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  const total = requests === 1 ? '1 request' : `${requests || 'no'} requests`;
  const parts = counts.map(([kind, count]) => `${count} × ${kind}`);
  return parts.length === 0 ? total : `${total}: ${parts.join(', ')}`;
}

/** A folder for the time of the run. The key in it is for this user alone, the rest is for all. */
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
