import {
  check,
  drill,
  FAILURES,
  FAULTS,
  FLAG_SETTINGS,
  flagOf,
  init,
  limits,
  PREFIX,
  REFUSED_WEBHOOK_HINTS,
  RIGHT,
  record,
  run,
  SETTINGS,
  type SettingName,
  STATUSES,
  serve,
  WEBHOOK_HINTS,
} from '../support/program.ts';
import { exportedTypes, type Member, membersOf } from './declarations.ts';
import { errorCauses } from './documents.ts';
import { LIMIT_TABLES } from './limits.ts';
import { code, lowerFirst, prose, table } from './markdown.ts';
import { isPerAccount, requestsAt } from './openapi.ts';
import { presetEnds, presetErrors } from './preset-codes.ts';
import { anchorOf, fieldsOf, referenceOf } from './reference.ts';

/** A kind of table: its columns, and its rows for what stands behind its name. */
interface Kind {
  readonly columns: readonly string[];
  rows(of: string): readonly (readonly string[])[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  /** Of interfaces of the library. */
  members: {
    columns: ['member', 'meaning'],
    rows: (interfaces) =>
      membersIn(interfaces).map((one) => [
        HAS_OWN_MEANINGS.test(interfaces) ? code(one.call) : nameOf(one),
        one.summary,
      ]),
  },
  /** Of interfaces whose members are options. */
  options: {
    columns: ['option', 'default', 'meaning'],
    rows: (interfaces) =>
      membersIn(interfaces).map((one) => [
        nameOf(one),
        one.fallback.replace(/^(?:'[^']*'|\[[^\]]*\]|\d+|true|false|start\w+)(?=,|$)/, code),
        one.summary,
      ]),
  },
  /** Of paths in the order of the page, with those below them. */
  calls: {
    columns: ['call', 'what it does', 'per account'],
    rows: (paths) =>
      paths
        .split(' ')
        .flatMap(requestsAt)
        .map(([name, operation]) => [
          `[${code(name)}](control-reference.md${anchorOf(name)})`,
          operation.summary,
          isPerAccount(operation) ? 'yes' : 'no',
        ]),
  },
  types: {
    columns: ['type', 'meaning'],
    rows: () => exportedTypes().map(([name, about]) => [code(name), about]),
  },
  /** How a transaction of the preset can end. */
  'preset-ends': { columns: ['code', 'meaning'], rows: presetEnds },
  'preset-errors': { columns: ['code', 'meaning'], rows: presetErrors },
  faults: {
    columns: ['fault', 'what the client gets'],
    rows: () =>
      Object.entries(FAULTS).map(([name, { description }]) => [code(name), prose(description)]),
  },
  /** Of the drill. */
  failures: {
    columns: ['failure', 'what happens', 'what is right'],
    rows: () => FAILURES.map(({ name, about, right }) => [code(name), about, RIGHT[right]]),
  },
  'webhook-reasons': {
    columns: ['reason', 'meaning and fix'],
    rows: () => Object.entries(WEBHOOK_HINTS).map(([name, hint]) => [code(name), prose(hint)]),
  },
  'refused-webhooks': {
    columns: ['status', 'meaning and fix'],
    rows: () =>
      Object.entries(REFUSED_WEBHOOK_HINTS).map(([status, hint]) => [status, prose(hint)]),
  },
  /** Of the body of a call, or of an object in it: `POST /webhooks`, or `POST /webhooks sign`. */
  fields: { columns: ['field', 'meaning', 'default'], rows: fieldsOf },
  limits: {
    columns: ['what', 'at most'],
    rows: (of) => LIMIT_TABLES[of]?.(limits) ?? [],
  },
  /** Of the `control` API, or of `other` places only. */
  errors: {
    columns: ['code', 'status', 'cause'],
    rows: (place) => {
      const causes = errorCauses();
      const statuses: Readonly<Record<string, number>> = STATUSES;
      const others = [...causes.keys()].filter((name) => !(name in statuses));
      const sorted = Object.entries(STATUSES).sort(([, a], [, b]) => a - b);
      const names = place === 'control' ? sorted.map(([name]) => name) : others;
      return names.map((name) => [
        code(name),
        `${statuses[name] ?? ''}`,
        lowerFirst(causes.get(name) ?? ''),
      ]);
    },
  },
  settings: {
    columns: ['setting', 'flag', 'default', 'meaning'],
    rows: () => (Object.keys(SETTINGS) as SettingName[]).map(settingRow),
  },
  flags: {
    columns: ['command', 'flag', 'meaning'],
    rows: () => {
      const rows = Object.entries({ serve, run, drill, init, check, record }).flatMap(flagRows);
      const commandsOf = ([, flag, about]: string[]) =>
        rows.filter((row) => row[1] === flag && row[2] === about).map(([command = '']) => command);
      const joined = rows.map((row) => [commandsOf(row).join(', '), ...row.slice(1)]);
      return [...new Map(joined.map((row) => [row.join(), row])).values()];
    },
  },
};

/** Interfaces whose members only have the names of others. */
const HAS_OWN_MEANINGS = /^(LedgerEntry|Drill\w+)$/;

/** Where a member has its page. */
const PAGES: Readonly<Record<string, string>> = {
  respondWith: 'responses.md',
  setVariant: 'fixtures.md#name-a-file',
  setRateLimit: 'responses.md#limit-the-request-rate',
  verifyUsed: 'verify.md#verify-that-scripted-responses-were-used',
  finish: 'providers/chipdeals.md#test-a-successful-payment',
  account: 'library.md#state',
  requests: 'verify.md#in-a-test',
  verify: 'verify.md',
  verifyWebhooks: 'verify.md#verify-webhooks',
  sendWebhook: 'webhooks.md#send-a-webhook',
  scriptWebhooks: 'webhooks.md',
  state: 'library.md#state',
  prompts: 'control-reference.md#prompts',
  ledger: 'drill.md#read-the-ledger',
  snapshot: 'snapshots.md',
  setTls: 'tls.md#test-that-your-client-verifies-certificates',
  handle: 'simulate.md#set-a-handler-in-a-node-test',
  keyIn: 'another-provider.md#where-the-key-is',
  notSecret: 'logs.md#redaction',
  fixturesDir: 'fixtures.md',
  preset: 'providers.md',
  redirect: 'isolate-tests.md#clients-with-a-built-in-base-url',
  trust: 'isolate-tests.md#clients-that-take-only-a-base-url-and-a-key',
  open: 'isolate-tests.md#use-a-mock-that-runs-elsewhere',
  strict: 'verify.md#vitest',
};

function nameOf({ name, call }: Member): string {
  const page = PAGES[name];
  return page === undefined ? code(call) : `[${code(call)}](${page})`;
}

const membersIn = (interfaces: string) => interfaces.split(' ').flatMap(membersOf);

const TABLE = /(<!-- table: ([a-z-]+)(?: (.+))? -->\n)[\s\S]*?(<!-- end of table -->)/g;

/** What the tables of a page are made of: such as `calls` and `/state`. */
export function tablesIn(page: string): { kind: string; of: string }[] {
  return [...page.matchAll(TABLE)].map(([, , kind = '', of = '']) => ({ kind, of }));
}

/** The page with its tables as they are made from the program. */
export function withTables(page: string): string {
  return page.replace(TABLE, (_all, begin, kind, of = '', end) => {
    const text = kind === 'reference' ? referenceOf(of) : tableOf(kind, of);
    return `${begin}\n${text}\n${end}`;
  });
}

function tableOf(name: string, of: string): string {
  const kind = KINDS[name];
  if (kind === undefined) throw new Error(`there is no kind of table ${name}`);
  const rows = kind.rows(of);
  if (rows.length === 0) throw new Error(`the table ${name} ${of} has no rows`);
  return table(kind.columns, rows);
}

function settingRow(name: SettingName): string[] {
  const { schema, about } = SETTINGS[name];
  const fallback = 'default' in schema ? String(schema.default) : '';
  const flag = FLAG_SETTINGS.includes(name) ? code(flagOf(name)) : '';
  return [code(PREFIX + name), flag, fallback && code(fallback), prose(about)];
}

function flagRows([name, { options = {} }]: [string, typeof run]): string[][] {
  return Object.entries(options).map(([flag, { value, about }]) => {
    return [
      code(name),
      code(value === undefined ? `--${flag}` : `--${flag} ${value}`),
      prose(about),
    ];
  });
}
