import { describe, expect, it } from 'vitest';
import { controlApp, refused } from './control-app.ts';

const OPERATION = 'GET /momo/balance';

describe('scripted responses', () => {
  it('are shown as they were scripted, with the operation and what is left', async () => {
    const { send, ask } = await controlApp();
    const scripted = { status: 503, headers: { 'retry-after': '1' }, delay: 20, times: 2 };
    const once = { fault: { type: 'dribble', duration: 500 } };
    const put = await send('PUT /responses', { body: [scripted, once] });
    const responses = [
      { ...scripted, operation: OPERATION },
      { ...once, operation: OPERATION, times: 1 },
    ];
    expect(put).toMatchObject({ status: 200, json: { responses } });
    expect(ask('alice-key').status).toBe(503);
    const [first, second] = responses;
    expect((await send('GET /responses')).json).toEqual({
      responses: [{ ...first, times: 1 }, second],
    });
  });

  it('are replaced by PUT and appended by POST, one or a list', async () => {
    const { send, ask } = await controlApp();
    await send('PUT /responses', { body: { status: 500 } });
    await send('PUT /responses', { body: [{ status: 501 }, { status: 502 }] });
    const posted = await send('POST /responses', { body: { status: 503, times: 'always' } });
    expect(posted.json).toMatchObject({
      responses: [{ status: 501 }, { status: 502 }, { status: 503, times: 'always' }],
    });
    const statuses = Array.from({ length: 5 }, () => ask('alice-key').status);
    expect(statuses).toEqual([501, 502, 503, 503, 503]);
  });

  it('are removed one by one, by their position', async () => {
    const { send } = await controlApp();
    await send('PUT /responses', { body: [{ status: 500 }, { status: 501 }, { status: 502 }] });
    expect(await send('DELETE /responses/1')).toMatchObject({ status: 204, body: '' });
    const left = { responses: [{ status: 500 }, { status: 502 }] };
    expect((await send('GET /responses')).json).toMatchObject(left);
    for (const position of ['2', '-1', '0x1', 'sekret', '1e0']) {
      const reply = await send(`DELETE /responses/${position}`);
      expect(reply).toMatchObject(refused(404, 'MOMO_MOCK_RESPONSE_UNKNOWN'));
      expect(reply.body).not.toContain('sekret');
    }
    expect((await send('GET /responses')).json).toMatchObject(left);
  });

  it('are forgotten by DELETE and by an empty list', async () => {
    const { send, ask } = await controlApp();
    await send('PUT /responses', { body: { status: 500, times: 'always' } });
    expect(await send('DELETE /responses')).toMatchObject({ status: 204, body: '' });
    expect(ask('alice-key').status).toBe(200);
    await send('PUT /responses', { body: { status: 500, times: 'always' } });
    expect(await send('PUT /responses', { body: [] })).toMatchObject({ json: { responses: [] } });
    expect(ask('alice-key').status).toBe(200);
  });

  it('of an account are its own', async () => {
    const { send, ask } = await controlApp();
    const headers = { apikey: 'alice-key' };
    await send('PUT /responses', { headers, body: { status: 500, times: 'always' } });
    expect([ask('alice-key').status, ask('bob-key').status]).toEqual([500, 200]);
    expect((await send('GET /responses')).json).toEqual({ responses: [] });
    expect((await send('GET /responses', { headers })).json).toMatchObject({
      responses: [{ status: 500 }],
    });
  });

  it.each([
    ['a fault', { fault: 'sekret' }, 400, 'MOMO_MOCK_REQUEST_INVALID', 'responses[1].fault: must'],
    ['an operation', { operation: 'GET /sekret' }, 422, 'MOMO_MOCK_OPERATION_UNKNOWN', OPERATION],
    ['a body', { body: { sekret: 1 } }, 422, 'MOMO_MOCK_BODY_REJECTED', 'balance.get.schema.json'],
  ])('with %s that is wrong: none is taken', async (_what, wrong, status, code, named) => {
    const { send } = await controlApp();
    await send('PUT /responses', { body: { status: 500 } });
    for (const method of ['PUT', 'POST']) {
      const reply = await send(`${method} /responses`, { body: [{ status: 501 }, wrong] });
      expect(reply).toMatchObject(refused(status, code, expect.stringContaining(named)));
      expect(reply.body).not.toContain('sekret');
    }
    expect((await send('GET /responses')).json).toMatchObject({ responses: [{ status: 500 }] });
  });

  it('before the key check are for the whole service alone', async () => {
    const { send, ask } = await controlApp();
    const body = { status: 502, beforeKeyCheck: true };
    const headers = { apikey: 'alice-key' };
    expect(await send('PUT /responses', { headers, body })).toMatchObject(
      refused(400, 'MOMO_MOCK_REQUEST_INVALID', expect.stringContaining('beforeKeyCheck')),
    );
    expect((await send('PUT /responses', { body })).status).toBe(200);
    expect(ask('no-such-key').status).toBe(502);
  });
});
