import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { chosenNames, DrillStopped, runDrill } from '../drill/drill.ts';
import type { DrillResult } from '../drill/result.ts';
import { LIMIT, patienceFor, USUAL_LIMIT } from '../drill/times.ts';
import { drillOf, openServer } from '../library/open-server.ts';
import { Redactor } from '../mock/redaction/redaction.ts';
import type { Config } from '../settings/config.ts';
import { presetOf } from '../shipped/presets.ts';
import { bareHost } from '../tls/names.ts';
import { type Command, type CommandLine, inFlags, isOn, usageError } from './command-line.ts';
import { configure } from './configure.ts';
import { CONCURRENCY, type DrillConfig } from './drill/config.ts';
import { knowsCurrency, problemOfConcurrency, unknownFailures } from './drill/config-rules.ts';
import { LogFiles } from './drill/log-files.ts';
import { killAll } from './drill/process-group.ts';
import { DEFAULT_CONFIG, readDrillConfig } from './drill/read-config.ts';
import { redirectSentence } from './drill/redirect-sentence.ts';
import { REPORTS, redactedResult, type WrittenReport } from './drill/results.ts';
import { configuredTarget } from './drill/started-application.ts';
import { DrillTerminal } from './drill/terminal.ts';
import { prepareReport, writeReport } from './report-file.ts';
import { accessTo, createFolder, environmentFor } from './run/environment.ts';
import { redirectFor } from './run/redirect-variables.ts';
import { trustFor } from './run/trust.ts';
import { StopSignals } from './signals.ts';
import { closeOutput, startMock } from './start-mock.ts';

/** How much longer than the drill waits for it a call of the application may take, in ms. */
const CALL_GRACE = 10_000;
/** Python's `requests` prefers these to `Session.verify`, so they hide a check that is turned off. */
const HIDING = ['REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'];
/** The exit code if there is no result. */
const STOPPED = 2;

export const drill: Command = {
  usage: 'momo-mock drill [flags]',
  about: `Runs your application through failures, and says for each whether the customer's money is right.
Exit codes: 0 all right, 1 something failed or was inconclusive, 2 wrong usage or configuration, or the
drill stopped.`,
  examples: [
    'momo-mock drill',
    'momo-mock drill --only lost-response,timeout --report drill.md --report drill.xml',
    'momo-mock drill --list --preset mtn-momo',
  ],
  options: {
    config: { value: 'FILE', about: `the configuration (default: ${DEFAULT_CONFIG})` },
    only: { value: 'NAME[,NAME]', about: 'run only success and these failures' },
    list: { about: 'list the failures, and whether each applies to your preset or to all presets' },
    limit: { value: 'MS', about: 'override limit of the configuration' },
    concurrency: { value: 'N', about: 'override concurrency of the configuration' },
    log: {
      value: 'DIR',
      about: 'write what your application writes to DIR/NAME.log, for each failure',
    },
    report: {
      multiple: true,
      value: 'FILE',
      about: 'write a report: .xml (JUnit), .md or .json',
    },
  },
  failure: STOPPED,
  run: drillApplication,
};

async function drillApplication(line: CommandLine): Promise<number> {
  if (isOn(line, 'list')) {
    const { listedFailures } = await import('./drill/list.ts');
    process.stdout.write(await listedFailures(line.flags));
    return 0;
  }
  const signals = new StopSignals({ catchesQuit: true });
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

/** Reads all that the user wrote, before anything starts. */
async function readPlan(line: CommandLine) {
  const { options } = line;
  const only = options.only
    ?.at(-1)
    ?.split(',')
    .map((name) => name.trim());
  const [unknown] = unknownFailures(only ?? []);
  if (unknown !== undefined) throw usageError(`--only has an ${unknown.problem}`);
  const limit = wholeNumber(line, 'limit', LIMIT);
  const concurrency = wholeNumber(line, 'concurrency', CONCURRENCY);
  const reports = options.report ?? [];
  if (reports.some((path) => !Object.hasOwn(REPORTS, extname(path)))) {
    throw usageError('--report does not end with .xml, .md or .json. Use one of them.');
  }
  const file = await readDrillConfig(options.config?.at(-1) ?? DEFAULT_CONFIG);
  const parallel = (concurrency ?? 1) > 1 ? problemOfConcurrency(file.config) : undefined;
  if (parallel !== undefined) throw usageError(`--concurrency ${parallel}`);
  for (const path of reports) await prepareReport(path);
  const log = options.log?.at(-1);
  const logs = log === undefined ? undefined : await LogFiles.open(log);
  const given = { only, limit, concurrency };
  const flags = Object.entries(given).filter(([, value]) => value !== undefined);
  const config: DrillConfig = { ...file.config, ...Object.fromEntries(flags) };
  return { ...file, config, reports, logs };
}

function wholeNumber(
  { options }: CommandLine,
  name: 'limit' | 'concurrency',
  { minimum, maximum }: typeof LIMIT,
): number | undefined {
  const text = options[name]?.at(-1);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= minimum && value <= maximum) return value;
  throw usageError(`--${name} is not allowed. Use a whole number from ${minimum} to ${maximum}.`);
}

async function drillBeside(
  line: CommandLine,
  { config: given, checkCredentials, reports, logs }: Awaited<ReturnType<typeof readPlan>>,
  folder: string,
  signals: StopSignals,
): Promise<number> {
  const { preset, fixturesDir, webhook, start, pay, concurrency = 1, only, amounts } = given;
  const { limit = USUAL_LIMIT, patience = patienceFor(limit) } = given;
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
  const { server, logger, output } = await startMock(config, process.stderr, signals, {
    startsClients: true,
  });
  const { redactor } = server.mock;
  const mock = await openServer(server, config, {}, () => server.close());
  const stopping = new AbortController();
  signals.received.then(() => stopping.abort());
  const warn = (text: string | undefined) => text && logger.warn(inFlags(text, line.flags));
  const terminal = new DrillTerminal(chosenNames(only && ['success', ...only]).length);
  const write = async (report: WrittenReport) => {
    const failures = report.failures.map((result) => redactedResult(result, redactor));
    for (const path of reports) {
      await writeReport(path, REPORTS[extname(path)]?.({ ...report, failures }) ?? '');
    }
  };
  let notesOn: (failure: string) => readonly string[] = () => [];
  try {
    checkCredentials((await drillOf(mock)).credentials ?? []);
    for (const text of [warning, server.certificate.warning, ...server.warnings]) warn(text);
    const access = await accessTo(server, config, folder);
    const words = 'command' in pay ? pay.command : (start?.split(/\s+/) ?? []);
    const redirect = await redirectFor(hosts, access, words, warn);
    const trust = await trustFor(access, redirect, warn);
    const target = configuredTarget({
      config: given,
      callLimit: patience + CALL_GRACE,
      environment: (apiKey, trusts) => {
        const env = environmentFor({ ...access, apiKey }, { ...redirect, ...trust }, []);
        if (trusts) return env;
        const own = Object.keys(trust).map((name) => {
          return [name, HIDING.includes(name) ? undefined : (redirect[name] ?? process.env[name])];
        });
        return { ...env, ...Object.fromEntries(own) };
      },
      redirect: redirectSentence(given, hosts, Object.keys(redirect)),
      remember: (secret) => redactor.remember(secret),
      redactor: redactorOf(config),
      logs,
    });
    notesOn = target.notesOn;
    const report = await runDrill({
      ...{ mock, target, only, limit, patience, concurrency, amounts },
      usesCurrency: knowsCurrency(given),
      webhookExists: webhook !== undefined,
      onStart: (name) => terminal.begin(name),
      onResult: (result) => {
        const notes = needsNotes(result) ? target.notesOn(result.name) : [];
        terminal.end(redactedResult(result, redactor), notes);
      },
      signal: stopping.signal,
    });
    terminal.finish(report, 'not run, because success has to be right first');
    await write(report);
    await logs?.close();
    return report.failed + report.inconclusive > 0 ? 1 : 0;
  } catch (error) {
    const names = terminal.stop();
    if (signals.first !== undefined) return STOPPED;
    if (!(error instanceof DrillStopped)) throw error;
    const { report } = error;
    const failure = error.failure ?? names.join(', ');
    const sentence = redactor.redact(error.message);
    if (report !== undefined && report.failures.length > 0) {
      terminal.finish(report, 'not judged, because the drill stopped');
      await write({ ...report, stopped: { failure, sentence } });
    }
    await logs?.close();
    // The sentence may be about the same call.
    const notes = notesOn(failure).filter(
      (note) => !sentence.includes(note.slice(note.indexOf(': ') + 2)),
    );
    const place = failure === '' ? '' : ` in ${failure}`;
    const lines = [sentence, ...notes, `The drill stopped${place}.`];
    process.stderr.write(`${lines.join('\n')}\n`);
    return STOPPED;
  } finally {
    const until = performance.now() + config.SHUTDOWN_TIMEOUT;
    await mock.close();
    await closeOutput(output, until, signals);
  }
}

/** Knows what the environment of an application has, besides the keys of accounts. */
function redactorOf({ keys, CONTROL_TOKEN, REAL_KEY }: Config): Redactor {
  const redactor = new Redactor();
  for (const secret of [...keys.map(({ key }) => key), CONTROL_TOKEN, REAL_KEY]) {
    if (secret !== undefined) redactor.remember(secret);
  }
  return redactor;
}

/** Whether what the application wrote may explain a result. Other results are about money. */
function needsNotes({ name, verdict, kind }: DrillResult): boolean {
  const isExplained = verdict === 'survived' || verdict === 'not-applicable';
  return !isExplained && (name === 'success' || verdict === 'inconclusive' || kind === 'crashed');
}

/** The host of a URL, whose placeholders may be its port. */
function hostOf(url: string): string {
  return bareHost(new URL(url.replace(/\{\w+\}/g, '1')).hostname);
}
