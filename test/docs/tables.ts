import {
  check,
  FAULTS,
  FLAG_SETTINGS,
  flagOf,
  init,
  limits,
  PREFIX,
  record,
  run,
  SETTINGS,
  type SettingName,
  STATUSES,
  serve,
  WEBHOOK_HINTS,
} from '../support/program.ts';
import { errorCauses } from './documents.ts';
import { LIMIT_TABLES } from './limits.ts';
import { code, lowerFirst, prose, table } from './markdown.ts';
import { isPerAccount, requestsAt } from './openapi.ts';
import { anchorOf, fieldsOf, referenceOf } from './reference.ts';

/** A kind of table: its columns, and its rows for what stands behind its name. */
interface Kind {
  readonly columns: readonly string[];
  rows(of: string): readonly (readonly string[])[];
}

const KINDS: Readonly<Record<string, Kind>> = {
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
  faults: {
    columns: ['fault', 'what the client gets'],
    rows: () =>
      Object.entries(FAULTS).map(([name, { description }]) => [code(name), prose(description)]),
  },
  'webhook-reasons': {
    columns: ['reason', 'meaning and fix'],
    rows: () => Object.entries(WEBHOOK_HINTS).map(([name, hint]) => [code(name), prose(hint)]),
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
      const rows = Object.entries({ serve, run, init, check, record }).flatMap(flagRows);
      const commandsOf = ([, flag, about]: string[]) =>
        rows.filter((row) => row[1] === flag && row[2] === about).map(([command = '']) => command);
      const joined = rows.map((row) => [commandsOf(row).join(', '), ...row.slice(1)]);
      return [...new Map(joined.map((row) => [row.join(), row])).values()];
    },
  },
};

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
