import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';
import { ROUTES } from '../support/program.ts';

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

it('the description is a valid OpenAPI 3.1 document', async () => {
  const document = await described();
  const validator = new Validator();
  expect(await validator.validate({ ...structuredClone(document) })).toMatchObject({ valid: true });
  expect([validator.version, document.openapi]).toEqual(['3.1', '3.1.0']);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(document.info).toMatchObject({ title: 'momo-mock control API', version });
  expect(await described()).toEqual(document);
});

it('has every route, and no other', async () => {
  const routes = Object.entries<{ isHidden?: boolean }>(ROUTES).flatMap(([name, { isHidden }]) =>
    isHidden ? [] : [name.replace('*', ':name').replace(/:(\w+)/g, '{$1}')],
  );
  const names = operationsOf(await described()).map(([name]) => name);
  expect(names.sort()).toEqual(routes.sort());
});

const FILTER = 'since limit waitFor timeout';
const ACCOUNT = 'apikey account';

it.each<{ name: string; given: string; isRequired?: boolean }>([
  { name: 'GET /', given: '' },
  { name: 'GET /health', given: '' },
  { name: 'GET /openapi.json', given: '' },
  { name: 'PUT /balance', given: ACCOUNT, isRequired: true },
  { name: 'DELETE /balance', given: ACCOUNT },
  { name: 'PUT /variant', given: ACCOUNT, isRequired: true },
  { name: 'POST /responses', given: ACCOUNT, isRequired: true },
  { name: 'DELETE /responses/{id}', given: `id ${ACCOUNT}` },
  {
    name: 'GET /requests',
    given: `method path operation status reason fault aborted ended ${FILTER} ${ACCOUNT}`,
  },
  { name: 'GET /requests/{id}', given: `id ${ACCOUNT}` },
  { name: 'POST /verify', given: `timeout ${ACCOUNT}`, isRequired: true },
  { name: 'POST /verify/webhooks', given: `timeout ${ACCOUNT}`, isRequired: true },
  { name: 'POST /verify/used', given: ACCOUNT },
  { name: 'POST /webhooks/{id}/send', given: `id ${ACCOUNT}`, isRequired: false },
  { name: 'PUT /webhooks/script', given: ACCOUNT, isRequired: true },
  { name: 'GET /events', given: `limit ${ACCOUNT}` },
  { name: 'GET /operations/{name}', given: 'name' },
  { name: 'GET /state', given: `prefix ${ACCOUNT}` },
  { name: 'PATCH /state', given: `${ACCOUNT} if-match`, isRequired: true },
  { name: 'PUT /state/{name}', given: `name ${ACCOUNT} if-match`, isRequired: true },
  { name: 'DELETE /state/{name}', given: `name ${ACCOUNT} if-match` },
  { name: 'POST /clock', given: ACCOUNT, isRequired: true },
  { name: 'POST /accounts', given: '', isRequired: false },
  { name: 'DELETE /accounts', given: ACCOUNT },
  { name: 'PUT /tls', given: '', isRequired: true },
  { name: 'POST /reset', given: ACCOUNT },
])(
  'the description says that $name has the parameters $given, and whether it requires a body: $isRequired',
  async ({ name, given, isRequired }) => {
    const { parameters = [], requestBody } =
      new Map(operationsOf(await described())).get(name) ?? {};
    expect(parameters.map((one) => one.name).join(' ')).toBe(given);
    expect(requestBody?.required).toBe(isRequired);
  },
);

it('the description says what each route is for and what it responds', async () => {
  for (const [name, { summary, responses }] of operationsOf(await described())) {
    expect(summary, name).toMatch(/^[A-Z]/);
    const statuses = Object.keys(responses);
    expect(statuses, name).toEqual(expect.arrayContaining(['400', '401', '403']));
    const [good = ''] = statuses.filter((status) => status < '400');
    expect(good === '204', name).toBe(responses[good]?.content === undefined);
  }
});

it('the description has each definition under its name', async () => {
  const { components, paths } = await described();
  const names = [
    ...['Error', 'Account', 'Balance', 'Request', 'Response', 'Responses', 'StateChange'],
    ...['Expectation', 'ExpectedStep', 'Expected', 'Attempt', 'ScriptedWebhook', 'Webhooks'],
    ...['Webhook', 'WebhookExpectation', 'ExpectedWebhook', 'ExpectedWebhooks', 'RateLimit'],
    ...['Snapshot', 'Finished', 'PromptEntry', 'PromptChoice', 'WebhookChange', 'Ledger'],
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

it('the description has the entries of the journal', async () => {
  await ask(mock(), '/momo/balance?a=1&a=2', { headers: { accept: ['a', 'b'] } });
  await ask({ ...mock(), apiKey: '' });
  const { components } = await described();
  const validate = ajv.compile({ ...components.schemas.Request, additionalProperties: false });
  expect((await mock().requests()).map((request) => validate(request))).toEqual([true, true]);
});

it('every example in the description is valid by its schema', async () => {
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

it('the description requires the token if one is set, and never shows it', async () => {
  const open = await described();
  const other = await startMock({}, { control: { token: 'sekret' }, apiKeys: ['alice-key'] });
  const headers = { authorization: 'Bearer sekret' };
  const closed = (await control(other, 'GET /openapi.json', { headers })).json as Document;
  expect(open.security).toEqual([{}, { token: [] }]);
  expect(closed.security).toEqual([{ token: [] }]);
  expect(closed.components.securitySchemes).toMatchObject({ token: { scheme: 'bearer' } });
  expect(JSON.stringify(closed)).not.toMatch(/sekret|alice-key/);
});
