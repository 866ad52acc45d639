import { describe, expect, it } from 'vitest';
import { controlApp, refused } from './control-app.ts';

const WRITES = [
  'PUT /balance',
  'PUT /responses',
  'POST /responses',
  'POST /accounts',
  'PUT /tls',
] as const;

describe('the body of a write', () => {
  it.each([
    ['text/plain', '{}'],
    ['application/x-www-form-urlencoded', '{"balance":1}'],
    ['multipart/form-data; boundary=x', '{}'],
    ['application/jsonp', '{}'],
    ['application/vnd.x+json', '{}'],
    ['json', '{}'],
    ['', '{}'],
  ])('of the type %j is refused everywhere', async (type, body) => {
    const { send, ask } = await controlApp();
    for (const request of [...WRITES, 'POST /reset', 'DELETE /balance', 'DELETE /requests']) {
      const reply = await send(request, { headers: { 'content-type': type }, body });
      expect(reply, request).toMatchObject(refused(415, 'MOMO_MOCK_CONTENT_TYPE'));
    }
    expect(ask('alice-key').body).toBe('{"balance":[1]}');
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'of the type %s is taken',
    async (type) => {
      const { send } = await controlApp();
      const headers = { 'content-type': type };
      const reply = await send('PUT /balance', { headers, body: { balance: 1 } });
      expect(reply.status).toBe(204);
    },
  );

  it.each([
    ['broken', '{"sekret":', ' at line 1, column 11'],
    ['broken on a later line', '{\n  "é": 1,\r\n  "b": sekret\n}', ' at line 3, column 8'],
    ['two values', '{} {}', ' at line 1, column 4'],
    ['with a comment', '{} // sekret', ' at line 1, column 4'],
    ['with a comma at its end', '{"sekret":1,}', ' at line 1, column 13'],
    ['behind a byte order mark', '\ufeff{}', ' at line 1, column 1'],
    ['not a number of JSON', 'NaN', ' at line 1, column 1'],
  ])('that is %s is refused with its place, without repeating it', async (_what, body, place) => {
    const { send } = await controlApp();
    for (const request of WRITES) {
      const reply = await send(request, { body });
      const message = `Failed to read the body: not valid JSON${place}.`;
      expect(reply, request).toMatchObject(refused(400, 'MOMO_MOCK_REQUEST_INVALID', message));
    }
  });

  it('that is not UTF-8 is refused', async () => {
    const { app } = await controlApp();
    const headers = { host: 'localhost', 'content-type': 'application/json' };
    const payload = Buffer.from('{"balance":"\xe9"}', 'latin1');
    const reply = await app.inject({ method: 'PUT', url: '/balance', headers, payload });
    expect(reply.statusCode).toBe(400);
    expect(reply.json().error.message).toBe('Failed to read the body: must be UTF-8.');
  });

  it('is missed where it is not there', async () => {
    const { send } = await controlApp();
    for (const request of WRITES.filter((it) => it !== 'POST /accounts')) {
      const reply = await send(request);
      expect(reply, request).toMatchObject(refused(400, 'MOMO_MOCK_REQUEST_INVALID'));
    }
  });

  it('may have 1 MiB and no more', async () => {
    const { send } = await controlApp();
    const longest = `{"balance":1}${' '.repeat(1024 * 1024 - 13)}`;
    expect((await send('PUT /balance', { body: longest })).status).toBe(204);
    expect(await send('PUT /balance', { body: `${longest} ` })).toMatchObject(
      refused(
        413,
        'MOMO_MOCK_TOO_LARGE',
        'Failed to read the body: it is longer than 1 MiB. Send less in one call, or serve a large response from a fixture file.',
      ),
    );
  });

  it('of many responses is refused by their number', async () => {
    const { send, ask } = await controlApp();
    const list = (count: number) => `[${'{},'.repeat(count - 1)}{}]`;
    for (const request of ['PUT /responses', 'POST /responses']) {
      expect(await send(request, { body: list(349_524) })).toMatchObject(
        refused(
          400,
          'MOMO_MOCK_REQUEST_INVALID',
          'Failed to read responses: must be a list of at most 10000.',
        ),
      );
    }
    const most = await send('PUT /responses', { body: list(10_000) });
    expect((most.json as { responses: object[] }).responses).toHaveLength(10_000);
    expect(await send('POST /responses', { body: '{}' })).toMatchObject(
      refused(
        400,
        'MOMO_MOCK_REQUEST_INVALID',
        expect.stringMatching(/^Failed to read responses: /),
      ),
    );
    expect(ask('alice-key').status).toBe(200);
  });

  it('has fields with any name, as data', async () => {
    const { send } = await controlApp();
    const body = '{"body":{"balance":1,"__proto__":{"polluted":1},"constructor":{"prototype":{}}}}';
    const reply = await send('PUT /responses', { body });
    expect(reply.body).toContain('"__proto__":{"polluted":1},"constructor":{"prototype":{}}');
    expect(await send('PUT /responses', { body: '{"__proto__":{"status":500}}' })).toMatchObject(
      refused(400, 'MOMO_MOCK_REQUEST_INVALID'),
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
