import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { DrillStopped, FAILURE_NAMES, runDrill } from '../drill/drill.ts';
import { FAILURES } from '../drill/failures.ts';
import { USUAL_LIMIT } from '../drill/stage.ts';
import { drillOf, openServer } from '../library/open-server.ts';
import { advice } from '../mock/closest-name.ts';
import { presetOf } from '../shipped/presets.ts';
import { type Command, type CommandLine, inFlags, isOn, usageError } from './command-line.ts';
import { configure } from './configure.ts';
import { configuredTarget } from './drill/application.ts';
import { killAll } from './drill/process-group.ts';
import { DEFAULT_CONFIG, type DrillConfigFile, readDrillConfig } from './drill/read-config.ts';
import { REPORTS } from './drill/results.ts';
import { DrillTerminal } from './drill/terminal.ts';
import { prepareReport, writeReport } from './report-file.ts';
import { accessTo, createFolder } from './run/access.ts';
import { environmentFor } from './run/environment.ts';
import { redirectFor } from './run/redirect.ts';
import { trustFor } from './run/trust.ts';
import { StopSignals } from './signals.ts';
import { closeOutput, startMock } from './start-mock.ts';

/** How much longer than a failure a call of the application may take, in ms. */
const CALL_GRACE = 10_000;
/** The exit code if there is no result. */
const STOPPED = 2;

export const drill: Command = {
  usage: 'momo-mock drill [flags]',
  about: `Runs your application through failures, and says for each whether the customer's money is right.
Exit codes: 0 all right, 1 something is wrong, 2 wrong usage or configuration, or the drill stopped.`,
  examples: [
    'momo-mock drill',
    'momo-mock drill --only lost-response,timeout --report drill.md --report drill.xml',
    'momo-mock drill --list',
  ],
  options: {
    config: { value: 'FILE', about: `the configuration (default: ${DEFAULT_CONFIG})` },
    only: { value: 'NAME[,NAME]', about: 'run only success and these failures' },
    list: { about: 'list the failures' },
    report: {
      multiple: true,
      value: 'FILE',
      about: 'write a report: .xml (JUnit), .md or .json',
    },
  },
  failure: STOPPED,
  run: drillApplication,
};

interface Plan extends DrillConfigFile {
  readonly only: readonly string[] | undefined;
  readonly reports: readonly string[];
}

async function drillApplication(line: CommandLine): Promise<number> {
  if (isOn(line, 'list')) return listFailures();
  const signals = new StopSignals();
  let folder: string | undefined;
  signals.cleanUp = () => {
    killAll();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const plan = await readPlan(line);
    folder = await createFolder();
    const code = await drillBeside(line, plan, folder, signals);
    if (signals.first === undefined) return code;
  } finally {
    killAll();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    signals.release();
  }
  // The parent process must see that the signal ended the drill.
  process.kill(process.pid, signals.first);
  return STOPPED;
}

function listFailures(): number {
  const width = Math.max(...FAILURE_NAMES.map(({ length }) => length));
  const lines = FAILURES.map(({ name, about }) => `${name.padEnd(width)}  ${about}\n`);
  process.stdout.write(lines.join(''));
  return 0;
}

/** Reads all that the user wrote, before anything starts. */
async function readPlan({ options }: CommandLine): Promise<Plan> {
  const only = options.only
    ?.at(-1)
    ?.split(',')
    .map((name) => name.trim());
  const reports = options.report ?? [];
  for (const name of only ?? []) {
    if (FAILURE_NAMES.includes(name)) continue;
    // Anything else may be a key.
    const isShown = /^[a-z-]{1,30}$/i.test(name);
    throw usageError(
      `--only has an unknown failure${isShown ? ` "${name}"` : ''}. ${advice(name, FAILURE_NAMES)}`,
    );
  }
  if (reports.some((path) => !Object.hasOwn(REPORTS, extname(path)))) {
    throw usageError('--report does not end with .xml, .md or .json. Use one of them.');
  }
  const file = await readDrillConfig(options.config?.at(-1) ?? DEFAULT_CONFIG);
  for (const path of reports) await prepareReport(path);
  return { ...file, only, reports };
}

async function drillBeside(
  line: CommandLine,
  { config: given, checkCredentials, only, reports }: Plan,
  folder: string,
  signals: StopSignals,
): Promise<number> {
  const { preset, fixturesDir, webhook, start, pay, concurrency, limit = USUAL_LIMIT } = given;
  const defaults = {
    ...{ PORT: '0', CONTROL_PORT: '0', LOG_LEVEL: 'warn', CERTS_DIR: folder },
    ...(preset !== undefined && { PRESET: preset }),
    ...(fixturesDir !== undefined && { FIXTURES_DIR: fixturesDir }),
  };
  const { config: read, warning } = await configure(line.flags, { defaults });
  const hosts = read.PRESET === undefined ? [] : presetOf(read.PRESET).hosts;
  const webhookHosts = webhook === undefined ? [] : [hostOf(webhook)];
  const config = {
    ...read,
    TLS_HOSTS: [...read.TLS_HOSTS, ...hosts],
    WEBHOOK_HOSTS: [...read.WEBHOOK_HOSTS, ...webhookHosts],
  };
  const { server, logger, output } = await startMock(config, process.stderr, signals);
  const { redactor } = server.mock;
  const mock = await openServer(server, config, {}, () => server.close());
  const stopping = new AbortController();
  signals.received.then(() => stopping.abort());
  const warn = (text: string | undefined) => text && logger.warn(inFlags(text, line.flags));
  const terminal = new DrillTerminal(countOf(only), (text) => redactor.redact(text));
  let notesOfSuccess: readonly string[] = [];
  try {
    checkCredentials((await drillOf(mock)).credentials ?? []);
    for (const text of [warning, server.certificate.warning, ...server.warnings]) warn(text);
    const access = await accessTo(server, config, folder);
    const words = 'command' in pay ? pay.command : (start?.split(/\s+/) ?? []);
    const trust = await trustFor(access, warn);
    const variables = { ...trust, ...(await redirectFor(hosts, access, words, warn)) };
    const target = configuredTarget({
      config: given,
      callLimit: limit + CALL_GRACE,
      environment: (apiKey) => environmentFor({ ...access, apiKey }, variables, [], false),
      remember: (secret) => redactor.remember(secret),
      onClose: (failure, notes) => {
        if (failure === 'success') notesOfSuccess = notes;
      },
    });
    const report = await runDrill({
      ...{ mock, target, only, limit, concurrency, webhookExists: webhook !== undefined },
      onStart: (name) => terminal.begin(name),
      onResult: (result) => {
        const isExplained = result.name === 'success' && result.verdict !== 'survived';
        terminal.end(result, isExplained ? notesOfSuccess : []);
      },
      signal: stopping.signal,
    });
    terminal.finish(report);
    for (const path of reports) {
      await writeReport(path, redactor.redact(REPORTS[extname(path)]?.(report) ?? ''));
    }
    return report.failed + report.errors > 0 ? 1 : 0;
  } catch (error) {
    const names = terminal.stop();
    if (signals.first !== undefined) return STOPPED;
    if (!(error instanceof DrillStopped)) throw error;
    const place = error.failure ?? names.join(', ');
    const text = `${error.message}\nThe drill stopped in ${place}.`;
    process.stderr.write(`${redactor.redact(text)}\n`);
    return STOPPED;
  } finally {
    const until = performance.now() + config.SHUTDOWN_TIMEOUT;
    await mock.close();
    await closeOutput(output, until, signals);
  }
}

/** How many failures run. */
function countOf(only: readonly string[] | undefined): number {
  return only === undefined ? FAILURE_NAMES.length : new Set(['success', ...only]).size;
}

/** The host of a URL, whose placeholders may be its port. */
function hostOf(url: string): string {
  return new URL(url.replace(/\{\w+\}/g, '1')).hostname.replace(/^\[(.*)\]$/, '$1');
}
