import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { AS_JSON, ask, control } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';

const mock = sharedMock({}, { control: true });
const send = (line: string, body?: unknown, headers: Record<string, string> = AS_JSON) =>
  control(mock(), line, { headers, body });
const refused = (status: number, code: string, message: unknown = expect.any(String)) => ({
  status,
  json: { error: { code, message } },
});
const INVALID = 'MOMO_MOCK_REQUEST_INVALID';

const WRITES = ['PUT /balance', 'PUT /responses', 'POST /responses', 'POST /accounts', 'PUT /tls'];

describe('the body of a write', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/vnd.x+json',
    'json',
    '',
  ])('of the type %j is refused everywhere', async (type) => {
    const before = (await ask(mock())).text;
    for (const line of [...WRITES, 'POST /reset', 'DELETE /balance', 'DELETE /requests']) {
      const response = await send(line, '{"balance":1}', { 'content-type': type });
      expect(response, line).toMatchObject(refused(415, 'MOMO_MOCK_CONTENT_TYPE'));
    }
    expect((await ask(mock())).text).toBe(before);
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON'])(
    'of the type %s is accepted',
    async (type) => {
      const response = await send('PUT /balance', '{"balance":1}', { 'content-type': type });
      expect(response.status).toBe(204);
    },
  );

  it.each([
    ['broken', '{"sekret":', ' at line 1, column 11'],
    ['broken on a later line', '{\n  "é": 1,\r\n  "b": sekret\n}', ' at line 3, column 8'],
    ['two values', '{} {}', ' at line 1, column 4'],
    ['with a comment', '{} // sekret', ' at line 1, column 4'],
    ['with a trailing comma', '{"sekret":1,}', ' at line 1, column 13'],
    ['not a JSON number', 'NaN', ' at line 1, column 1'],
  ])(
    'that is %s is refused with the position, and without its text',
    async (_what, body, place) => {
      for (const line of WRITES) {
        const message = `Failed to read the body: not valid JSON${place}.`;
        expect(await send(line, body), line).toMatchObject(refused(400, INVALID, message));
      }
    },
  );

  it('with a byte order mark, as Windows editors write it, is accepted', async () => {
    expect((await send('PUT /balance', '\ufeff{"balance":1}')).status).toBe(204);
    expect(await send('PUT /balance', '\ufeff{"balance":')).toMatchObject(refused(400, INVALID));
  });

  it.each(['gzip', 'br', 'GZIP'])('that is encoded with %s is refused', async (encoding) => {
    const headers = { ...AS_JSON, 'content-encoding': encoding };
    const message = 'Failed to read the body: it is encoded. Send it without content-encoding.';
    for (const line of WRITES) {
      const response = await send(line, '{"balance":1}', headers);
      expect(response, line).toMatchObject(refused(415, 'MOMO_MOCK_CONTENT_TYPE', message));
    }
    const identity = { ...AS_JSON, 'content-encoding': 'identity' };
    expect((await send('PUT /balance', '{"balance":1}', identity)).status).toBe(204);
  });

  it('that is not UTF-8 is refused', async () => {
    const body = Buffer.from('{"balance":"\xe9"}', 'latin1');
    const message = 'Failed to read the body: must be UTF-8.';
    expect(await send('PUT /balance', body)).toMatchObject(refused(400, INVALID, message));
  });

  it('that is missing is an error', async () => {
    for (const line of WRITES.filter((it) => it !== 'POST /accounts')) {
      expect(await control(mock(), line), line).toMatchObject(refused(400, INVALID));
    }
  });

  it('is accepted in chunks, and after 100 Continue', async () => {
    for (const headers of [{ 'transfer-encoding': 'chunked' }, { expect: '100-continue' }]) {
      const url = `${mock().controlUrl}/responses`;
      const outgoing = request(url, { method: 'PUT', headers: { ...AS_JSON, ...headers } });
      outgoing.write('[');
      outgoing.end(']');
      const [incoming] = await once(outgoing, 'response');
      expect(incoming.resume().statusCode).toBe(200);
    }
  });

  it('may have fields with any name, as data', async () => {
    const body = '{"body":{"balance":1,"__proto__":{"polluted":1},"constructor":{"prototype":{}}}}';
    const { text } = await send('PUT /responses', body);
    expect(text).toContain('"__proto__":{"polluted":1},"constructor":{"prototype":{}}');
    const response = await send('PUT /responses', '{"__proto__":{"status":500}}');
    expect(response).toMatchObject(refused(400, INVALID));
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

const MIB = 1024 * 1024;
/** A balance that has so many bytes as JSON. */
const balanceOf = (bytes: number) => ({ x: 'x'.repeat(bytes - '{"x":""}'.length) });
const TOO_LARGE = {
  name: 'MomoMockError',
  code: 'MOMO_MOCK_TOO_LARGE',
  message:
    'Failed to read the body: it is longer than 1 MiB. Send less in one call, or serve a large response from a fixture file.',
};

it('a balance, an account and responses may have 1 MiB in one call, and not more', async () => {
  const mock = await startMock();
  const shown = async (of: typeof mock.apiKey) => (await ask({ ...mock, apiKey: of })).json;
  await mock.setBalance(balanceOf(MIB));
  await expect(mock.setBalance(balanceOf(MIB + 1))).rejects.toMatchObject(TOO_LARGE);
  expect(await shown(mock.apiKey)).toEqual(balanceOf(MIB));
  const balance = balanceOf(MIB - '{"balance":}'.length);
  const account = await mock.createAccount({ balance });
  expect(await shown(account.apiKey)).toEqual(balance);
  await expect(mock.createAccount({ balance: balanceOf(MIB) })).rejects.toMatchObject(TOO_LARGE);
  const halves = [1, 2].map(() => ({ body: balanceOf(MIB / 2) }));
  await expect(mock.respondWith(halves)).rejects.toMatchObject(TOO_LARGE);
  for (const half of halves) await mock.respondWith(half);
  expect(await shown(mock.apiKey)).toEqual(balanceOf(MIB / 2));
});

it('one call may set at most 10,000 responses', async () => {
  const mock = await startMock();
  const many = Array<{ status: number }>(10_001).fill({ status: 503 });
  await expect(mock.respondWith(many)).rejects.toMatchObject({
    code: INVALID,
    message: 'Failed to read responses: must be a list of at most 10000.',
  });
  expect((await ask(mock)).status).toBe(200);
});
