import { expect, it } from 'vitest';
import { control } from '../support/client.ts';
import { runMock } from '../support/running-mock.ts';

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
  const response = await control(await runMock(), line);
  const error = { code: 'MOMO_MOCK_METHOD', message: expect.stringContaining(allow) };
  expect(response).toMatchObject({ status: 405, headers: { allow }, json: { error } });
  expect(response.text).not.toContain('sekret');
});

it.each([
  'GET /sekret',
  'GET /page/sekret.js',
  'GET /balance/',
  'GET /balance/sekret',
  'GET /Balance',
  'GET /momo/balance?apikey=sekret',
  'GET /%zz-sekret',
  'DELETE /sekret',
  'PUT /__proto__',
  'GET /constructor',
])('%s gets a 404 with the existing paths', async (line) => {
  const { status, text, json } = await control(await runMock(), line);
  // test/control/openapi.test.ts compares the whole list with the description.
  const message = expect.stringMatching(
    /Use one of: GET \/, .*GET \/balance, .*\/openapi\.json\.$/,
  );
  const error = { code: 'MOMO_MOCK_NOT_FOUND', message };
  expect([status, json]).toEqual([404, { error }]);
  expect(text).not.toContain('sekret');
});

it('the control API does not log a refused request', async () => {
  const mock = await runMock();
  const before = mock.records.length;
  await control(mock, 'GET /sekret');
  await control(mock, 'PUT /balance', {
    headers: { 'content-type': 'application/json' },
    body: '{',
  });
  expect(mock.records.slice(before)).toEqual([]);
});

it('the control API says only that there is a bug, and logs its kind', async () => {
  const mock = await runMock();
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
  const mock = await runMock();
  expect((await control(mock, 'HEAD /events')).status).toBe(200);
  await mock.close();
});

it('the control API can be off', async () => {
  expect((await runMock({ CONTROL_PORT: 'off' })).controlUrl).toBeNull();
});
