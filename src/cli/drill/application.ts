import type { DrillOrder, DrillProvider, DrillTarget } from '../../drill/application.ts';
import { isSecretName } from '../../mock/redaction/secret-names.ts';
import type { Call, DrillConfig } from './config.ts';
import { addressOf } from './config-rules.ts';
import { freePort } from './free-port.ts';
import { sendCall } from './http-call.ts';
import { readOutcome } from './outcome.ts';
import { ProcessGroup } from './process-group.ts';
import { accepts, waitUntilReady } from './ready.ts';
import { type Facts, fillIn, fillInAll, fillInUrl } from './template.ts';

export interface TargetOptions {
  readonly config: DrillConfig;
  /** The time limit of each call, in ms: longer than a failure, which ends it. */
  readonly callLimit: number;
  /** The environment of `run`, with the key of an account. */
  readonly environment: (apiKey: string) => NodeJS.ProcessEnv;
  /** Called with each secret that the application gets, which no output may show. */
  readonly remember: (secret: string) => void;
  /** Called when an application is closed, with what may explain a failure. */
  readonly onClose: (failure: string, notes: readonly string[]) => void;
}

/** An application of a configuration: started for each failure, or running already. */
export function configuredTarget(options: TargetOptions): DrillTarget {
  return {
    open: async (provider, failure, signal) => {
      const { config } = options;
      for (const secret of secretsOf(provider)) options.remember(secret);
      const facts = await factsOf(config, provider);
      const env = environmentOf(options, provider, facts);
      const { start } = config;
      const started =
        start === undefined ? undefined : await startApplication(config, start, facts, env, signal);
      const { close, notes, ...application } = applicationOf(options, facts, env, started);
      return {
        ...application,
        close: async () => {
          options.onClose(failure, notes());
          await close();
        },
      };
    },
  };
}

function secretsOf({ apiKey, webhookSecret, credentials }: DrillProvider): string[] {
  const named = Object.entries(credentials).filter(([name]) => isSecretName(name));
  return [apiKey, webhookSecret, ...named.map(([, value]) => value)];
}

async function factsOf(config: DrillConfig, provider: DrillProvider): Promise<Facts> {
  const { url, apiKey, webhookSecret, credentials } = provider;
  const named = Object.entries(credentials).map(([name, value]) => [`credentials.${name}`, value]);
  const facts: Facts = {
    ...Object.fromEntries(named),
    ...{ url, apiKey, webhookSecret },
    ...(config.start !== undefined && { port: `${await freePort()}` }),
  };
  return { ...facts, webhook: fillInUrl(config.webhook ?? '', facts) };
}

function environmentOf(
  { config, environment }: TargetOptions,
  { apiKey, webhookSecret, credentials }: DrillProvider,
  facts: Facts,
): NodeJS.ProcessEnv {
  const named = Object.entries(credentials).map(([name, value]) => [variableOf(name), value]);
  return {
    ...environment(apiKey),
    ...Object.fromEntries(named),
    MOMO_MOCK_DRILL_WEBHOOK: facts.webhook,
    MOMO_MOCK_DRILL_WEBHOOK_SECRET: webhookSecret,
    ...fillInAll(config.env ?? {}, facts),
  };
}

/** `apiUser` -> `MOMO_MOCK_DRILL_API_USER` */
function variableOf(name: string): string {
  const words = name.replace(/(?<=[a-z\d])(?=[A-Z])|\W/g, '_');
  return `MOMO_MOCK_DRILL_${words.toUpperCase()}`;
}

async function startApplication(
  config: DrillConfig,
  start: string,
  facts: Facts,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ProcessGroup> {
  const address = fillInUrl(addressOf(config) ?? 'http://127.0.0.1:{port}', facts);
  // Otherwise, the drill would talk to another program, such as an application of an earlier run.
  if (await accepts(address)) {
    const { host } = new URL(address);
    throw new Error(`another program listens on ${host}. Stop it, or use {port}.`);
  }
  const group = new ProcessGroup(['sh', '-c', fillIn(start, facts, quoted)], env);
  try {
    await waitUntilReady(group, address, config.ready !== undefined, signal);
    return group;
  } catch (error) {
    await group.stop();
    throw problemOf(`${(error as Error).message}.`, group);
  }
}

/** For the shell. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/** How a program failed, with what it wrote, which usually says why. */
function problemOf(sentence: string, { written }: ProcessGroup): Error {
  return new Error(written === '' ? sentence : `${sentence} It wrote:${written}`);
}

function applicationOf(
  { config, callLimit }: TargetOptions,
  facts: Facts,
  env: NodeJS.ProcessEnv,
  started: ProcessGroup | undefined,
) {
  const { pay, outcome, reconcile } = config;
  const closing = new AbortController();
  const groups = new Set(started && [started]);
  /** The last problem of a call that the drill ignores, by the name of the call. */
  const problems = new Map<string, string>();

  const called = async (
    call: Call,
    method: string,
    { provider: _, ...order }: DrillOrder,
  ): Promise<{ readonly text: string; readonly problem?: string }> => {
    const all = { ...facts, ...order, amount: `${order.amount}` };
    const { signal } = closing;
    if ('url' in call) {
      const { status, text } = await sendCall({ method, ...call }, all, callLimit, signal);
      if (status >= 200 && status < 300) return { text };
      return { text, problem: `${call.method ?? method} ${call.url} responded with ${status}.` };
    }
    const words = call.command.map((word) => fillIn(word, all));
    const group = new ProcessGroup(words, env);
    groups.add(group);
    await group.finish(callLimit, signal);
    if (group.isSuccess) return { text: group.lastLine };
    throw problemOf(`${words[0]}: ${group.end}.`, group);
  };

  const notes = () => {
    const { end, written = '' } = started ?? {};
    return [
      ...problems.values(),
      ...(end === undefined ? [] : [`The application runs no more: ${end}.`]),
      ...(written === '' ? [] : [`The application wrote:${written}`]),
    ];
  };

  /** A call whose problem counts only if the money is wrong. */
  const attempted = async (name: string, call: Call, order: DrillOrder): Promise<void> => {
    try {
      const { problem } = await called(call, 'POST', order);
      if (problem === undefined) problems.delete(name);
      else problems.set(name, `${name}: ${problem}`);
    } catch (error) {
      problems.set(name, `${name}: ${(error as Error).message}`);
      throw error;
    }
  };

  return {
    webhook: config.webhook === undefined ? undefined : facts.webhook,
    pay: (order: DrillOrder) => attempted('pay', pay, order),
    outcome: async (order: DrillOrder) => {
      try {
        const { text, problem } = await called(outcome, 'GET', order);
        if (problem !== undefined) throw new Error(problem);
        return readOutcome(text, outcome);
      } catch (error) {
        throw new Error([(error as Error).message, ...notes()].join('\n'));
      }
    },
    ...(reconcile !== undefined && {
      reconcile: (order: DrillOrder) => attempted('reconcile', reconcile, order),
    }),
    crash: () => started?.end,
    notes,
    close: async () => {
      closing.abort();
      await Promise.all([...groups].map((group) => group.stop()));
    },
  };
}
