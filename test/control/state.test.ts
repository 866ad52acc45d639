import { describe, expect, it } from 'vitest';
import { controlApp, refused } from './control-app.ts';

const ALICE = { apikey: 'alice-key' };
const BAD = 'MOMO_MOCK_REQUEST_INVALID';
const LONG = 'sekret--'.repeat(131_072);
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
    ['no body', 'PATCH /state', undefined, 400, 'MOMO_MOCK_REQUEST_INVALID'],
    ['a list', 'PATCH /state', [], 400, 'MOMO_MOCK_REQUEST_INVALID'],
    ['an unknown field', 'PATCH /state', { put: { a: 1 } }, 400, 'MOMO_MOCK_REQUEST_INVALID'],
    ['a name in both', 'PATCH /state', { set: { a: 1 }, delete: ['a'] }, 400, BAD],
    ['a name that is no text', 'PATCH /state', { delete: [1] }, 400, BAD],
    ['no name', 'PATCH /state', { set: { a: 1, '': 1 } }, 422, 'MOMO_MOCK_STATE_INVALID'],
    ['no name', 'PATCH /state', { set: { a: 1 }, delete: [''] }, 422, 'MOMO_MOCK_STATE_INVALID'],
    ['a long value', 'PATCH /state', { set: { a: 1, b: LONG } }, 422, 'MOMO_MOCK_STATE_INVALID'],
    ['a long body', 'PATCH /state', JSON.stringify(LONG.repeat(16)), 413, 'MOMO_MOCK_TOO_LARGE'],
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
    ['another method', 'POST /state/a', 1, 405, 'MOMO_MOCK_METHOD'],
  ])('refuses %s: %s', async (_what, request, body, status, code) => {
    const { send, mock } = await controlApp();
    const reply = await send(request, { body });
    expect(reply).toMatchObject(refused(status, code));
    expect(reply.body).not.toContain('sekret');
    expect(await mock.service.state.list()).toEqual([]);
    expect([...mock.accounts.keys]).toHaveLength(3);
  });
});

const CHANGED = refused(412, 'MOMO_MOCK_STATE_CHANGED');

describe('the ETag of the state', () => {
  it('is one for all that is shown, and changes with each value', async () => {
    const { send, mock } = await controlApp();
    const etagOf = async (path = '/state', headers: Record<string, string> = ALICE) =>
      (await send(`GET ${path}`, { headers })).headers.etag as string;
    const seen = new Set([await etagOf()]);
    const load = async (state: Record<string, unknown>) => {
      mock.tree = { ...mock.tree, state };
    };
    for (const change of [
      () => send('PUT /state/a', { headers: ALICE, body: 1 }),
      () => send('PUT /state/a', { headers: ALICE, body: 2 }),
      () => send('PUT /state/b', { body: 1 }),
      () => send('DELETE /state/b', { headers: ALICE }),
      () => send('PATCH /state', { headers: ALICE, body: { set: { b: 2 }, delete: ['a'] } }),
      () => load({ c: 1 }),
      () => load({ c: 2 }),
      () => send('POST /reset', { headers: ALICE }),
      () => mock.accounts.get('alice-key')?.state.update('n', () => 1),
    ]) {
      await change();
      const etag = await etagOf();
      expect(etag).toMatch(/^"[\w-]+"$/);
      expect(seen).not.toContain(etag);
      for (const path of ['/state?prefix=b', '/state/n', '/state/unknown']) {
        expect(await etagOf(path)).toBe(etag);
      }
      seen.add(etag);
    }
  });

  it('stays while no value changes', async () => {
    const { send, mock } = await controlApp();
    mock.tree = { ...mock.tree, state: { c: 1 } };
    const body = { a: [1], b: 'x' };
    await send('PUT /state/a', { headers: ALICE, body });
    const etagOf = async () => (await send('GET /state', { headers: ALICE })).headers.etag;
    const etag = await etagOf();
    await send('PUT /state/a', { headers: ALICE, body });
    await send('DELETE /state/none', { headers: ALICE });
    await send('PATCH /state', { headers: ALICE, body: { set: { a: body }, delete: ['none'] } });
    await send('PATCH /state', { headers: ALICE, body: {} });
    await send('PUT /state/a', { headers: { apikey: 'bob-key' }, body: 'of another account' });
    mock.tree = { ...mock.tree, state: { c: 1 } };
    expect(await etagOf()).toBe(etag);
  });

  it('is not that of an account that had the same key', async () => {
    const { send } = await controlApp();
    const headers = { apikey: 'carol-key' };
    const make = async (n: number) => {
      await send('POST /accounts', { body: { apikey: 'carol-key', state: { n } } });
      return (await send('GET /state', { headers })).headers.etag as string;
    };
    const before = await make(1);
    await send('DELETE /accounts', { headers });
    await make(2);
    const stale = { headers: { ...headers, 'if-match': before }, body: { set: { n: 3 } } };
    expect(await send('PATCH /state', stale)).toMatchObject(CHANGED);
  });

  it.each<[string, body?: unknown]>([
    ['PATCH /state', { set: { a: 2, b: 2 }, delete: ['c'] }],
    ['PUT /state/a', 2],
    ['DELETE /state/a'],
  ])('in If-Match lets %s write only what has not changed', async (route, body) => {
    const { send, mock } = await controlApp();
    await send('PATCH /state', { body: { set: { a: 1, c: 1 } } });
    const etag = (await send('GET /state')).headers.etag as string;
    await send('PUT /state/other', { body: 1 });
    const before = await mock.service.state.list();
    for (const match of [etag, '"x"', 'x', '', `W/${etag}`, etag.slice(1, -1)]) {
      const reply = await send(route, { headers: { 'if-match': match }, body });
      expect(reply).toMatchObject(CHANGED);
      expect(await mock.service.state.list()).toEqual(before);
    }
    const now = (await send('GET /state')).headers.etag as string;
    const reply = await send(route, { headers: { 'if-match': `"x", ${now}` }, body });
    expect(reply.status).toBe(204);
    expect(await mock.service.state.list()).not.toEqual(before);
    for (const headers of [{ 'if-match': '*' }, {}]) {
      expect((await send(route, { headers, body })).status).toBe(204);
    }
  });
});

describe('PATCH /state', () => {
  it('sets and deletes several values, and answers with the new ETag', async () => {
    const { send } = await controlApp();
    await send('PUT /state/a', { body: 1 });
    await send('PUT /state/a', { headers: ALICE, body: 2 });
    const body = '{"set":{"b":{"c":[null]},"__proto__":1},"delete":["a","none"]}';
    const reply = await send('PATCH /state', { headers: ALICE, body });
    expect(reply).toMatchObject({ status: 204, body: '' });
    const shown = await send('GET /state', { headers: ALICE });
    expect(shown.body).toBe('{"__proto__":1,"b":{"c":[null]}}');
    expect(reply.headers.etag).toBe(shown.headers.etag);
    expect((await send('GET /state')).body).toBe('{"a":1}');
  });

  it('takes the longest value, and several of them', async () => {
    const { send, mock } = await controlApp();
    const value = 'x'.repeat(1_048_574);
    const body = { set: { a: value, b: value, c: value } };
    expect((await send('PATCH /state', { body })).status).toBe(204);
    expect(await mock.service.state.list()).toHaveLength(3);
    const longer = await send('PATCH /state', { body: JSON.stringify('x'.repeat(16_777_215)) });
    expect(longer.body).toContain('it is longer than 16 MiB');
  });
});

/** A value in this many lists. */
function nested(value: unknown, levels: number): unknown {
  return levels === 0 ? value : [nested(value, levels - 1)];
}

describe('a value that was shown with [redacted]', () => {
  const REDACTED = refused(409, 'MOMO_MOCK_STATE_REDACTED');
  const secret = { token: 'of alice-key', n: 1 };

  async function withSecret() {
    const { send, mock } = await controlApp();
    await mock.service.state.set('a', secret);
    const shown = (await send('GET /state/a')).json as typeof secret;
    expect(shown).toEqual({ token: 'of [redacted]', n: 1 });
    return { send, mock, shown };
  }

  it.each<[string, string, (shown: unknown) => unknown]>([
    ['PUT', 'PUT /state/a', (shown) => shown],
    ['PUT of a part', 'PUT /state/a', (shown) => [{ deep: Object(shown).token }]],
    ['PUT in the name of a field', 'PUT /state/a', () => ({ '[redacted]': 1 })],
    ['PATCH', 'PATCH /state', (shown) => ({ set: { b: 1, a: { ...Object(shown), n: 2 } } })],
    ['PATCH to another name', 'PATCH /state', (shown) => ({ set: { b: shown }, delete: ['a'] })],
    ['PUT below 100 lists', 'PUT /state/a', (shown) => nested(Object(shown).token, 100)],
    ['PATCH below 97 lists', 'PATCH /state', (shown) => ({ set: { b: nested(shown, 97) } })],
    ['PUT by an account that sees it', 'PUT /state/a', (shown) => shown],
  ])('is not written back by %s: nothing changes', async (what, route, body) => {
    const { send, mock, shown } = await withSecret();
    const headers = what.includes('account') ? ALICE : {};
    const reply = await send(route, { headers, body: body(shown) });
    expect(reply).toMatchObject(REDACTED);
    expect(reply.body).toMatch(
      /Write the whole value, or .*in the process of the mock or by a handler/,
    );
    expect(await mock.service.state.list()).toEqual([['a', secret]]);
  });

  it('can be replaced whole, deleted, and left as it is', async () => {
    const { send, mock } = await withSecret();
    expect((await send('PATCH /state', { body: { set: { b: 1 } } })).status).toBe(204);
    expect(await mock.service.state.get('a')).toEqual(secret);
    const whole = { token: 'another alice-key', n: 2 };
    expect((await send('PUT /state/a', { body: whole })).status).toBe(204);
    expect(await mock.service.state.get('a')).toEqual(whole);
    expect((await send('DELETE /state/a')).status).toBe(204);
  });

  it('is told from a value that has this text of its own', async () => {
    const { send } = await controlApp();
    for (const body of ['"[redacted]"', '{"note":"[redacted]"}']) {
      expect((await send('PUT /state/a', { body })).status).toBe(204);
      expect((await send('GET /state/a')).body).toBe(body);
      expect((await send('PATCH /state', { body: `{"set":{"a":${body}}}` })).status).toBe(204);
    }
  });

  it('names no key by which it was found in the error', async () => {
    const { send } = await withSecret();
    const reply = await send('PUT /state/a', { body: 'kanarienvogel [redacted] alice-key' });
    expect(reply.body).not.toMatch(/kanarienvogel|alice/);
  });
});
