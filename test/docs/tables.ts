import {
  AS_JSON,
  check,
  describeRoutes,
  FAULTS,
  FLAG_SETTINGS,
  flagOf,
  init,
  PREFIX,
  ROUTES,
  record,
  run,
  SETTINGS,
  type SettingName,
  STATUSES,
  serve,
  WEBHOOK_HINTS,
} from '../support/program.ts';
import { errorCauses } from './documents.ts';

/** The part of JSON Schema that `/openapi.json` uses. */
interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, Schema>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** What `/openapi.json` serves. */
const OPENAPI = JSON.parse(JSON.stringify(describeRoutes(ROUTES, '', false))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** A request of the control API, such as `GET /state/{name}`, and its description. */
export const REQUESTS: readonly (readonly [name: string, operation: Operation])[] = Object.entries(
  OPENAPI.paths,
).flatMap(([path, operations]) =>
  Object.entries(operations).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
  ),
);

/** The errors that the page describes once, because they belong to every request of a kind. */
const COMMON = [
  'MOMO_MOCK_REQUEST_INVALID',
  'MOMO_MOCK_TOKEN',
  'MOMO_MOCK_HOST_REFUSED',
  'MOMO_MOCK_ORIGIN_REFUSED',
  'MOMO_MOCK_ACCOUNT_UNKNOWN',
  'MOMO_MOCK_TOO_LARGE',
  'MOMO_MOCK_CONTENT_TYPE',
];

const ACCOUNT_HEADERS = ['apikey', 'account'];

/** A kind of table: its columns, and its rows for what stands behind its name. */
interface Kind {
  readonly columns: readonly string[];
  rows(of: string): readonly (readonly string[])[];
}

const FIELD_COLUMNS = ['field', 'meaning', 'type', 'default'];

/** In the column of whether a request can target one account. */
const USUAL = 'yes';

const KINDS: Readonly<Record<string, Kind>> = {
  /** Of paths, such as `/state /clock`, with those below them. */
  requests: {
    columns: ['request', 'what it does', 'one account', 'response', 'errors'],
    rows: (paths) => {
      const seen = new Set<string>();
      return requestsAt(paths).map(([name, operation]) => requestRow(name, operation, seen));
    },
  },
  parameters: {
    columns: ['parameter', 'meaning', 'type', 'default'],
    rows: (paths) => {
      const all = requestsAt(paths).flatMap(([, { parameters = [] }]) => parameters);
      const rows = all
        .filter((one) => one.in !== 'path' && !ACCOUNT_HEADERS.includes(one.name))
        .map(({ name, in: place, description = '', schema }) => [
          place === 'query' ? code(name) : `${code(name)} (${place})`,
          prose(description),
          typeOf(schema),
          defaultOf(schema),
        ]);
      return [...new Map(rows.map((row) => [row.join(), row])).values()];
    },
  },
  body: {
    columns: FIELD_COLUMNS,
    rows: (name) => fieldRows(schemaOf(find(name).requestBody)),
  },
  response: {
    columns: FIELD_COLUMNS.slice(0, 2),
    rows: (name) => fieldRows(schemaOf(find(name).responses[200])),
  },
  entry: {
    columns: FIELD_COLUMNS.slice(0, 2),
    rows: (name) => fieldRows(component(name)),
  },
  /** Of `PUT /webhooks/script`, whose body is a list. */
  script: {
    columns: FIELD_COLUMNS,
    rows: () => fieldRows(component('ScriptedWebhook')),
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

/** What the tables of a page are made of: such as `requests` and `/state`. */
export function tablesIn(page: string): { kind: string; of: string }[] {
  return [...page.matchAll(TABLE)].map(([, , kind = '', of = '']) => ({ kind, of }));
}

/** The page with its tables as they are made from the program. */
export function withTables(page: string): string {
  return page.replace(
    TABLE,
    (_all, begin, kind, of, end) => `${begin}\n${table(kind, of)}\n${end}`,
  );
}

function table(name: string, of = ''): string {
  const kind = KINDS[name];
  if (kind === undefined) throw new Error(`there is no kind of table ${name}`);
  const rows = kind.rows(of);
  if (rows.length === 0) throw new Error(`the table ${name} ${of} has no rows`);
  // Empty cells say nothing, and most requests can target one account.
  const says = (at: number) => rows.some((row) => row[at] !== '' && row[at] !== USUAL);
  const shown = kind.columns.flatMap((_column, at) => (says(at) ? [at] : []));
  const line = (cells: readonly string[]) =>
    `|${shown.map((at) => ` ${cells[at]?.replaceAll('|', '\\|') ?? ''} `).join('|')}|`.replaceAll(
      /\| {2}(?=\|)/g,
      '| ',
    );
  const head = [line(kind.columns), `|${shown.map(() => '---|').join('')}`];
  return `${[...head, ...rows.map(line)].join('\n')}\n`;
}

/** The requests at one of these paths, or below it. */
export function requestsAt(paths: string) {
  return REQUESTS.filter(([name]) => {
    const path = name.slice(name.indexOf(' ') + 1);
    return paths.split(' ').some((one) => path === one || path.startsWith(`${one}/`));
  });
}

function find(name: string): Operation {
  const [, operation] = REQUESTS.find(([one]) => one === name) ?? [];
  if (operation === undefined) throw new Error(`there is no request ${name}`);
  return operation;
}

/** @param seen what the rows above say already */
function requestRow(
  name: string,
  { summary, parameters = [], responses }: Operation,
  seen: Set<string>,
): string[] {
  const once = (text: string) => {
    if (seen.has(text)) return [];
    seen.add(text);
    return [text];
  };
  const inPath = parameters.flatMap(({ name: part, in: place, description = '' }) =>
    place === 'path' ? once(`${code(`{${part}}`)} is ${lowerFirst(prose(description))}`) : [],
  );
  const good = Object.entries(responses).filter(([status]) => Number(status) < 300);
  const response = good.flatMap(([status, { description = '', headers = {} }]) => {
    // What the summary says already.
    if (good.length === 1 && status === '204') return status;
    const more = Object.entries(headers).map(
      ([header, { description = '' }]) =>
        ` Header ${code(header)}: ${lowerFirst(prose(description))}`,
    );
    const [text] = once(`${prose(description)}${more.join('')}`);
    return text === undefined ? status : `${status}: ${text}`;
  });
  const errors = Object.values(responses).flatMap(
    ({ description = '' }) => description.match(/\bMOMO_MOCK_\w+/g) ?? [],
  );
  return [
    code(name),
    [summary, ...inPath].join('. '),
    parameters.some((one) => one.name === 'apikey') ? USUAL : 'no',
    response.join(' '),
    errors
      .filter((error) => !COMMON.includes(error))
      .map(code)
      .join(', '),
  ];
}

function schemaOf(content: Content | undefined): Schema {
  const schema = resolved(content?.content?.['application/json']?.schema ?? {});
  const [first] = schema.anyOf ?? [];
  return first === undefined ? schema : resolved(first);
}

function fieldRows({ properties, required = [] }: Schema): string[][] {
  return Object.entries(properties ?? {}).map(([name, schema]) => {
    const { description = '' } = resolved(schema);
    const fallback = required.includes(name) ? 'required' : defaultOf(schema);
    return [code(name), prose(schema.description ?? description), typeOf(schema), fallback];
  });
}

function component(name: string): Schema {
  const schema = OPENAPI.components.schemas[name];
  if (schema === undefined) throw new Error(`there is no schema ${name}`);
  return schema;
}

function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : component(schema.$ref.split('/').at(-1) ?? '');
}

function defaultOf({ default: fallback }: Schema): string {
  return fallback === undefined ? '' : code(String(fallback));
}

/** The type of a schema with the values that it allows. */
function typeOf(given: Schema): string {
  const schema = resolved(given);
  const { title, type, anyOf, properties, items } = schema;
  if (title !== undefined) return title.startsWith(AS_JSON) ? 'JSON' : title;
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((one) => code(String(one))).join(', ');
  if ('const' in schema) return code(String(schema.const));
  if (type === 'array') return `array of ${items === undefined ? 'JSON' : typeOf(items)}`;
  if (properties !== undefined)
    return `an object of ${Object.keys(properties).map(code).join(', ')}`;
  return `${type ?? 'JSON'}${rangeOf(schema)}`;
}

function rangeOf({ minimum = 0, maximum }: Schema): string {
  const count = (value: number) => value.toLocaleString('en');
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) {
    return `, ${count(minimum)} to ${count(maximum)}`;
  }
  return minimum === 0 ? '' : ` from ${minimum}`;
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

/** What is code in a description, which has no marks. */
const CODE =
  /\bnull\b|^true\b|\bfalse(?=:)|\[redacted\]|\b(?:GET|PUT|POST|PATCH|DELETE) \/[\w/]+|\bMOMO_MOCK_\w+|\bNODE_\w+=\S+\w|\berrors\/\w+|\bhttps?:\/\/|\bETag\b|\bIf-Match\b|\{[^}]+\}|--[a-z-]+|\b[a-z]+[A-Z]\w+/g;

function prose(description: string): string {
  return description.replaceAll(CODE, code).replaceAll(/'(`[^`]*`)'/g, '$1');
}

function code(text: string): string {
  return `\`${text}\``;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
