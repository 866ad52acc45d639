import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Counters } from '../mock/journal/counters.ts';
import type { FailedAttempts } from '../mock/webhooks/failed-attempts.ts';
import { presetOf } from '../shipped/presets.ts';
import { hostElsewhere } from './banner.ts';
import { type Command, type CommandLine, inFlags, isOn } from './command-line.ts';
import { configure } from './configure.ts';
import { type Exit, killed, runChild } from './run/child.ts';
import {
  accessTo,
  createFolder,
  environmentFor,
  PLACEHOLDERS,
  readAssignments,
} from './run/environment.ts';
import { proxyVariables } from './run/proxy.ts';
import { readHosts, redirectFor, unreachedLine } from './run/redirect-variables.ts';
import { trustFor } from './run/trust.ts';
import { StopSignals } from './signals.ts';
import { closeOutput, startMock } from './start-mock.ts';

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
      multiple: true,
      value: 'NAME=TEMPLATE',
      about: `set another variable; placeholders: ${PLACEHOLDERS.map((name) => `{${name}}`).join(' ')}`,
    },
    redirect: {
      value: 'HOST[,HOST]',
      about: 'redirect clients of these hosts to the mock, even if their base URL is built in',
    },
    proxy: {
      about: 'set HTTPS_PROXY, so that clients reach the mock under the names in --tls-hosts',
    },
    'expect-requests': { about: 'exit with 1 if the command sends no request to the mock' },
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

async function runWithLog(line: CommandLine, folder: string, signals: StopSignals): Promise<Exit> {
  const { options, behind: words } = line;
  const assignments = readAssignments(options.set ?? []);
  const given = (options.redirect ?? []).flatMap(readHosts);
  const defaults = { PORT: '0', CONTROL_PORT: '0', LOG_LEVEL: 'warn', CERTS_DIR: folder };
  const { config: read, warning } = await configure(line.flags, { defaults });
  const redirected = [...new Set([...given, ...(read.PRESET ? presetOf(read.PRESET).hosts : [])])];
  // Programs other than Node verify these names.
  const config = { ...read, TLS_HOSTS: [...read.TLS_HOSTS, ...redirected] };
  const { server, logger, output } = await startMock(config, process.stderr, signals, {
    startsClients: true,
  });
  const isProxied = isOn(line, 'proxy');
  const warn = (text: string | undefined) => text && logger.warn(inFlags(text, line.flags));

  const runBeside = async (): Promise<Exit> => {
    const isReached = isProxied || redirected.length > 0;
    const elsewhere = isReached ? undefined : hostElsewhere(config.HOST, server.url);
    for (const text of [warning, server.certificate.warning, elsewhere, ...server.warnings]) {
      warn(text);
    }
    const access = await accessTo(server, config, folder);
    const redirect = await redirectFor(redirected, access, words, warn);
    const variables = {
      ...redirect,
      ...(await trustFor(access, redirect, warn)),
      ...(isProxied && proxyVariables(access.proxy, server.certificate.leaf, warn)),
    };
    const env = environmentFor(access, variables, assignments);
    return signals.first ? killed(signals.first) : await runChild(words, env, signals);
  };

  let until = 0;
  try {
    const exit = await runBeside().finally(() => {
      until = performance.now() + config.SHUTDOWN_TIMEOUT;
      return server.close();
    });
    const { counters, failedAttempts, redactor } = server.mock;
    const say = (text: string | undefined) => {
      if (text === undefined || config.LOG_LEVEL === 'silent') return;
      output.write(`momo-mock: ${text}\n`);
    };
    for (const text of [...requestLines(counters), unusedLine(counters)]) say(text);
    for (const text of failedLines(failedAttempts.kinds)) say(text);
    const isUnused = isOn(line, 'expect-requests') && counters.requests === 0;
    const problem = isUnused && exit.code === 0 ? UNUSED : exit.problem;
    // The problem names the program, which may be a key by mistake.
    if (problem !== undefined) output.write(`${redactor.redact(problem)}\n`);
    if (exit.problem === undefined && counters.outcomes.size === 0) {
      say(unreachedLine(redirected, words));
    }
    return problem === UNUSED ? { code: 1 } : exit;
  } finally {
    await closeOutput(output, until, signals);
  }
}

const UNUSED =
  'The command sent no requests to the mock, so it tested nothing. Set the base URL of its client, as in --set MOMO_BASE_URL={url}, or use --redirect HOST if the base URL is built in. If the tests start their own mock, with testWith or startMomoMock, leave out --expect-requests.';

const MAX_HINTS = 5;

function requestLines({ requests, outcomes, refusedByProxy }: Counters): string[] {
  const counts = Array.from(outcomes, ([name, { count }]) => [`${name}`, count] as const);
  counts.sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  const total = requests === 1 ? '1 request' : `${requests || 'no'} requests`;
  const parts = counts.map(([name, count]) => `${count} × ${name}`);
  const whole = refusedByProxy > 0 ? `; ${refusedByProxy} × https:// refused by the proxy` : '';
  const hints = Array.from(outcomes).flatMap(([name, { hints: own }]) =>
    Array.from(own, (hint) => `${name}: ${hint}`),
  );
  return [
    `${total}${parts.length > 0 ? ': ' : ''}${parts.join(', ')}${whole}`,
    ...hints.slice(0, MAX_HINTS),
  ];
}

function failedLines(kinds: readonly FailedAttempts[]): string[] {
  const total = kinds.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return [];
  const all = total === 1 ? '1 webhook attempt' : `${total} webhook attempts`;
  const parts = kinds.slice(0, MAX_HINTS).map(({ kind, count }) => `${count} × ${kind}`);
  const more = kinds.length > MAX_HINTS ? `, ${kinds.length - MAX_HINTS} other outcomes` : '';
  const hints = kinds.flatMap(({ kind, hint }) => (hint === null ? [] : `${kind}: ${hint}`));
  return [`${all} did not get through: ${parts.join(', ')}${more}`, ...hints.slice(0, MAX_HINTS)];
}

function unusedLine({ unused }: Counters): string | undefined {
  const total = [...unused.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const all = total === 1 ? '1 scripted response was' : `${total} scripted responses were`;
  const parts = Array.from(unused, ([operation, count]) => `${count} × ${operation}`);
  return `${all} not used: ${parts.join(', ')}`;
}
