import { expect, it } from 'vitest';
import { AS_JSON, control } from '../support/client.ts';
import { startServer } from '../support/mock.ts';

it.each([
  ['PATCH /balance', 'GET, HEAD, PUT, DELETE'],
  ['POST /balance?sekret=1', 'GET, HEAD, PUT, DELETE'],
  ['OPTIONS /responses', 'GET, HEAD, PUT, DELETE, POST'],
  ['PUT /requests?sekret=1', 'GET, HEAD, DELETE'],
  ['PATCH /accounts', 'GET, HEAD, DELETE, POST'],
  ['DELETE /tls', 'GET, HEAD, PUT'],
  ['GET /reset', 'POST'],
  ['POST /health', 'GET, HEAD'],
  ['TRACE /openapi.json', 'GET, HEAD'],
  ['PROPFIND /certificate', 'GET, HEAD'],
  ['POST /state/a', 'GET, HEAD, PUT, DELETE'],
  ['POST /state/deposits/7f3a', 'GET, HEAD, PUT, DELETE'],
  ['GET /webhooks/1/send', 'POST'],
  ['DELETE /requests/1', 'GET, HEAD'],
  ['PUT /responses/0', 'DELETE'],
  ['DELETE /operations/GET%20%2Fmomo%2Fbalance', 'GET, HEAD'],
])('%s gets a 405 with the allowed methods', async (line, allow) => {
  const response = await control(await startServer(), line);
  const error = { code: 'MOMO_MOCK_METHOD', message: expect.stringContaining(allow) };
  expect(response).toMatchObject({ status: 405, headers: { allow }, json: { error } });
  expect(response.text).not.toContain('sekret');
});

const ALL_ROUTES = 'GET /openapi.json lists the routes.';

it.each([
  ['GET /sekret', ALL_ROUTES],
  ['GET /page/sekret.js', ALL_ROUTES],
  ['GET /balance/sekret', ALL_ROUTES],
  ['GET /%zz-sekret', ALL_ROUTES],
  ['DELETE /sekret', ALL_ROUTES],
  ['PUT /__proto__', ALL_ROUTES],
  ['GET /constructor', ALL_ROUTES],
  ['GET /callbacks', ALL_ROUTES],
  ['PUT /response', 'Did you mean PUT /responses?'],
  ['PUT /Responses/?sekret=1', 'Did you mean PUT /responses?'],
  ['PATCH /response', 'Did you mean GET, PUT, POST, DELETE /responses?'],
  ['POST /webhook', 'Did you mean POST /webhooks?'],
  ['GET /webook', 'Did you mean GET /webhooks?'],
  ['POST /webhooks/sekret/snd', 'Did you mean POST /webhooks/{id}/send?'],
  ['PUT /stat/sekret', 'Did you mean PUT /state/{name}?'],
  ['POST /verify/use', 'Did you mean POST /verify/used?'],
  ['GET /ratelimit', 'Did you mean GET /rate-limit?'],
  ['GET /balance/', 'Did you mean GET /balance?'],
  ['GET /Balance', 'Did you mean GET /balance?'],
])('%s is 404: %s', async (line, advice) => {
  const { status, text, json } = await control(await startServer(), line);
  const message = `Not found: the control API has no route with this path. ${advice}`;
  expect([status, json]).toEqual([404, { error: { code: 'MOMO_MOCK_NOT_FOUND', message } }]);
  expect(text).not.toContain('sekret');
});

it('says where the service is for a path of the service', async () => {
  const mock = await startServer();
  const { status, json } = await control(mock, 'GET /momo/balance?apikey=sekret');
  const message = `Not found: the control API has no route with this path. The service at ${mock.url} has such a path.`;
  expect([status, json]).toEqual([404, { error: { code: 'MOMO_MOCK_NOT_FOUND', message } }]);
});

it('logs nothing of what is refused', async () => {
  const mock = await startServer();
  const before = mock.records.length;
  await control(mock, 'GET /sekret');
  await control(mock, 'PUT /balance', { headers: AS_JSON, body: '{' });
  expect(mock.records.slice(before)).toEqual([]);
});

it('the control API says only that there is a bug, and logs its kind', async () => {
  const mock = await startServer();
  Object.defineProperty(mock.mock, 'operations', {
    get: () => {
      throw new Error('sekret');
    },
  });
  const { status, text, json } = await control(mock, 'GET /operations');
  expect([status, json]).toMatchObject([500, { error: { code: 'MOMO_MOCK_INTERNAL' } }]);
  expect(mock.records.at(-1)).toMatchObject({ error: 'Error', level: 50 });
  expect(text + JSON.stringify(mock.records)).not.toContain('sekret');
});

it('HEAD /events closes its connection and leaves no reader', async () => {
  const mock = await startServer();
  expect((await control(mock, 'HEAD /events')).status).toBe(200);
  await mock.close();
});

it('the control API can be off', async () => {
  expect((await startServer({}, { CONTROL_PORT: 'off' })).controlUrl).toBeNull();
});
