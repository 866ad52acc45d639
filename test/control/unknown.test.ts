import { describe, expect, it } from 'vitest';
import { controlApp, refused } from './control-app.ts';

describe('what is not there', () => {
  it.each([
    ['PATCH /balance', 'GET, HEAD, PUT, DELETE'],
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
    ['GET /callbacks/1/send', 'POST'],
    ['DELETE /requests/1', 'GET, HEAD'],
    ['PUT /responses/0', 'DELETE'],
    ['DELETE /operations/GET%20%2Fmomo%2Fbalance', 'GET, HEAD'],
  ])('%s is 405, with what is allowed', async (request, allow) => {
    const { send } = await controlApp();
    const reply = await send(request);
    expect(reply).toMatchObject(refused(405, 'MOMO_MOCK_METHOD', expect.stringContaining(allow)));
    expect(reply.headers.allow).toBe(allow);
    expect(reply.body).not.toContain('sekret');
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
  ])('%s is 404, with what there is', async (request) => {
    const { send } = await controlApp();
    const reply = await send(request);
    const all = expect.stringContaining(
      'GET /, GET /health, GET /certificate, GET /balance, PUT /balance',
    );
    expect(reply).toMatchObject(refused(404, 'MOMO_MOCK_NOT_FOUND', all));
    expect(reply.body).not.toContain('sekret');
  });
});

describe('a bug', () => {
  it("is an error without the bug's own message, and is logged without it", async () => {
    const { send, records } = await controlApp({
      overview: () => {
        throw new Error('sekret');
      },
    });
    const reply = await send('GET /');
    expect(reply).toMatchObject(refused(500, 'MOMO_MOCK_INTERNAL'));
    expect(reply.body).not.toContain('sekret');
    expect(records).toEqual([expect.objectContaining({ error: 'Error', level: 50 })]);
    expect(JSON.stringify(records)).not.toContain('sekret');
  });
});

describe('nothing else', () => {
  it('is logged', async () => {
    const { send, records } = await controlApp();
    await send('GET /sekret');
    await send('PUT /balance', { body: '{' });
    await send('GET /health');
    expect(records).toEqual([]);
  });
});
