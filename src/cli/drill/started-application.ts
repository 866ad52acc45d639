import {
  type DrillOrder,
  type DrillPlace,
  type DrillProvider,
  type DrillTarget,
  type OpenApplication,
  secretsOf,
} from '../../drill/application.ts';
import { DrillStopped } from '../../drill/stopped.ts';
import { credentialVariable } from '../../mock/ledger/momo-drill.ts';
import type { Redactor } from '../../mock/redaction/redaction.ts';
import { isSecretName } from '../../mock/redaction/secret-names.ts';
import { type Called, callApplication, outputOf } from './calls.ts';
import type { Call, DrillConfig } from './config.ts';
import { addressOf, knowsPort } from './config-rules.ts';
import { freePort } from './free-port.ts';
import type { LogFiles } from './log-files.ts';
import { MistypedField, readOutcome } from './outcome.ts';
import { firstAndLastLines, plainText } from './output.ts';
import { ProcessGroup } from './process-group.ts';
import { accepts, waitUntilReady } from './ready.ts';
import {
  fillIn,
  fillInAll,
  fillInUrl,
  type PlaceholderValues,
  placeholdersIn,
} from './template.ts';

/** How many applications may go on while the next failures run, each in processes of its own. */
const MAX_WATCHED = 4;
/** A shorter line of a secret, such as the end of a private key, is too common to search for. */
const MIN_SECRET_LINE = 8;

export interface TargetOptions {
  readonly config: DrillConfig;
  /** The time limit of each call, in ms: longer than the drill waits, which then says that it hangs. */
  readonly callLimit: number;
  /**
   * The environment of `run`.
   *
   * @param trusts whether it has the variables that make programs trust the mock
   */
  readonly environment: (apiKey: string, trusts: boolean) => NodeJS.ProcessEnv;
  /** How requests find the mock, in a sentence. */
  readonly redirect: string;
  /** Called with each secret of an account, which no output may show. */
  readonly remember: (secret: string) => void;
  /** For what applications write and respond. It learns all secrets that they get. */
  readonly redactor: Redactor;
  readonly logs: LogFiles | undefined;
}

/** An application of a configuration: started for each failure, or running already. */
export function configuredTarget(options: TargetOptions) {
  const { config } = options;
  const isShared = config.start === undefined;
  const hasOwnPort = knowsPort(config);
  let last: OpenApplication | undefined;
  const notes = new Map<string, () => readonly string[]>();

  const place: DrillTarget['place'] = async (provider, failure) => {
    const { url, apiKey, webhookSecret } = provider;
    await options.logs?.begin(failure);
    const port = isShared ? undefined : await portFor(failure);
    const values: PlaceholderValues = {
      url,
      apiKey,
      webhookSecret,
      ...(port !== undefined && { port }),
    };
    const webhook = config.webhook && fillInUrl(config.webhook, values);
    const open: DrillPlace['open'] = async (account, { trusts, signal }) => {
      if (account.webhookSecret !== webhookSecret) refuseSecretIn(config.webhook);
      // On one port, there is one application. It may take a while to stop.
      if (!isShared && !hasOwnPort) await last?.close();
      for (const secret of secretsOf(account)) {
        options.remember(secret);
        options.redactor.remember(secret);
      }
      const all = { ...values, ...placeholderValuesOf(account), webhook: webhook ?? '' };
      const env = environmentOf(options, account, all, trusts);
      const application = await openApplication(options, failure, all, env, signal);
      notes.set(failure, application.notes);
      last = application;
      return application;
    };
    return { webhook, open };
  };
  return {
    isShared,
    maxWatched: isShared ? Infinity : hasOwnPort ? MAX_WATCHED : 0,
    place,
    /** What may explain the result of a failure: problems of calls, and what the application wrote. */
    notesOn: (failure: string) => notes.get(failure)?.() ?? [],
  };
}

/** @throws DrillStopped, because no failure would have a port */
async function portFor(failure: string): Promise<string> {
  try {
    return `${await freePort()}`;
  } catch (error) {
    const text = `Failed to find a port for the application: ${(error as Error).message}`;
    throw new DrillStopped(text, failure);
  }
}

/** The URL is older than the secret that the provider chose. @throws Error with a sentence if it contains one */
function refuseSecretIn(webhook = ''): void {
  if (!placeholdersIn(webhook).includes('webhookSecret')) return;
  throw new Error(
    'this provider chooses {webhookSecret} when it knows the webhook URL. Remove it from webhook.',
  );
}

function placeholderValuesOf({ webhookSecret, credentials }: DrillProvider): PlaceholderValues {
  const named = Object.entries(credentials).map(([name, value]) => [`credentials.${name}`, value]);
  return { ...Object.fromEntries(named), webhookSecret };
}

function environmentOf(
  { config, environment, redactor }: TargetOptions,
  { apiKey, webhookSecret, credentials }: DrillProvider,
  values: PlaceholderValues,
  trusts: boolean,
): NodeJS.ProcessEnv {
  const named = Object.entries(credentials).map(([name, value]) => [
    credentialVariable(name),
    value,
  ]);
  const own = fillInAll(config.env ?? {}, values);
  for (const [name, value] of Object.entries(own)) {
    if (!isSecretName(name)) continue;
    const lines = value.split('\n').filter(({ length }) => length >= MIN_SECRET_LINE);
    for (const secret of [value, ...lines]) redactor.remember(secret);
  }
  return {
    ...environment(apiKey, trusts),
    ...Object.fromEntries(named),
    MOMO_MOCK_DRILL_WEBHOOK: values.webhook,
    MOMO_MOCK_DRILL_WEBHOOK_SECRET: webhookSecret,
    ...own,
  };
}

async function openApplication(
  options: TargetOptions,
  failure: string,
  values: PlaceholderValues,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<OpenApplication & { readonly notes: () => readonly string[] }> {
  const { config, callLimit: limit, logs, redactor, redirect } = options;
  const { start, pay, outcome, reconcile } = config;
  const log = (lines: string) => logs?.write(failure, redactor.redact(plainText(lines)));
  const run = (words: readonly string[]) => {
    log(heading('start'));
    return new ProcessGroup(words, env, log);
  };
  const started =
    start === undefined ? undefined : await startApplication(options, start, values, signal, run);
  const closing = new AbortController();
  const groups = new Set(started && [started]);
  /** The last problem of a call that the drill ignores, by the name of the call. */
  const problems = new Map<string, string>();

  const called = async (
    name: string,
    call: Call,
    { provider: _, ...order }: DrillOrder,
  ): Promise<Called> => {
    let group: ProcessGroup | undefined;
    try {
      return await callApplication(call, name === 'outcome' ? 'GET' : 'POST', {
        values: { ...values, ...order, amount: `${order.amount}` },
        ...{ limit, signal: closing.signal, redactor },
        run: (words) => {
          group = new ProcessGroup(words, env);
          groups.add(group);
          return group;
        },
      });
    } finally {
      if (group?.isOver) groups.delete(group);
      // Else a log would be full of outcomes, which are read ten times a second.
      const isTold = name !== 'outcome' || group?.isSuccess === false;
      if (group !== undefined && isTold) log(`${heading(name)}${group.written.trimEnd()}\n`);
    }
  };

  /** A call whose problem counts only if the money is wrong. */
  const attempted = async (name: string, call: Call, order: DrillOrder): Promise<void> => {
    try {
      const { isRefused, head, evidence } = await called(name, call, order);
      if (isRefused) problems.set(name, `${name}: ${head}.${evidence}`);
      else problems.delete(name);
    } catch (error) {
      problems.set(name, `${name}: ${(error as Error).message}`);
      throw error;
    }
  };

  return {
    redirect,
    pay: (order) => attempted('pay', pay, order),
    outcome: async (order) => {
      const { text, isUnknown, isRefused, subject, head, evidence } = await called(
        'outcome',
        outcome,
        order,
      );
      if (isUnknown) return undefined;
      if (isRefused) throw new Error(`${head}.${evidence}`);
      try {
        return readOutcome(text, outcome);
      } catch (error) {
        const text = `${head}, but ${subject} ${(error as Error).message}${evidence}`;
        throw error instanceof MistypedField ? new DrillStopped(text) : new Error(text);
      }
    },
    ...(reconcile !== undefined && {
      reconcile: (order: DrillOrder) => attempted('reconcile', reconcile, order),
    }),
    crash: () => started?.end,
    notes: () => {
      const { end, written = '' } = started ?? {};
      const lines = firstAndLastLines(redactor.redact(written));
      return [
        ...problems.values(),
        ...(end === undefined ? [] : [`The application runs no more: ${end}.`]),
        ...(lines === '' ? [] : [`The application wrote:${lines}`]),
      ];
    },
    close: async () => {
      closing.abort();
      await Promise.all([...groups].map((group) => group.stop()));
    },
  };
}

async function startApplication(
  { config, redactor }: TargetOptions,
  start: string,
  values: PlaceholderValues,
  signal: AbortSignal,
  run: (words: readonly string[]) => ProcessGroup,
): Promise<ProcessGroup> {
  const address = fillInUrl(addressOf(config) ?? 'http://127.0.0.1:{port}', values);
  // Otherwise, the drill would talk to another program, such as an application of an earlier run.
  if (await accepts(address)) {
    const { host } = new URL(address);
    throw new Error(`another program listens on ${host}. Stop it, or use {port}.`);
  }
  const group = run(['sh', '-c', fillIn(start, values, quoted)]);
  try {
    await waitUntilReady(group, address, config.ready !== undefined, signal);
    return group;
  } catch (error) {
    await group.stop();
    throw new Error(`${(error as Error).message}.${outputOf(group, redactor)}`);
  }
}

/** For the shell. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/** Where in a log the output of a call or a process begins. */
function heading(name: string): string {
  return `--- ${new Date().toISOString().slice(11, 23)} ${name}\n`;
}
