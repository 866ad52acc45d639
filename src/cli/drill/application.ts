import type {
  Application,
  DrillOrder,
  DrillProvider,
  DrillTarget,
} from '../../drill/application.ts';
import { isSecretName } from '../../mock/redaction/secret-names.ts';
import type { Call, DrillConfig } from './config.ts';
import { addressOf, unknownCredentials } from './config-rules.ts';
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
}

/** An application of a configuration: started for each failure, or running already. */
export function configuredTarget(options: TargetOptions): DrillTarget {
  return {
    open: async (provider, _failure, signal) => {
      const { config } = options;
      const [unknown] = unknownCredentials(config, Object.keys(provider.credentials));
      if (unknown !== undefined) {
        throw new Error(`${unknown.path.join('.')}: ${unknown.problem}`);
      }
      for (const secret of secretsOf(provider)) options.remember(secret);
      const facts = await factsOf(config, provider);
      const env = environmentOf(options, provider, facts);
      const { start } = config;
      const started =
        start === undefined ? undefined : await startApplication(config, start, facts, env, signal);
      return applicationOf(options, facts, env, started);
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
    throw withOutput(`${(error as Error).message}.`, group);
  }
}

/** For the shell. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/** Adds the last lines of a program, which usually say why. */
function withOutput(sentence: string, group: ProcessGroup | undefined): Error {
  const lines = group?.lastLines ?? [];
  const wrote =
    lines.length === 0 ? '' : ` It wrote:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  return new Error(sentence + wrote);
}

function applicationOf(
  { config, callLimit }: TargetOptions,
  facts: Facts,
  env: NodeJS.ProcessEnv,
  started: ProcessGroup | undefined,
): Application & { close(): Promise<void> } {
  const { pay, outcome, reconcile } = config;
  const closing = new AbortController();
  const groups = new Set(started && [started]);

  /** @param accepts the statuses that are not an error, such as those of a success */
  const called = async (
    call: Call,
    method: string,
    { provider: _, ...order }: DrillOrder,
    accepts: (status: number) => boolean,
  ): Promise<string> => {
    const all = { ...facts, ...order, amount: `${order.amount}` };
    const { signal } = closing;
    if ('url' in call) {
      const { status, text } = await sendCall({ method, ...call }, all, callLimit, signal);
      if (accepts(status)) return text;
      throw new Error(`${call.method ?? method} ${call.url} responded with ${status}`);
    }
    const group = new ProcessGroup(
      call.command.map((word) => fillIn(word, all)),
      env,
    );
    groups.add(group);
    await group.finish(callLimit, signal);
    if (group.isSuccess) return group.lastLine;
    throw withOutput(`${call.command[0]}: ${group.end}.`, group);
  };
  const isSuccess = (status: number) => status >= 200 && status < 300;

  /** Adds what the application wrote, and how it ended if it did. */
  const withApplication = (error: Error): never => {
    const ended =
      started?.end === undefined ? '' : ` The application runs no more: ${started.end}.`;
    throw withOutput(`${error.message.replace(/\.?$/, '.')}${ended}`, started);
  };

  return {
    webhook: config.webhook === undefined ? undefined : facts.webhook,
    pay: (order) => called(pay, 'POST', order, () => true).catch(withApplication),
    outcome: (order) =>
      called(outcome, 'GET', order, isSuccess)
        .then((text) => readOutcome(text, outcome))
        .catch(withApplication),
    ...(reconcile !== undefined && {
      reconcile: (order) => called(reconcile, 'POST', order, isSuccess).catch(withApplication),
    }),
    close: async () => {
      closing.abort();
      await Promise.all([...groups].map((group) => group.stop()));
    },
  };
}
