import { type ControlCode, STATUSES } from './control-error.ts';
import { documented, type Route } from './route.ts';
import { ERROR } from './schemas.ts';

interface Schema {
  readonly $id?: string;
  readonly description?: string;
  readonly headers?: object;
  readonly content?: object;
  readonly patternProperties?: object;
  additionalProperties?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const ALWAYS: readonly ControlCode[] = [
  'MOMO_MOCK_REQUEST_INVALID',
  'MOMO_MOCK_TOKEN',
  'MOMO_MOCK_HOST_REFUSED',
  'MOMO_MOCK_ORIGIN_REFUSED',
];
const ACCOUNT_HEADERS = {
  apikey: 'The key of one account. Without it, the request applies to all accounts.',
  account: 'The id of one account, such as account-1, instead of its key.',
};

export function describeRoutes(
  routes: Readonly<Record<string, Route>>,
  version: string,
  hasToken: boolean,
): object {
  const paths: Record<string, object> = {};
  for (const [name, route] of Object.entries(routes)) {
    if (route.isHidden) continue;
    const [method = '', path = ''] = documented(name).split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(route) };
  }
  const schemas: Record<string, object> = {};
  return {
    openapi: '3.1.0',
    info: {
      title: 'momo-mock control API',
      version,
      description:
        'Configure and query the mock. Send the header apikey to target one account. Without it, a request applies to all accounts.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths: withReferences(paths, schemas),
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The value of MOMO_MOCK_CONTROL_TOKEN, if it is set.',
        },
      },
      schemas,
    },
    security: hasToken ? [{ token: [] }] : [{}, { token: [] }],
  };
}

function operationOf(route: Route): object {
  const { summary, description, params = {} } = route;
  const { status = 200, result, nothing, unverified } = route;
  const hasAccount = route.account === undefined;
  const body = route.body as Schema | undefined;
  const { properties: query = {} } = (route.query ?? {}) as Schema;
  const headers = { ...(hasAccount && ACCOUNT_HEADERS), ...route.headers };
  const codes = [
    ...(route.errors ?? []),
    ...(hasAccount ? (['MOMO_MOCK_ACCOUNT_UNKNOWN'] as const) : []),
    ...(body === undefined ? [] : (['MOMO_MOCK_TOO_LARGE', 'MOMO_MOCK_CONTENT_TYPE'] as const)),
  ];
  const parameters = [
    ...Object.entries(query).map(([name, { description, ...schema }]) => {
      return { name, in: 'query', description, required: false, schema };
    }),
    ...Object.entries(params).map(([name, text]) => textIn('path', name, text)),
    ...Object.entries(headers).map(([name, text]) => textIn('header', name, text)),
  ];
  return {
    summary,
    description,
    ...(parameters.length > 0 && { parameters }),
    requestBody: body && { required: route.isBodyOptional !== true, content: contentOf(body) },
    responses: {
      ...errors(codes),
      [status]: result && responseOf(result),
      204: nothing && { description: nothing },
      ...(unverified !== undefined && { 422: responseOf(unverified) }),
    },
  };
}

function textIn(place: 'path' | 'header', name: string, description: string): object {
  const required = place === 'path';
  return { name, in: place, description, required, schema: { type: 'string' } };
}

function responseOf({ headers, ...schema }: Schema): object {
  const { description = 'Default Response', content = contentOf(schema) } = schema;
  return { description, headers, content };
}

function contentOf(schema: object): object {
  return { 'application/json': { schema } };
}

function errors(codes: readonly ControlCode[]): object {
  const all = [...codes, ...ALWAYS];
  const described = all.map((code) => {
    const same = all.filter((other) => STATUSES[other] === STATUSES[code]);
    return [STATUSES[code], { description: same.join(', '), content: contentOf(ERROR) }];
  });
  return Object.fromEntries(described);
}

/**
 * Replaces every named schema with a reference to its component, and adds the component to
 * `schemas`. A name that does not start with a capital letter only serves error messages, so its
 * schema stays inline.
 */
function withReferences(value: object, schemas: Record<string, object>): object {
  const refer = (_key: string, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    const { $id, patternProperties, ...schema } = part as Schema;
    // Client generators recognize records by this keyword.
    if (patternProperties) schema.additionalProperties = Object.values(patternProperties)[0];
    if ($id === undefined || !/^[A-Z]/.test($id)) return schema;
    schemas[$id] ??= withReferences(schema, schemas);
    return { $ref: `#/components/schemas/${$id}` };
  };
  return JSON.parse(JSON.stringify(value, refer));
}
