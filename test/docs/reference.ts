import { AS_JSON } from '../support/program.ts';
import { code, lowerFirst, prose, table } from './markdown.ts';
import {
  type Content,
  component,
  defaultOf,
  firstOf,
  isPerAccount,
  nameOf,
  OPENAPI,
  type Operation,
  type Parameter,
  REQUESTS,
  requestsAt,
  resolved,
  type Schema,
  typeOf,
} from './openapi.ts';

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

const PARAMETER_COLUMNS = ['parameter', 'meaning', 'type', 'default'];
const FIELD_COLUMNS = ['field', 'meaning', 'type', 'default'];

/** The heading of a call as GitHub links it: `#get-statename` for `GET /state/{name}`. */
export function anchorOf(name: string): string {
  const slug = name.toLowerCase().replaceAll(/[^\w -]/g, '');
  return `#${slug.replaceAll(' ', '-')}`;
}

/** All calls at these paths: each with its parameters, its body, its response and its errors. */
export function referenceOf(paths: string): string {
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
  const known = base === undefined ? {} : (component(base).properties ?? {});
  const others = Object.entries(resolved(schema).properties ?? {}).filter(
    ([field]) => !(field in known),
  );
  const rows = resultRows(name, { properties: Object.fromEntries(others) });
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

/** A type that a page for readers shows: a choice of a few texts. */
const MAX_CHOICES = 6;

/** The fields of a body, each with its meaning in place of its type. */
export function fieldsOf(place: string): string[][] {
  const [method, path, ...within] = place.split(' ');
  const name = `${method} ${path}`;
  const [, call] = REQUESTS.find(([one]) => one === name) ?? [];
  const body = call?.requestBody?.content?.['application/json']?.schema;
  if (body === undefined) throw new Error(`there is no call ${name} with a body`);
  const of = within.reduce((schema, field) => {
    const inner = schema.properties?.[field];
    if (inner === undefined) throw new Error(`there is no field ${field} in ${place}`);
    return resolved(inner);
  }, firstOf(body));
  const rows = fieldRows(of);
  return Object.values(of.properties ?? {}).map((schema, at) => {
    const [field = '', meaning = '', type = '', fallback = ''] = rows[at] ?? [];
    const choices = resolved(schema).enum?.length ?? Infinity;
    const choice = choices > MAX_CHOICES ? '' : ` One of ${type}.`;
    return [field, meaning === '' ? type : `${meaning}${choice}`, fallback];
  });
}

function fieldRows({ properties, required = [] }: Schema): string[][] {
  return Object.entries(properties ?? {}).map(([name, schema]) => {
    const { description = '' } = resolved(schema);
    const fallback = required.includes(name) ? 'required' : defaultOf(schema);
    return [code(name), prose(schema.description ?? description), typeOf(schema), fallback];
  });
}
