import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';

interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Operation {
  summary: string;
  parameters?: { in: string; name: string; required?: boolean }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}
interface Document {
  openapi: string;
  info: Record<string, unknown>;
  security: object[];
  components: { schemas: Record<string, { examples?: unknown[] }>; securitySchemes: object };
  paths: Record<string, Record<string, Operation>>;
}

const mock = sharedMock({}, { control: true, apiKeys: ['alice-key'] });

const described = async (): Promise<Document> =>
  (await control(mock(), 'GET /openapi.json')).json as Document;

function operationsOf(document: Document): [name: string, operation: Operation][] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

describe('the description of the control API', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const document = await described();
    const validator = new Validator();
    const result = await validator.validate({ ...structuredClone(document) });
    expect(result).toMatchObject({ valid: true });
    expect([validator.version, document.openapi]).toEqual(['3.1', '3.1.0']);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(document.info).toMatchObject({ title: 'momo-mock control API', version });
  });

  it('is the same each time, also for clients that ask at once', async () => {
    const read = async () => (await control(mock(), 'GET /openapi.json')).text;
    const [first, second] = await Promise.all([read(), read()]);
    expect(JSON.parse(`${first}`)).toMatchObject({ openapi: '3.1.0' });
    expect([second, await read()]).toEqual([first, first]);
  });

  it('has every route, and no other', async () => {
    const document = await described();
    const { json } = await control(mock(), 'GET /no-such-path');
    const { error } = json as { error: { message: string } };
    const [, routes = ''] = /Use one of: (.*)\.$/.exec(error.message) ?? [];
    expect(
      operationsOf(document)
        .map(([name]) => name)
        .sort(),
    ).toEqual(routes.split(', ').sort());
  });

  it('has each definition under its name', async () => {
    const document = await described();
    const names = [
      ...['Error', 'Account', 'Request', 'Filter', 'Response', 'Responses'],
      ...['Expectation', 'ExpectedStep', 'Expected', 'VerifyOptions'],
      ...['Attempt', 'CallbackFilter', 'ScriptedCallback', 'Callbacks'],
      'Balance',
      ...['StateChange', 'CallbackExpectation', 'ExpectedCallback', 'ExpectedCallbacks'],
    ];
    expect(Object.keys(document.components.schemas).sort()).toEqual(names.sort());
    const { get, put } = document.paths['/responses'] ?? {};
    const item = { $ref: '#/components/schemas/Response' };
    expect([get?.responses[200], put?.requestBody, put?.responses[400]]).toMatchObject([
      {
        content: { 'application/json': { schema: { properties: { responses: { items: item } } } } },
      },
      { content: { 'application/json': { schema: { $ref: '#/components/schemas/Responses' } } } },
      { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
    ]);
  });

  it('has what the journal shows', async () => {
    await ask(mock(), '/momo/balance?a=1&a=2', { headers: { accept: ['a', 'b'] } });
    await ask({ ...mock(), apikey: '' });
    const requests = await mock().requests();
    const { components } = await described();
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const validate = ajv.compile({ ...components.schemas.Request, additionalProperties: false });
    expect(requests.map((request) => validate(request))).toEqual([true, true]);
  });

  it('says of each route what it is for and what it answers, with an example', async () => {
    for (const [name, operation] of operationsOf(await described())) {
      const { summary, responses } = operation;
      expect(summary, name).toMatch(/^[A-Z]/);
      const statuses = Object.keys(responses);
      expect(statuses, name).toEqual(expect.arrayContaining(['401', '403']));
      const [good = ''] = statuses.filter((status) => status < '400');
      const { content } = responses[good] ?? {};
      expect(good === '204', name).toBe(content === undefined);
    }
  });

  it('has examples that are as their schemas want them', async () => {
    const document = await described();
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema({ $id: 'api', ...document });
    const point = (...path: string[]) =>
      `api#/${path.map((it) => it.replaceAll('/', '~1')).join('/')}`;
    const check = (ref: string, value: unknown) => {
      const validate = ajv.getSchema(ref);
      expect(validate?.(value), `${ref} ${JSON.stringify(validate?.errors)}`).toBe(true);
    };
    let count = 0;
    const media = (found: Record<string, Media> = {}, ...path: string[]) => {
      for (const [type, { example, examples = {} }] of Object.entries(found)) {
        const values = Object.values(examples).map(({ value }) => value);
        for (const value of example === undefined ? values : [example, ...values]) {
          check(point(...path, 'content', type, 'schema'), value);
          count++;
        }
      }
    };
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, { requestBody, responses }] of Object.entries(item)) {
        media(requestBody?.content, 'paths', path, method, 'requestBody');
        for (const [status, { content }] of Object.entries(responses)) {
          media(content, 'paths', path, method, 'responses', status);
        }
      }
    }
    for (const [name, { examples = [] }] of Object.entries(document.components.schemas)) {
      for (const value of examples) check(point('components', 'schemas', name), value);
      count += examples.length;
    }
    expect(count).toBeGreaterThan(15);
  });

  it('names the header that picks the account where there can be one', async () => {
    const withAccount = operationsOf(await described()).filter(([, { parameters = [] }]) =>
      parameters.some((it) => it.in === 'header' && it.name === 'apikey'),
    );
    const paths = withAccount.map(([name]) => name.split(' ')[1]);
    expect([...new Set(paths)]).toEqual([
      '/balance',
      '/variant',
      '/responses',
      '/responses/{position}',
      '/requests',
      '/requests/{id}',
      '/verify',
      '/verify/callbacks',
      '/verify/scripts',
      '/callbacks',
      '/callbacks/{id}/send',
      '/callbacks/script',
      '/events',
      '/state',
      '/state/{name}',
      '/clock',
      '/accounts',
      '/reset',
    ]);
  });

  it('names what the journal can be asked', async () => {
    const { paths } = await described();
    const query = paths['/requests']?.get?.parameters?.filter((it) => it.in === 'query');
    expect(query?.map(({ name }) => name)).toEqual([
      'method',
      'path',
      'operation',
      'status',
      'reason',
      'fault',
      'aborted',
      'ended',
      'since',
      'limit',
      'waitFor',
      'timeout',
    ]);
  });

  it('demands a body where one is needed', async () => {
    const withBody = operationsOf(await described()).flatMap(([name, { requestBody }]) =>
      requestBody === undefined ? [] : [[name, requestBody.required]],
    );
    expect(Object.fromEntries(withBody)).toEqual({
      'PUT /balance': true,
      'PATCH /state': true,
      'PUT /responses': true,
      'POST /responses': true,
      'POST /verify': true,
      'POST /verify/callbacks': true,
      'PUT /callbacks/script': true,
      'POST /accounts': false,
      'PUT /tls': true,
      'PUT /variant': true,
      'PUT /state/{name}': true,
      'POST /clock': true,
    });
  });

  it('demands the token where one is demanded, and never shows it', async () => {
    const open = await described();
    const other = await startMock({}, { control: { token: 'sekret' }, apiKeys: ['alice-key'] });
    const headers = { authorization: 'Bearer sekret' };
    const closed = (await control(other, 'GET /openapi.json', { headers })).json as Document;
    expect(open.security).toEqual([{}, { token: [] }]);
    expect(closed.security).toEqual([{ token: [] }]);
    expect(closed.components.securitySchemes).toMatchObject({ token: { scheme: 'bearer' } });
    expect(JSON.stringify(closed)).not.toMatch(/sekret|alice-key/);
  });
});
