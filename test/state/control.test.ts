import { describe, expect, it } from 'vitest';
import { AS_JSON, control } from '../support/client.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { sharedMock, startMock } from '../support/mock.ts';

const ALICE = { apikey: 'alice-key' };
const mock = sharedMock({}, { control: true, apiKeys: ['alice-key', 'bob-key'] });
const BAD = 'MOMO_MOCK_REQUEST_INVALID';
const INVALID = 'MOMO_MOCK_STATE_INVALID';
const UNKNOWN = 'MOMO_MOCK_STATE_UNKNOWN';

type Headers = Readonly<Record<string, string | undefined>>;

/** Sends text as JSON, and other bodies made into it. */
const send = (line: string, body?: unknown, headers: Headers = {}) =>
  control(mock(), line, { headers: { ...(body !== undefined && AS_JSON), ...headers }, body });
const refused = (status: number, code: string) => ({ status, json: { error: { code } } });
const list = () => mock().state.list();
const etagOf = async (path = '/state', headers: Headers = ALICE) =>
  String((await send(`GET ${path}`, undefined, headers)).headers.etag);

describe('a value', () => {
  it('is set, shown and deleted by its name', async () => {
    expect(await send('GET /state/a')).toMatchObject(refused(404, UNKNOWN));
    expect(await send('PUT /state/a', { b: [1] })).toMatchObject({ status: 204 });
    expect(await send('GET /state/a')).toMatchObject({
      headers: { 'content-type': 'application/json; charset=utf-8' },
      text: '{"b":[1]}',
    });
    for (let times = 0; times < 2; times++) {
      expect(await send('DELETE /state/a')).toMatchObject({ status: 204, text: '' });
    }
    expect(await send('GET /state/a')).toMatchObject(refused(404, UNKNOWN));
  });

  it('that only one account has is not in the state of all accounts, and the error says so', async () => {
    await send('PUT /state/a', 1, ALICE);
    const { status, text } = await send('GET /state/a');
    expect([status, text]).toEqual([404, expect.stringContaining('but an account has')]);
    expect(text).not.toContain('alice');
    expect((await send('GET /state/b')).text).not.toContain('account');
    await send('PUT /state/a', 2);
    await send('DELETE /state/a', undefined, ALICE);
    await send('DELETE /state/a');
    expect((await send('GET /state/a')).text).not.toContain('account');
  });

  it.each([
    ['deposits/7f3a', 'deposits/7f3a'],
    ['deposits%2F7f3a', 'deposits/7f3a'],
    ['a//b/', 'a//b/'],
    ['%C3%A9%20%3F%25', 'é ?%'],
    ['%25C3%25A9', '%C3%A9'],
    ['__proto__', '__proto__'],
    [encodeURIComponent('é'.repeat(512)), 'é'.repeat(512)],
  ])('is named by the rest of the path: %s', async (path, name) => {
    expect((await send(`PUT /state/${path}`, '1')).status).toBe(204);
    expect(await list()).toEqual(Object.fromEntries([[name, 1]]));
    expect((await send(`GET /state/${path}`)).text).toBe('1');
    await send(`DELETE /state/${path}`);
    expect(await list()).toEqual({});
  });

  it('is listed by the beginning of its name', async () => {
    for (const name of ['b/2', 'a', 'b/10']) await send(`PUT /state/${name}`, `"${name}"`);
    expect((await send('GET /state?prefix=b/')).text).toBe('{"b/10":"b/10","b/2":"b/2"}');
    expect((await send('GET /state?prefix=')).text).toBe('{"a":"a","b/10":"b/10","b/2":"b/2"}');
    for (const query of ['prefx=a', 'prefix=a&prefix=b']) {
      expect(await send(`GET /state?${query}`)).toMatchObject(refused(400, BAD));
    }
  });
});

const LONG = 'sekret--'.repeat(131_072);

it.each([
  ['no body', 'PATCH /state', undefined, 400, BAD],
  ['a list', 'PATCH /state', [], 400, BAD],
  ['an unknown field', 'PATCH /state', { put: { a: 1 } }, 400, BAD],
  ['a name in both', 'PATCH /state', { set: { a: 1 }, delete: ['a'] }, 400, BAD],
  ['a name that is no text', 'PATCH /state', { delete: [1] }, 400, BAD],
  ['no name', 'PATCH /state', { set: { a: 1, '': 1 } }, 422, INVALID],
  ['no name', 'PATCH /state', { set: { a: 1 }, delete: [''] }, 422, INVALID],
  ['a long value', 'PATCH /state', { set: { a: 1, b: LONG } }, 422, INVALID],
  ['a long body', 'PATCH /state', JSON.stringify(LONG.repeat(16)), 413, 'MOMO_MOCK_TOO_LARGE'],
  ['no body', 'PUT /state/a', undefined, 400, BAD],
  ['broken JSON', 'PUT /state/a', '{', 400, BAD],
  ['no name', 'PUT /state/', '1', 422, INVALID],
  ['a long name', `PUT /state/${'sekret/'.repeat(80)}`, '1', 422, INVALID],
  ['no name', 'DELETE /state/', undefined, 422, INVALID],
  ['no name', 'GET /state/', undefined, 404, UNKNOWN],
  ['a long name', `GET /state/${'sekret/'.repeat(80)}`, undefined, 404, UNKNOWN],
  ['no name', 'POST /accounts', { state: { '': 1 } }, 422, INVALID],
])('%s is refused by %s', async (_what, line, body, status, code) => {
  const reply = await send(line, body);
  expect(reply).toMatchObject(refused(status, code));
  if (status === 413) expect(reply.text).toContain('it is longer than 16 MiB');
  expect(reply.text).not.toContain('sekret');
  expect(await list()).toEqual({});
  expect((await send('GET /accounts')).json).toMatchObject({ accounts: [{}, {}] });
});

describe('the ETag', () => {
  it('covers everything that an account sees, and changes with each value', async () => {
    const own = await startMock({}, { control: true, apiKeys: ['alice-key'], watch: true });
    const to = (line: string, body?: unknown, headers = {}) =>
      control(own, line, {
        headers: { ...AS_JSON, ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    const read = async (path = '/state') =>
      String((await to(`GET ${path}`, undefined, ALICE)).headers.etag);
    const seen = new Set([await read()]);
    const load = async (c: number) => {
      writeFiles(own.folder, { 'state.json': { c } });
      await expect.poll(() => own.state.get('c')).toBe(c);
    };
    for (const change of [
      () => to('PUT /state/a', 1, ALICE),
      () => to('PUT /state/a', 2, ALICE),
      () => to('PUT /state/b', 1),
      () => to('DELETE /state/b', undefined, ALICE),
      () => to('PATCH /state', { set: { b: 2 }, delete: ['a'] }, ALICE),
      () => load(1),
      () => load(2),
      () => to('POST /reset', undefined, ALICE),
      () => own.state.update('n', () => 1),
    ]) {
      await change();
      const etag = await read();
      expect(etag).toMatch(/^"[\w-]+"$/);
      expect(seen).not.toContain(etag);
      for (const path of ['/state?prefix=b', '/state/n', '/state/unknown']) {
        expect(await read(path)).toBe(etag);
      }
      seen.add(etag);
    }
  });

  it('stays the same while no value changes', async () => {
    const body = { a: [1], b: 'x' };
    await send('PUT /state/a', body, ALICE);
    const etag = await etagOf();
    await send('PUT /state/a', body, ALICE);
    await send('DELETE /state/none', undefined, ALICE);
    await send('PATCH /state', { set: { a: body }, delete: ['none'] }, ALICE);
    await send('PATCH /state', {}, ALICE);
    await send('PUT /state/a', '"of another account"', { apikey: 'bob-key' });
    expect(await etagOf()).toBe(etag);
  });

  it('differs from the ETag of an earlier account with the same key', async () => {
    const headers = { apikey: 'carol-key' };
    const make = async (n: number) => {
      await send('POST /accounts', { apiKey: 'carol-key', state: { n } });
      return await etagOf('/state', headers);
    };
    const before = await make(1);
    await send('DELETE /accounts', undefined, headers);
    await make(2);
    const stale = { ...headers, 'if-match': before };
    const response = await send('PATCH /state', { set: { n: 3 } }, stale);
    expect(response).toMatchObject(refused(412, 'MOMO_MOCK_STATE_CHANGED'));
  });

  it.each<[string, body?: unknown]>([
    ['PATCH /state', { set: { a: 2, b: 2 }, delete: ['c'] }],
    ['PUT /state/a', '2'],
    ['DELETE /state/a'],
  ])('in If-Match lets %s write only if nothing has changed', async (line, body) => {
    await send('PATCH /state', { set: { a: 1, c: 1 } });
    const etag = await etagOf('/state', {});
    await send('PUT /state/other', '1');
    const before = await list();
    for (const match of [etag, '"x"', 'x', '', `W/${etag}`, etag.slice(1, -1)]) {
      const response = await send(line, body, { 'if-match': match });
      expect(response).toMatchObject(refused(412, 'MOMO_MOCK_STATE_CHANGED'));
      expect(await list()).toEqual(before);
    }
    const now = await etagOf('/state', {});
    expect((await send(line, body, { 'if-match': `"x", ${now}` })).status).toBe(204);
    expect(await list()).not.toEqual(before);
    for (const headers of [{ 'if-match': '*' }, {}]) {
      expect((await send(line, body, headers)).status).toBe(204);
    }
  });
});

describe('PATCH /state', () => {
  it('sets and deletes several values, and responds with the new ETag', async () => {
    await send('PUT /state/a', '1');
    await send('PUT /state/a', '2', ALICE);
    const body = '{"set":{"b":{"c":[null]},"__proto__":1},"delete":["a","none"]}';
    const response = await send('PATCH /state', body, ALICE);
    expect(response).toMatchObject({ status: 204, text: '' });
    const shown = await send('GET /state', undefined, ALICE);
    expect(shown.text).toBe('{"__proto__":1,"b":{"c":[null]}}');
    expect(response.headers.etag).toBe(shown.headers.etag);
    expect((await send('GET /state')).text).toBe('{"a":1}');
  });
});

/** A value in this many lists. */
const nested = (value: unknown, levels: number): unknown =>
  levels === 0 ? value : [nested(value, levels - 1)];

describe('a value that was shown with [redacted]', () => {
  const secret = { token: 'of alice-key', n: 1 };
  const withSecret = async () => {
    await mock().state.set('a', secret);
    const shown = (await send('GET /state/a')).json as typeof secret;
    expect(shown).toEqual({ token: 'of [redacted]', n: 1 });
    return shown;
  };

  it.each<[string, string, (shown: typeof secret) => unknown]>([
    ['PUT', 'PUT /state/a', (shown) => shown],
    ['PUT of a part', 'PUT /state/a', ({ token }) => [{ deep: token }]],
    ['PUT in the name of a field', 'PUT /state/a', () => ({ '[redacted]': 1 })],
    ['PATCH', 'PATCH /state', (shown) => ({ set: { b: 1, a: { ...shown, n: 2 } } })],
    ['PATCH to another name', 'PATCH /state', (shown) => ({ set: { b: shown }, delete: ['a'] })],
    ['PUT below 100 lists', 'PUT /state/a', ({ token }) => nested(token, 100)],
    ['PATCH below 97 lists', 'PATCH /state', (shown) => ({ set: { b: nested(shown, 97) } })],
    ['PUT by an account that sees it', 'PUT /state/a', (shown) => shown],
  ])('is not written back by %s', async (what, line, bodyOf) => {
    const shown = await withSecret();
    const headers = what.includes('account') ? ALICE : {};
    const response = await send(line, JSON.stringify(bodyOf(shown)), headers);
    expect(response).toMatchObject(refused(409, 'MOMO_MOCK_STATE_REDACTED'));
    expect(response.text).toMatch(/Write the whole value, or .*in the mock's process/);
    // What is in the state, which a deletion would have changed.
    expect(Object.keys(await list())).toEqual(['a']);
    expect(await mock().state.update('a', ({ n }) => n)).toBe(1);
  });

  it('can be replaced whole, deleted, or left unchanged', async () => {
    await withSecret();
    expect((await send('PATCH /state', { set: { b: 1 } })).status).toBe(204);
    const kept = () => mock().state.transaction((draft) => draft.get('a'));
    expect(await kept()).toEqual(secret);
    const whole = { token: 'another alice-key', n: 2 };
    expect((await send('PUT /state/a', whole)).status).toBe(204);
    expect(await kept()).toEqual(whole);
    expect((await send('DELETE /state/a')).status).toBe(204);
  });

  it('differs from a value that contains this text itself', async () => {
    for (const body of ['"[redacted]"', '{"note":"[redacted]"}']) {
      expect((await send('PUT /state/a', body)).status).toBe(204);
      expect((await send('GET /state/a')).text).toBe(body);
      expect((await send('PATCH /state', `{"set":{"a":${body}}}`)).status).toBe(204);
    }
  });

  it('is not repeated in the error, and neither is a key across a name and its value', async () => {
    await withSecret();
    const response = await send('PUT /state/a', '"kanarienvogel [redacted] alice-key"');
    expect(response.text).not.toMatch(/kanarienvogel|alice/);
    await send('PUT /state/of%20alice-key', { 'alice-key': 'an alice-key', n: 1 });
    expect((await send('GET /state?prefix=of')).text).toBe(
      '{"of [redacted]":{"[redacted]":"an [redacted]","n":1}}',
    );
    await send('POST /accounts', { apiKey: 'x","y' });
    await send('PUT /state/x', '"y"');
    expect((await send('GET /state?prefix=x')).text).toBe('{"[redacted]":"[redacted]"}');
  });
});
