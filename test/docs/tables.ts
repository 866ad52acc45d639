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
  readonly description?: string;
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

/** The errors that the page describes once, because they belong to every call of a kind. */
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

const PARAMETER_COLUMNS = ['parameter', 'meaning', 'type', 'default'];
const FIELD_COLUMNS = ['field', 'meaning', 'type', 'default'];

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

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  // A column whose cells are all empty says nothing.
  const shown = columns.flatMap((_column, at) => (rows.some((row) => row[at]) ? [at] : []));
  const line = (cells: readonly string[]) =>
    `|${shown.map((at) => ` ${cells[at]?.replaceAll('|', '\\|') ?? ''} `).join('|')}|`.replaceAll(
      /\| {2}(?=\|)/g,
      '| ',
    );
  const head = [line(columns), `|${shown.map(() => '---|').join('')}`];
  return `${[...head, ...rows.map(line)].join('\n')}\n`;
}

/** The requests at one of these paths, or below it. */
export function requestsAt(paths: string) {
  return REQUESTS.filter(([name]) => {
    const path = name.slice(name.indexOf(' ') + 1);
    return paths.split(' ').some((one) => path === one || path.startsWith(`${one}/`));
  });
}

/** The heading of a call as GitHub links it: `#get-statename` for `GET /state/{name}`. */
function anchorOf(name: string): string {
  const slug = name.toLowerCase().replaceAll(/[^\w -]/g, '');
  return `#${slug.replaceAll(' ', '-')}`;
}

function isPerAccount({ parameters = [] }: Operation): boolean {
  return parameters.some((one) => one.name === 'apikey');
}

/** All calls at these paths: each with its parameters, its body, its response and its errors. */
function referenceOf(paths: string): string {
  const calls = requestsAt(paths);
  if (calls.length === 0) throw new Error(`there is no call at ${paths}`);
  return calls.map(([name, operation]) => callOf(name, operation)).join('\n');
}

function callOf(name: string, operation: Operation): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const about = [`${summary}.`, ...(description === undefined ? [] : [prose(description)])];
  const own = parameters.filter((one) => !ACCOUNT_HEADERS.includes(one.name));
  const errors = Object.values(responses)
    .flatMap(({ description = '' }) => description.match(/\bMOMO_MOCK_\w+/g) ?? [])
    .filter((error) => !COMMON.includes(error))
    .map(code);
  const parts = [
    `### ${code(name)}\n`,
    `${about.join(' ')}\n`,
    ...(isPerAccount(operation) ? [] : ['**Per account**: no\n']),
    ...(own.length === 0 ? [] : [table(PARAMETER_COLUMNS, own.map(parameterRow))]),
    ...bodyOf(name, requestBody),
    ...Object.entries(responses)
      .filter(([status]) => Number(status) < 300)
      .flatMap(([status, response]) => responseOf(name, status, response)),
    ...(errors.length === 0 ? [] : [`**Errors**: ${[...new Set(errors)].join(', ')}\n`]),
  ];
  return parts.join('\n');
}

function parameterRow({ name, in: place, description = '', schema }: Parameter): string[] {
  const shown = { query: code(name), path: code(`{${name}}`), header: `${code(name)} (header)` };
  return [
    shown[place as keyof typeof shown],
    prose(description),
    typeOf(schema),
    place === 'path' ? 'required' : defaultOf(schema),
  ];
}

/** The calls whose body, or an element of it, is a schema with a name, by this name. */
const BODIES = new Map(
  REQUESTS.flatMap(([name, { requestBody }]) =>
    namesIn(requestBody).map((schema) => [schema, name] as const),
  ).reverse(),
);
/** The calls whose response contains such a schema. */
const RESULTS = new Map(
  REQUESTS.flatMap(([name, { responses }]) =>
    namesIn(responses[200]).map((schema) => [schema, name] as const),
  ).reverse(),
);

/** The schemas with a name of which a content consists, without those deeper in these. */
function namesIn(content: Content | undefined): string[] {
  const within = (given: Schema): string[] => {
    if (given.$ref === undefined) {
      const { anyOf = [], items, properties = {} } = given;
      return [...anyOf, ...(items ? [items] : []), ...Object.values(properties)].flatMap(within);
    }
    const { anyOf, items } = resolved(given);
    const parts = [...(anyOf ?? []), ...(items ? [items] : [])];
    return [nameOf(given.$ref), ...parts.flatMap(within)];
  };
  const schema = content?.content?.['application/json']?.schema;
  return schema === undefined ? [] : within(schema);
}

/** The only call that shows the fields of this schema. */
function homeOf({ $ref }: Schema): string | undefined {
  return $ref === undefined ? undefined : (BODIES.get(nameOf($ref)) ?? RESULTS.get(nameOf($ref)));
}

function link(name: string): string {
  return `[${code(name)}](${anchorOf(name)})`;
}

function bodyOf(name: string, content: Content | undefined): string[] {
  const schema = content?.content?.['application/json']?.schema;
  if (schema === undefined) return [];
  const home = homeOf(schema) ?? name;
  if (home !== name) return [`**Body**: as in ${link(home)}.\n`];
  const { title, description } = resolved(schema);
  const first = firstOf(schema);
  const rows = fieldRows(first.items === undefined ? first : resolved(first.items));
  const is = title === undefined ? '' : title.startsWith(AS_JSON) ? 'any JSON' : prose(title);
  const text = [is, ...(description === undefined ? [] : [lowerFirst(prose(description))])];
  const about = text
    .filter(Boolean)
    .join('; ')
    .replace(/\.?$/, rows.length > 0 ? ':' : '.');
  return rows.length === 0
    ? [`**Body**: ${about}\n`]
    : [`**Body**${about === ':' ? ':' : `: ${about}`}\n`, table(FIELD_COLUMNS, rows)];
}

function responseOf(name: string, status: string, content: Content): string[] {
  const { description = '', headers = {} } = content;
  const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(content.content ?? {});
  const more = Object.entries(headers).map(
    ([header, { description = '' }]) =>
      ` Header ${code(header)}: ${lowerFirst(prose(description))}`,
  );
  const is =
    type === '' || type === 'application/json' ? '' : ` (${code(type.split(';')[0] ?? '')})`;
  const about = `**Response ${status}**${is}: ${prose(description)}${more.join('')}`;
  const home = homeOf(schema) ?? firstWith(status, content) ?? name;
  if (home !== name) return [`${about} As in ${link(home)}.\n`];
  const base = baseOf(resolved(schema));
  const rows = resultRows(name, resolved(schema)).filter(
    ([field = '']) => base === undefined || !(code(field.replaceAll('`', '')) in fieldsOf(base)),
  );
  const also = base && `All fields of the entries in ${link(homeOf({ $ref: base }) ?? '')}, and:\n`;
  return [
    `${about}\n`,
    ...(also === undefined ? [] : [also]),
    ...(rows.length === 0 ? [] : [table(FIELD_COLUMNS.slice(0, 3), rows)]),
  ];
}

/** The first call with the same fields in its response. */
function firstWith(status: string, content: Content): string | undefined {
  if (resolved(content.content?.['application/json']?.schema ?? {}).properties === undefined)
    return;
  const text = JSON.stringify(content);
  return REQUESTS.find(([, one]) => JSON.stringify(one.responses[status]) === text)?.[0];
}

/** The schema with a name whose fields an object has, besides others. */
function baseOf({ properties = {} }: Schema): string | undefined {
  const isIn = (name: string) => {
    const own = Object.entries(component(name).properties ?? {});
    const isSame = ([field, schema]: [string, Schema]) =>
      JSON.stringify(properties[field]) === JSON.stringify(schema);
    return own.length > 5 && own.length < Object.keys(properties).length && own.every(isSame);
  };
  return Object.keys(OPENAPI.components.schemas).find(isIn);
}

function fieldsOf(name: string): Readonly<Record<string, true>> {
  return Object.fromEntries(fieldRows(component(name)).map(([field = '']) => [field, true]));
}

/** The fields of a response, and those of the objects in it. */
function resultRows(call: string, { properties = {} }: Schema, within = ''): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const place = `${within}${name}`;
    const { description = '' } = resolved(schema);
    const home = homeOf(schema.items ?? schema) ?? call;
    const meaning = prose(schema.description ?? description);
    const isElsewhere = home !== call;
    const inner = schema.items ?? schema;
    const objects = isElsewhere ? [] : [inner, ...(inner.anyOf ?? [])].map(resolved);
    const below = objects.flatMap((one) =>
      resultRows(call, one, schema.items === undefined ? `${place}.` : `${place}[].`),
    );
    const elsewhere = isElsewhere ? `The fields are those in ${link(home)}.` : '';
    const kind =
      below.length > 0 || isElsewhere
        ? schema.items === undefined
          ? 'object'
          : 'array'
        : typeOf(schema);
    return [[code(place), [meaning, elsewhere].filter(Boolean).join(' '), kind], ...below];
  });
}

function firstOf(given: Schema): Schema {
  const schema = resolved(given);
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
  return schema.$ref === undefined ? schema : component(nameOf(schema.$ref));
}

function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}

function defaultOf({ default: fallback }: Schema): string {
  return fallback === undefined ? '' : code(String(fallback));
}

/** The type of a schema with the values that it allows. */
function typeOf(given: Schema): string {
  const schema = resolved(given);
  const { title, type, anyOf, properties, items } = schema;
  if (title !== undefined) return title.startsWith(AS_JSON) ? 'JSON' : prose(title);
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
  /\bnull\b|^true\b|\bfalse(?=:)|\[redacted\]|\b(?:GET|PUT|POST|PATCH|DELETE) \/[\w/]+|\bMOMO_MOCK_\w+|\bNODE_\w+=\S+\w|\berrors\/\w+|\bhttps?:\/\/[\w.:/-]*|\bETag\b|\bIf-Match\b|\{[^}]+\}|--[a-z-]+|\b[a-z]+[A-Z]\w+/g;

function prose(description: string): string {
  return description.replaceAll(CODE, code).replaceAll(/'(`[^`]*`)'/g, '$1');
}

function code(text: string): string {
  return `\`${text}\``;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
