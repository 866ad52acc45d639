import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';

interface Operation {
  summary: string;
  parameters?: { in: string; name: string }[];
  requestBody?: { required: boolean };
  responses: Record<string, { content?: object }>;
}
interface Document {
  openapi: string;
  info: object;
  security: object[];
  components: { schemas: Record<string, object>; securitySchemes: object };
  paths: Record<string, Record<string, Operation>>;
}

const mock = sharedMock({}, { control: true, apiKeys: ['alice-key'] });

const described = async (): Promise<Document> =>
  (await control(mock(), 'GET /openapi.json')).json as Document;

const operationsOf = ({ paths }: Document): [name: string, operation: Operation][] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);

it('is a valid OpenAPI 3.1 document', async () => {
  const document = await described();
  const validator = new Validator();
  expect(await validator.validate({ ...structuredClone(document) })).toMatchObject({ valid: true });
  expect([validator.version, document.openapi]).toEqual(['3.1', '3.1.0']);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(document.info).toMatchObject({ title: 'momo-mock control API', version });
  expect(await described()).toEqual(document);
});

it('has every route, and no other', async () => {
  const { json } = await control(mock(), 'GET /no-such-path');
  const { error } = json as { error: { message: string } };
  const [, routes = ''] = /Use one of: (.*)\.$/.exec(error.message) ?? [];
  const names = operationsOf(await described()).map(([name]) => name);
  expect(names.sort()).toEqual(routes.split(', ').sort());
});

const FILTER = 'since limit waitFor timeout';
const ACCOUNT = 'apikey account';

it.each<[name: string, parameters: string, isBodyRequired?: boolean]>([
  ['GET /', ''],
  ['GET /health', ''],
  ['GET /openapi.json', ''],
  ['PUT /balance', ACCOUNT, true],
  ['DELETE /balance', ACCOUNT],
  ['PUT /variant', ACCOUNT, true],
  ['POST /responses', ACCOUNT, true],
  ['DELETE /responses/{position}', `position ${ACCOUNT}`],
  ['GET /requests', `method path operation status reason fault aborted ended ${FILTER} ${ACCOUNT}`],
  ['GET /requests/{id}', `id ${ACCOUNT}`],
  ['POST /verify', `timeout ${ACCOUNT}`, true],
  ['POST /verify/webhooks', `timeout ${ACCOUNT}`, true],
  ['POST /verify/used', ACCOUNT],
  ['POST /webhooks/{id}/send', `id ${ACCOUNT}`],
  ['PUT /webhooks/script', ACCOUNT, true],
  ['GET /events', `limit ${ACCOUNT}`],
  ['GET /operations/{name}', 'name'],
  ['GET /state', `prefix ${ACCOUNT}`],
  ['PATCH /state', `${ACCOUNT} if-match`, true],
  ['PUT /state/{name}', `name ${ACCOUNT} if-match`, true],
  ['DELETE /state/{name}', `name ${ACCOUNT} if-match`],
  ['POST /clock', ACCOUNT, true],
  ['POST /accounts', '', false],
  ['DELETE /accounts', ACCOUNT],
  ['PUT /tls', '', true],
  ['POST /reset', ACCOUNT],
])('says that %s takes %j, and whether it needs a body: %s', async (name, given, isRequired) => {
  const { parameters = [], requestBody } = new Map(operationsOf(await described())).get(name) ?? {};
  expect(parameters.map((one) => one.name).join(' ')).toBe(given);
  expect(requestBody?.required).toBe(isRequired);
});

it('says of each route what it is for and what it answers', async () => {
  for (const [name, { summary, responses }] of operationsOf(await described())) {
    expect(summary, name).toMatch(/^[A-Z]/);
    const statuses = Object.keys(responses);
    expect(statuses, name).toEqual(expect.arrayContaining(['400', '401', '403']));
    const [good = ''] = statuses.filter((status) => status < '400');
    expect(good === '204', name).toBe(responses[good]?.content === undefined);
  }
});

it('has each definition under its name', async () => {
  const { components, paths } = await described();
  const names = [
    ...['Error', 'Account', 'Balance', 'Request', 'Response', 'Responses', 'StateChange'],
    ...['Expectation', 'ExpectedStep', 'Expected', 'Attempt', 'ScriptedWebhook', 'Webhooks'],
    ...['Webhook', 'WebhookExpectation', 'ExpectedWebhook', 'ExpectedWebhooks', 'RateLimit'],
    ...['Snapshot', 'Finished'],
  ];
  expect(Object.keys(components.schemas).sort()).toEqual(names.sort());
  const json = (schema: object) => ({ content: { 'application/json': { schema } } });
  const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const { get, put } = paths['/responses'] ?? {};
  expect([get?.responses[200], put?.requestBody, put?.responses[400]]).toMatchObject([
    json({ properties: { responses: { items: refer('Response') } } }),
    json(refer('Responses')),
    json(refer('Error')),
  ]);
});

it('has what the journal shows', async () => {
  await ask(mock(), '/momo/balance?a=1&a=2', { headers: { accept: ['a', 'b'] } });
  await ask({ ...mock(), apiKey: '' });
  const { components } = await described();
  const validate = ajv.compile({ ...components.schemas.Request, additionalProperties: false });
  expect((await mock().requests()).map((request) => validate(request))).toEqual([true, true]);
});

it('has examples that are as their schemas want them', async () => {
  const document = await described();
  ajv.addSchema({ $id: 'api', ...document });
  let count = 0;
  const visit = (part: unknown, pointer: string): void => {
    if (typeof part !== 'object' || part === null) return;
    for (const [name, value] of Object.entries(part)) {
      const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (name !== 'examples' || !Array.isArray(value)) visit(value, at);
      else {
        const validate = ajv.getSchema(`api#${pointer}`);
        for (const example of value) {
          expect(validate?.(example), `${pointer} ${JSON.stringify(validate?.errors)}`).toBe(true);
          count++;
        }
      }
    }
  };
  visit(document, '');
  expect(count).toBeGreaterThan(15);
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
