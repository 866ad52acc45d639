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

/** Where an application accepts connections when it is ready, unless it has only its port. */
export function addressOf({ ready, pay, outcome, webhook }: DrillConfig): string | undefined {
  const urls = [pay, outcome].flatMap((call) => ('url' in call ? call.url : []));
  return [ready, ...urls, webhook].find((url) => url !== undefined);
}

function templatesIn({ start, ready, webhook, env, ...config }: DrillConfig): Template[] {
  const { pay, outcome, reconcile } = config;
  return textsIn({ start, ready, webhook, env, pay, outcome, reconcile }, []).filter(
    // `member`, `paid` and others are not templates.
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
  return undefined;
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
  const { start, outcome, pay, concurrency = 1 } = config;
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
  if (outcome.fulfilled !== undefined && outcome.member === undefined) {
    add('outcome.fulfilled', 'without member, the whole text is the state. Add member.');
  }
  if (start === undefined && 'url' in pay) {
    if (!has('apiKey', 'pay')) {
      const why = 'without start, your application runs already, and takes its account from pay';
      add('pay', `${why}. Add {apiKey} to its headers or body, or add start.`);
    }
    if (concurrency > 1) add('concurrency', 'above 1 needs start. Remove it, or add start.');
  }
  const usesPort = has('port', 'ready', 'webhook', ...CALLS);
  if (start !== undefined && usesPort && !has('port', 'start', 'env')) {
    add('start', 'your application does not know {port}. Add it to start or env.');
  }
  if (start !== undefined && addressOf(config) === undefined && !has('port', 'start', 'env')) {
    add('start', 'nothing says when your application is ready. Add ready.');
  }
  return problems;
}
