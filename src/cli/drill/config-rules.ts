import { FAILURE_NAMES } from '../../drill/drill.ts';
import { advice } from '../../mock/closest-name.ts';
import { isHttpUrl } from '../../mock/webhooks/webhook-url.ts';
import type { DrillConfig } from './config.ts';
import { isSameWord } from './outcome.ts';
import { fillIn, placeholdersIn } from './template.ts';

export interface ConfigProblem {
  readonly path: readonly string[];
  readonly problem: string;
}

/** A text that may have placeholders. */
interface Template {
  readonly path: readonly string[];
  readonly text: string;
}

const AT_START = ['port', 'url', 'apiKey', 'webhook', 'webhookSecret'];
const OF_ORDER = ['order', 'amount', 'currency', 'phone'];
const CALLS = ['pay', 'outcome', 'reconcile'];
const CREDENTIAL = /^credentials\./;
/** What is chosen before the webhook URL, which the provider may need for the rest. */
const IN_WEBHOOK = ['port', 'apiKey', 'webhookSecret'];

/** Finds a name of an earlier version, which the new one does not resemble. */
export function oldName(config: unknown): ConfigProblem | undefined {
  if (Object(Object(config).outcome).member === undefined) return undefined;
  const problem = 'unknown field "outcome.member". Did you mean "field"?';
  return { path: ['outcome', 'member'], problem };
}

/** Finds what the definition cannot say: wrong placeholders and URLs, and what the drill misses. */
export function problemsOf(config: DrillConfig): ConfigProblem[] {
  const templates = templatesIn(config);
  const wrong = templates.flatMap(({ path, text }) =>
    placeholdersIn(text).flatMap((name) => {
      const problem = problemOfPlaceholder(name, path, config);
      return problem === undefined ? [] : [{ path, problem }];
    }),
  );
  return wrong.length > 0 ? wrong : [...wrongUrls(templates), ...missing(config, templates)];
}

/** Finds credentials that the preset does not have. */
export function unknownCredentials(config: DrillConfig, known: readonly string[]): ConfigProblem[] {
  const names = known.map((name) => `credentials.${name}`);
  return templatesIn(config).flatMap(({ path, text }) => {
    const unknown = placeholdersIn(text).filter(
      (name) => CREDENTIAL.test(name) && !names.includes(name),
    );
    return unknown.map((name) => {
      const fix = names.length === 0 ? 'The preset has none.' : advice(name, names);
      return { path, problem: `unknown placeholder {${name}}. ${fix}` };
    });
  });
}

/** Whether each application can have a port of its own. */
export function knowsPort({ start, env }: DrillConfig): boolean {
  return textsIn({ start, env }, []).some(({ text }) => placeholdersIn(text).includes('port'));
}

/** Whether orders can have more than one currency. */
export function knowsCurrency({ pay }: DrillConfig): boolean {
  return textsIn(pay, []).some(({ text }) => placeholdersIn(text).includes('currency'));
}

/** Why failures can't run at the same time, if they can't. */
export function problemOfConcurrency(config: DrillConfig): string | undefined {
  const { start, pay } = config;
  if (start !== undefined) {
    const fix = 'Remove it, or add {port} to start or env';
    return knowsPort(config) ? undefined : `above 1 needs a port for each application. ${fix}.`;
  }
  return 'url' in pay ? 'above 1 needs start. Remove it, or add start.' : undefined;
}

/** Finds names that no failure has, with their indexes. */
export function unknownFailures(names: readonly string[]): { at: number; problem: string }[] {
  return names.flatMap((name, at) => {
    if (FAILURE_NAMES.includes(name)) return [];
    // Anything else may be a key.
    const shown = /^[a-z-]{1,30}$/i.test(name) ? ` "${name}"` : '';
    return [{ at, problem: `unknown failure${shown}. ${advice(name, FAILURE_NAMES)}` }];
  });
}

/** Where an application accepts connections when it is ready, unless it has only its port. */
export function addressOf({ ready, pay, outcome, webhook }: DrillConfig): string | undefined {
  const urls = [pay, outcome].flatMap((call) => ('url' in call ? call.url : []));
  return [ready, ...urls, webhook].find((url) => url !== undefined);
}

function templatesIn({ start, ready, webhook, env, ...config }: DrillConfig): Template[] {
  const { pay, outcome, reconcile } = config;
  return textsIn({ start, ready, webhook, env, pay, outcome, reconcile }, []).filter(
    // `field`, `paid` and others are not templates.
    ({ path: [first = '', second = ''] }) =>
      !CALLS.includes(first) || ['url', 'headers', 'body', 'command'].includes(second),
  );
}

function textsIn(value: unknown, path: readonly string[]): Template[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => textsIn(item, [...path, name]));
}

function problemOfPlaceholder(
  name: string,
  [field = '']: readonly string[],
  { start, webhook }: DrillConfig,
): string | undefined {
  const isOfOrder = OF_ORDER.includes(name);
  if (!isOfOrder && !AT_START.includes(name) && !CREDENTIAL.test(name)) {
    const known = [...AT_START, ...OF_ORDER, 'credentials.NAME'];
    return `unknown placeholder {${name}}. ${advice(name, known)}`;
  }
  if (isOfOrder && !CALLS.includes(field)) {
    return `{${name}} is known only in ${CALLS.join(', ')}. Remove it here.`;
  }
  if (name === 'port' && start === undefined) {
    return 'without start, your application runs already, so {port} is unknown. Write its port.';
  }
  if (name === 'webhook' && (field === 'webhook' || webhook === undefined)) {
    return '{webhook} stands for the field webhook. Write the URL into that field.';
  }
  if (field !== 'webhook' || IN_WEBHOOK.includes(name)) return undefined;
  if (name !== 'url') return `{${name}} is known only after webhook. Remove it here.`;
  const fix = 'Write the URL of your application, such as http://127.0.0.1:{port}/webhooks';
  return `{url} is the mock, which sends no webhook to itself. ${fix}.`;
}

function wrongUrls(templates: readonly Template[]): ConfigProblem[] {
  const sample = new Proxy({}, { get: () => '1' });
  const isUrl = ({ path }: Template) =>
    path.length === (CALLS.includes(path[0] ?? '') ? 2 : 1) &&
    ['ready', 'webhook', 'url'].includes(path.at(-1) ?? '');
  return templates
    .filter(isUrl)
    .filter(({ text }) => {
      const isWhole = /^\{(url|webhook)\}/.test(text);
      return !isHttpUrl(isWhole ? text.replace(/^\{\w+\}/, 'http://1') : fillIn(text, sample));
    })
    .map(({ path }) => {
      return { path, problem: 'is not a URL. Use one such as http://127.0.0.1:{port}/orders.' };
    });
}

function missing(config: DrillConfig, templates: readonly Template[]): ConfigProblem[] {
  const { start, outcome, pay, concurrency = 1, only = [] } = config;
  const has = (name: string, ...fields: string[]) =>
    templates.some(
      ({ path, text }) => fields.includes(path[0] ?? '') && placeholdersIn(text).includes(name),
    );
  const problems: ConfigProblem[] = [];
  const add = (path: string, problem: string) => problems.push({ path: path.split('.'), problem });
  const { paid = ['paid'], failed = ['failed'] } = outcome;
  const isPaid = (word: string) => paid.some((other) => isSameWord(other, word));
  const both = failed.find(isPaid);
  if (both !== undefined) add('outcome.failed', `"${both}" is also in paid. Remove it from one.`);
  if (outcome.fulfilled !== undefined && outcome.field === undefined) {
    add('outcome.fulfilled', 'without field, the whole text is the state. Add field.');
  }
  for (const { at, problem } of unknownFailures(only)) {
    problems.push({ path: ['only', `${at}`], problem });
  }
  const parallel = concurrency > 1 ? problemOfConcurrency(config) : undefined;
  if (parallel !== undefined) add('concurrency', parallel);
  if (start === undefined && 'url' in pay && !has('apiKey', 'pay')) {
    const why = 'without start, your application runs already, and takes its account from pay';
    add('pay', `${why}. Add {apiKey} to its headers or body, or add start.`);
  }
  const usesPort = has('port', 'ready', 'webhook', ...CALLS);
  if (start !== undefined && usesPort && !knowsPort(config)) {
    add('start', 'your application does not know {port}. Add it to start or env.');
  }
  if (start !== undefined && addressOf(config) === undefined && !knowsPort(config)) {
    add('start', 'nothing says when your application is ready. Add ready.');
  }
  return problems;
}
