import { describe, expect, it } from 'vitest';
import { controlApp, refused } from './control-app.ts';

const ALICE = { apikey: 'alice-key' };
const UNKNOWN = refused(404, 'MOMO_MOCK_STATE_UNKNOWN');

describe('the state of handlers', () => {
  it('has values that are set, shown and deleted one by one', async () => {
    const { send } = await controlApp();
    expect(await send('GET /state/a')).toMatchObject(UNKNOWN);
    expect(await send('PUT /state/a', { body: { b: [1] } })).toMatchObject({ status: 204 });
    expect(await send('GET /state/a')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      json: { b: [1] },
    });
    expect(await send('DELETE /state/a')).toMatchObject({ status: 204, body: '' });
    expect(await send('DELETE /state/a')).toMatchObject({ status: 204 });
    expect(await send('GET /state/a')).toMatchObject(UNKNOWN);
  });

  it.each(['null', 'false', '0', '""', '"text"', '[]', '{}', '{"__proto__":1}'])(
    'has %s as it was set',
    async (json) => {
      const { send } = await controlApp();
      await send('PUT /state/a', { body: json });
      expect((await send('GET /state/a')).body).toBe(json);
      expect((await send('GET /state')).body).toBe(`{"a":${json}}`);
    },
  );

  it.each([
    ['deposits/7f3a', 'deposits/7f3a'],
    ['deposits%2F7f3a', 'deposits/7f3a'],
    ['a//b/', 'a//b/'],
    ['%C3%A9%20%3F%25', 'é ?%'],
    ['%25C3%25A9', '%C3%A9'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    [encodeURIComponent('é'.repeat(512)), 'é'.repeat(512)],
  ])('has names from the rest of the path: %s', async (path, name) => {
    const { send, mock } = await controlApp();
    expect((await send(`PUT /state/${path}`, { body: 1 })).status).toBe(204);
    expect(await mock.service.state.list()).toEqual([[name, 1]]);
    expect((await send(`GET /state/${path}`)).body).toBe('1');
    expect((await send('GET /state')).body).toBe(`{${JSON.stringify(name)}:1}`);
    await send(`DELETE /state/${path}`);
    expect(await mock.service.state.list()).toEqual([]);
  });

  it('is listed by the beginning of the names, in their order', async () => {
    const { send } = await controlApp();
    expect((await send('GET /state')).body).toBe('{}');
    for (const name of ['b/2', 'a', 'b/10'])
      await send(`PUT /state/${name}`, { body: JSON.stringify(name) });
    expect((await send('GET /state?prefix=b/')).body).toBe('{"b/10":"b/10","b/2":"b/2"}');
    expect((await send('GET /state?prefix=')).body).toBe('{"a":"a","b/10":"b/10","b/2":"b/2"}');
    expect((await send('GET /state?prefix=c')).body).toBe('{}');
    for (const query of ['prefx=a', 'prefix=a&prefix=b']) {
      expect(await send(`GET /state?${query}`)).toMatchObject(
        refused(400, 'MOMO_MOCK_REQUEST_INVALID'),
      );
    }
  });

  it('of an account shows that of the service below, and hides what is deleted in it', async () => {
    const { send } = await controlApp();
    await send('PUT /state/a', { body: '"service"' });
    await send('PUT /state/b', { body: '"service"' });
    await send('PUT /state/b', { headers: ALICE, body: '"alice"' });
    const all = async () => [
      (await send('GET /state', { headers: ALICE })).json,
      (await send('GET /state', { headers: { account: 'account-2' } })).json,
    ];
    const service = { a: 'service', b: 'service' };
    expect(await all()).toEqual([{ a: 'service', b: 'alice' }, service]);
    await send('DELETE /state/a', { headers: ALICE });
    expect(await all()).toEqual([{ b: 'alice' }, service]);
    expect(await send('GET /state/a', { headers: ALICE })).toMatchObject(UNKNOWN);
  });

  it('begins with what an account was made with, and returns to it by a reset', async () => {
    const { send } = await controlApp();
    const state = { 'phones/1': 'fails', other: 1 };
    await send('POST /accounts', { body: { apikey: 'carol-key', state } });
    const headers = { apikey: 'carol-key' };
    await send('PUT /state/other', { headers, body: 2 });
    await send('DELETE /state/phones/1', { headers });
    expect((await send('GET /state', { headers })).json).toEqual({ other: 2 });
    await send('POST /reset', { headers });
    expect((await send('GET /state', { headers })).json).toEqual(state);
    await send('PUT /state/a', { body: 1 });
    await send('PUT /state/b', { headers: ALICE, body: 1 });
    await send('POST /reset');
    expect((await send('GET /state', { headers: ALICE })).json).toEqual({});
  });

  it('begins with what the fixture tree has', async () => {
    const { send, mock } = await controlApp();
    mock.tree = { ...mock.tree, state: { phones: ['1'] } };
    expect((await send('GET /state', { headers: ALICE })).json).toEqual({ phones: ['1'] });
  });

  it('shows configured keys as [redacted], in names and values', async () => {
    const { send, mock } = await controlApp();
    await send('PUT /state/of%20alice-key', { body: { 'alice-key': 'an alice-key', n: 1 } });
    expect((await send('GET /state')).json).toEqual({
      'of [redacted]': { '[redacted]': 'an [redacted]', n: 1 },
    });
    expect((await send('GET /state/of%20alice-key')).body).not.toContain('alice');
    expect(await mock.service.state.get('of alice-key')).toMatchObject({ n: 1 });
    // A key that spans a name and its value.
    await send('POST /accounts', { body: { apikey: 'x","y' } });
    await send('PUT /state/x', { body: '"y"' });
    expect((await send('GET /state?prefix=x')).body).toBe('{"[redacted]":"[redacted]"}');
  });

  it.each([
    ['no body', 'PUT /state/a', undefined, 400, 'MOMO_MOCK_REQUEST_INVALID'],
    ['broken JSON', 'PUT /state/a', '{', 400, 'MOMO_MOCK_REQUEST_INVALID'],
    ['no name', 'PUT /state/', 1, 422, 'MOMO_MOCK_STATE_INVALID'],
    ['a long name', `PUT /state/${'sekret/'.repeat(80)}`, 1, 422, 'MOMO_MOCK_STATE_INVALID'],
    ['no name', 'DELETE /state/', undefined, 422, 'MOMO_MOCK_STATE_INVALID'],
    ['no name', 'GET /state/', undefined, 404, 'MOMO_MOCK_STATE_UNKNOWN'],
    [
      'a long name',
      `GET /state/${'sekret/'.repeat(80)}`,
      undefined,
      404,
      'MOMO_MOCK_STATE_UNKNOWN',
    ],
    ['no name', 'POST /accounts', { state: { '': 1 } }, 422, 'MOMO_MOCK_STATE_INVALID'],
    ['another method', 'POST /state/a', 1, 404, 'MOMO_MOCK_NOT_FOUND'],
  ])('refuses %s: %s', async (_what, request, body, status, code) => {
    const { send, mock } = await controlApp();
    const reply = await send(request, { body });
    expect(reply).toMatchObject(refused(status, code));
    expect(reply.body).not.toContain('sekret');
    expect(await mock.service.state.list()).toEqual([]);
    expect([...mock.accounts.keys]).toHaveLength(3);
  });
});
