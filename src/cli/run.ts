import { rmSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MomoMockError } from '../errors.ts';
import type { Counters } from '../mock/journal/counters.ts';
import { presetOf } from '../shipped/presets.ts';
import { hostElsewhere } from './banner.ts';
import { type Command, type CommandLine, isOn } from './command-line.ts';
import { type Configured, configure } from './configure.ts';
import { type Exit, killed, runChild } from './run/child.ts';
import {
  type Assignment,
  environmentFor,
  PLACEHOLDERS,
  readAssignments,
} from './run/environment.ts';
import type { MockAccess } from './run/mock-access.ts';
import { proxyUrl } from './run/proxy.ts';
import { readHosts, redirectFor } from './run/redirect.ts';
import { trustFor } from './run/trust.ts';
import { StopSignals } from './signals.ts';
import { closeOutput, type LoggedMock, startMock } from './start-mock.ts';

export const run: Command = {
  usage: 'momo-mock run [flags] -- COMMAND [ARGUMENT]...',
  about: `Starts the mock on free ports, runs the command, stops the mock, and exits with the command's exit
status. The command's environment contains the certificates to trust, MOMO_MOCK_URL,
MOMO_MOCK_CONTROL_URL, MOMO_MOCK_APIKEY and MOMO_MOCK_CA (a file).`,
  examples: [
    'momo-mock run -- npm test',
    'momo-mock run --set MOMO_BASE_URL={url} --set MOMO_KEY={apiKey} -- pytest',
    'momo-mock run --redirect api.example.com -- npm test',
    'momo-mock run --expect-requests --variant empty -- npm test',
  ],
  options: {
    set: {
      type: 'string',
      multiple: true,
      value: 'NAME=TEMPLATE',
      about: `set another variable; placeholders: ${PLACEHOLDERS.map((name) => `{${name}}`).join(' ')}`,
    },
    redirect: {
      type: 'string',
      value: 'HOST[,HOST]',
      about: 'redirect clients of these hosts to the mock, even if their base URL is built in',
    },
    proxy: {
      type: 'boolean',
      about: 'set HTTPS_PROXY, so that clients reach the mock under the names in --tls-hosts',
    },
    'expect-requests': {
      type: 'boolean',
      about: 'exit with 1 if the command sends no request to the mock',
    },
  },
  runsAnother: true,
  run: runCommand,
};

async function runCommand(line: CommandLine): Promise<number> {
  const signals = new StopSignals({ runsCommand: true });
  const folder = await createFolder();
  signals.cleanUp = () => rmSync(folder, { recursive: true, force: true });
  // The command needs only standard output, so a closed standard error does not matter.
  process.stderr.on('error', () => {});
  let exit: Exit;
  try {
    exit = await runWithLog(line, folder, signals);
  } finally {
    await rm(folder, { recursive: true, force: true });
    signals.release();
  }
  // The parent process must see how the command ended.
  if (exit.signal !== undefined) process.kill(process.pid, exit.signal);
  return exit.code;
}

interface RunParts extends Configured {
  readonly words: readonly string[];
  readonly assignments: readonly Assignment[];
  readonly isProxied: boolean;
  readonly redirected: readonly string[];
  readonly folder: string;
}

async function runWithLog(line: CommandLine, folder: string, signals: StopSignals): Promise<Exit> {
  const assignments = readAssignments(line.options.set ?? []);
  const given = (line.options.redirect ?? []).flatMap(readHosts);
  const defaults = { PORT: '0', CONTROL_PORT: '0', LOG_LEVEL: 'warn', CERTS_DIR: folder };
  const configured = await configure(line.flags, { defaults });
  const { PRESET: preset, TLS_HOSTS: names } = configured.config;
  const redirected = [...new Set([...given, ...(preset ? presetOf(preset).hosts : [])])];
  // Programs other than Node verify these names.
  const config = { ...configured.config, TLS_HOSTS: [...names, ...redirected] };
  const started = await startMock(config, process.stderr, signals);
  const { server, output } = started;
  const isProxied = isOn(line, 'proxy');
  const parts = { ...configured, words: line.behind, assignments, isProxied, redirected, folder };
  let until = 0;
  try {
    const exit = await runBeside(started, parts, signals).finally(() => {
      until = performance.now() + config.SHUTDOWN_TIMEOUT;
      return server.close();
    });
    const { counters, redactor } = server.mock;
    if (config.LOG_LEVEL !== 'silent') output.write(`momo-mock: ${countsLine(counters)}\n`);
    const isUnused = isOn(line, 'expect-requests') && counters.requests === 0;
    const problem = isUnused && exit.code === 0 ? UNUSED : exit.problem;
    // The problem names the program, which may be a key by mistake.
    if (problem !== undefined) output.write(`${redactor.redact(problem)}\n`);
    return problem === UNUSED ? { code: 1 } : exit;
  } finally {
    await closeOutput(output, until, signals);
  }
}

async function runBeside(
  { server, logger }: LoggedMock,
  { config, warning, words, assignments, isProxied, redirected, folder }: RunParts,
  signals: StopSignals,
): Promise<Exit> {
  const { certificate } = server;
  const access: MockAccess = {
    server,
    apiKey: config.keys[0]?.key ?? '',
    proxy: proxyUrl(server.controlUrl, config.CONTROL_TOKEN),
    file: certificate.file ?? (await writeCertificate(folder, certificate.cert)),
    folder,
  };
  const trust = await trustFor(access);
  const redirect = await redirectFor(redirected, access, words);
  const isReached = isProxied || redirected.length > 0;
  const elsewhere = isReached ? undefined : hostElsewhere(config.HOST, server.url);
  const warnings = [warning, certificate.warning, elsewhere, ...server.warnings];
  for (const text of [...warnings, ...trust.warnings, ...redirect.warnings]) {
    if (text) logger.warn(text);
  }
  const variables = { ...trust.variables, ...redirect.variables };
  const env = environmentFor(access, trust.bundle, variables, { assignments, isProxied });
  return signals.first ? killed(signals.first) : await runChild(words, env, signals);
}

const UNUSED =
  'The command sent no requests to the mock, so it tested nothing. Set the base URL of its client, as in --set MOMO_BASE_URL={url}, or use --redirect HOST if the base URL is built in.';

/** The number of requests by status and reason, the most frequent first. */
function countsLine({ requests, kinds, refusedByProxy }: Counters): string {
  const counts = [...kinds].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  const total = requests === 1 ? '1 request' : `${requests || 'no'} requests`;
  const parts = counts.map(([kind, count]) => `${count} × ${kind}`);
  const whole = refusedByProxy > 0 ? `; ${refusedByProxy} × https:// refused by the proxy` : '';
  return `${total}${parts.length > 0 ? ': ' : ''}${parts.join(', ')}${whole}`;
}

/** All users can read the folder, but not the private key in it. */
async function createFolder(): Promise<string> {
  try {
    const folder = await mkdtemp(join(tmpdir(), 'momo-mock-run-'));
    await chmod(folder, 0o755);
    return folder;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const text = `Failed to create a folder in ${tmpdir()}: ${code}. Set TMPDIR to a writable folder.`;
    throw new MomoMockError('MOMO_MOCK_FOLDER_UNUSABLE', text, { cause: error });
  }
}

async function writeCertificate(folder: string, cert: string): Promise<string> {
  const file = join(folder, 'momo-mock.pem');
  await writeFile(file, cert);
  return file;
}
