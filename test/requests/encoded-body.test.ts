import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync as gzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { preparedMock, sharedMock, startMock, type TestMock } from '../support/mock.ts';

const FILES = {
  'momo/echo.post.js':
    'export default ({ body, rawBody }) => ({ body: { body, raw: rawBody.toString("hex") } });',
  'momo/checked.post.json': { ok: true },
  'momo/checked.post.request.schema.json': {
    properties: { body: { required: ['amount'], properties: { amount: { type: 'number' } } } },
  },
  'momo/plain.post.json': { ok: true },
  'errors/400.js': 'export default ({ problems }) => ({ status: 400, body: { problems } });',
};
const PAID = { amount: 100, name: 'Zoë' };
const JSON_BYTES = Buffer.from(JSON.stringify(PAID));
const JSON_TYPE = 'application/json';
const CHUNKED = { 'transfer-encoding': 'chunked' };

interface Encoded {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** The bytes for a handler. @default the JSON */
  readonly raw?: Buffer;
}

const encoded = (bytes: Buffer, encoding: string | string[], more = {}): Encoded => ({
  bytes,
  headers: { 'content-encoding': encoding, ...more },
});
const inCharset = (bytes: Buffer, type = JSON_TYPE): Encoded => ({
  bytes,
  headers: { 'content-type': type },
  raw: bytes,
});
const mark = Buffer.from('\ufeff');
const utf16 = Buffer.from(`${JSON_BYTES}`, 'utf16le');

/** Ways to send the same JSON. */
const BODIES: Readonly<Record<string, Encoded>> = {
  gzip: encoded(gzip(JSON_BYTES), 'gzip'),
  'gzip in capitals': encoded(gzip(JSON_BYTES), 'GZIP'),
  'x-gzip': encoded(gzip(JSON_BYTES), 'x-gzip'),
  deflate: encoded(deflateSync(JSON_BYTES), 'deflate'),
  'deflate without a zlib header': encoded(deflateRawSync(JSON_BYTES), 'deflate'),
  br: encoded(brotliCompressSync(JSON_BYTES), 'br'),
  identity: encoded(JSON_BYTES, 'identity'),
  'an empty encoding': encoded(JSON_BYTES, ''),
  'gzip, then br': encoded(brotliCompressSync(gzip(JSON_BYTES)), 'gzip, br'),
  'gzip, then br, in two headers': encoded(brotliCompressSync(gzip(JSON_BYTES)), ['gzip', 'br']),
  'gzip in two members': encoded(
    Buffer.concat([gzip(JSON_BYTES.subarray(0, 5)), gzip(JSON_BYTES.subarray(5))]),
    'gzip',
  ),
  'gzip in chunks': encoded(gzip(JSON_BYTES), 'gzip', CHUNKED),
  'gzip as transfer encoding': {
    bytes: gzip(JSON_BYTES),
    headers: { 'transfer-encoding': 'gzip, chunked' },
  },
  'UTF-8 with a byte order mark': inCharset(Buffer.concat([mark, JSON_BYTES])),
  'UTF-8 with a byte order mark, and no type': {
    ...inCharset(Buffer.concat([mark, JSON_BYTES])),
    headers: {},
  },
  'UTF-8 that is called utf8': inCharset(JSON_BYTES, `${JSON_TYPE}; charset=utf8`),
  'an unknown charset': inCharset(JSON_BYTES, `${JSON_TYPE}; charset=nonsense`),
  latin1: inCharset(
    Buffer.from(`${JSON_BYTES}`, 'latin1'),
    `${JSON_TYPE};Charset="ISO-8859-1"; a=b`,
  ),
  'UTF-16': inCharset(utf16, `${JSON_TYPE}; charset=utf-16`),
  'UTF-16 with a byte order mark': inCharset(Buffer.from(`\ufeff${JSON_BYTES}`, 'utf16le')),
  'UTF-16 in the other byte order': inCharset(
    Buffer.from(`\ufeff${JSON_BYTES}`, 'utf16le').swap16(),
  ),
  'UTF-16 in gzip': {
    ...encoded(gzip(utf16), 'gzip', { 'content-type': `${JSON_TYPE}; charset=utf-16le` }),
    raw: utf16,
  },
};

const post = (mock: TestMock, path: string, bytes: Buffer, headers: Encoded['headers'] = {}) =>
  ask(mock, path, { method: 'POST', body: bytes, headers });

const send = async (mock: TestMock) => {
  for (const { bytes, headers } of Object.values(BODIES)) {
    await post(mock, '/momo/plain', bytes, headers);
  }
};
const mock = preparedMock(send, FILES);

it.each(Object.keys(BODIES).map((name, at) => [name, at] as const))(
  'the journal has a body sent as %s as text, and verify finds it',
  async (_name, at) => {
    const [entry] = await mock().requests({ since: at, limit: 1000 });
    expect(entry).toMatchObject({ status: 200, body: JSON.stringify(PAID) });
    await mock().verify({ body: PAID, times: Object.keys(BODIES).length });
  },
);

describe('a body', () => {
  const mock = sharedMock(FILES, { apiKeys: ['right-key-4711'] });

  it.each(Object.entries(BODIES))(
    'sent as %s reaches a handler and a request schema',
    async (_name, { bytes, headers, raw = JSON_BYTES }) => {
      const { json } = await post(mock(), '/momo/echo', bytes, headers);
      expect(json).toEqual({ body: PAID, raw: raw.toString('hex') });
      expect((await post(mock(), '/momo/checked', bytes, headers)).status).toBe(200);
      const wrong = gzip('{"amount":"100"}');
      const response = await post(mock(), '/momo/checked', wrong, { 'content-encoding': 'gzip' });
      expect(response.json).toMatchObject({ problems: [{ path: 'body.amount' }] });
    },
  );

  it.each(['gzip', 'br', 'nonsense'])(
    'that is empty may have any content-encoding, such as %s',
    async (name) => {
      for (const headers of [{}, CHUNKED]) {
        const sent = { 'content-encoding': name, ...headers };
        expect((await post(mock(), '/momo/echo', Buffer.alloc(0), sent)).json).toEqual({ raw: '' });
      }
    },
  );

  const damaged = Buffer.from(gzip(Buffer.alloc(1000, 'abcdef')));
  damaged.fill(0xff, 12, 20);
  const valid = (name: string) => `must be valid ${name}, as its content-encoding says`;
  it.each<[what: string, bytes: Buffer, encoding: string, message: string]>([
    ['text', JSON_BYTES, 'gzip', valid('gzip')],
    ['damaged', damaged, 'gzip', valid('gzip')],
    ['cut off', gzip(JSON_BYTES).subarray(0, -9), 'gzip', valid('gzip')],
    ['text', JSON_BYTES, 'br', valid('br')],
    ['text', JSON_BYTES, 'deflate', valid('deflate')],
    ['encoded in the other order', brotliCompressSync(gzip(JSON_BYTES)), 'br, gzip', valid('gzip')],
    ['zstd', JSON_BYTES, 'zstd', 'must be encoded with gzip, deflate or br'],
    ['unknown', JSON_BYTES, 'gzip, secret-4711', 'must be encoded with gzip, deflate or br'],
    [
      'encoded too often',
      JSON_BYTES,
      Array(4).fill('gzip').join(),
      'must have at most 3 encodings',
    ],
  ])('that is %s is refused: %#', async (_what, bytes, encoding, message) => {
    const refused = { status: 400, json: { problems: [{ path: 'body', message }] } };
    for (const path of ['/momo/echo', '/momo/checked', '/momo/plain']) {
      expect(await post(mock(), path, bytes, { 'content-encoding': encoding })).toMatchObject(
        refused,
      );
    }
    const hint = expect.stringContaining(`(body ${message})`);
    const entry = { reason: 'request-rejected', hint, body: '' };
    expect(await mock().requests()).toMatchObject([entry, entry, entry]);
  });

  it('that cannot be decoded is refused after the checks of the key and the path', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const bytes = Buffer.from('x');
    const wrong = { ...mock(), apiKey: 'wrong' };
    const sent = { method: 'POST', body: bytes, headers };
    expect((await ask(wrong, '/momo/echo', sent)).status).toBe(401);
    expect((await ask(mock(), '/momo/none', sent)).status).toBe(404);
  });

  const MIB = gzip(Buffer.alloc(1_048_576, ' '));
  it.each([
    { path: '/momo/echo', most: 1_048_576, words: '1,024 KiB' },
    { path: '/momo/checked', most: 131_072, words: '128 KiB' },
    { path: '/momo/plain', most: 1_048_576, words: '1,024 KiB' },
  ])('for $path may have $most bytes after decoding', async ({ path, most, words }) => {
    const ending = '{"amount":1}';
    const sized = (length: number) => gzip(ending.padStart(length));
    const headers = { 'content-encoding': 'gzip' };
    expect((await post(mock(), path, sized(most), headers)).status).toBe(200);
    expect((await post(mock(), path, sized(most + 1), headers)).status).toBe(413);
    const hint = expect.stringContaining(`(the body is too long: at most ${words})`);
    const entry = { reason: 'request-rejected', hint, body: '' };
    expect((await mock().requests())[1]).toMatchObject(entry);
  });

  it.each([
    ['gzip', Buffer.concat([MIB, MIB, Buffer.from(MIB).fill(0xff, 12)])],
    ['gzip, gzip', gzip(Buffer.concat([...Array(1200).fill(MIB), Buffer.from('broken')]))],
  ])('that grows is not decoded beyond the limit with %s', async (encoding, bomb) => {
    // Its end is not valid, which nobody finds out.
    const response = await post(mock(), '/momo/echo', bomb, { 'content-encoding': encoding });
    expect(response.status).toBe(413);
  });

  it.each(
    Object.entries({
      gzip: encoded(gzip('note right-key-4711 {"pin":1,"token":"wrong-4711"}'), 'gzip'),
      'UTF-16': inCharset(
        Buffer.from('\ufeffnote right-key-4711 {"token":"wrong-4711"}', 'utf16le'),
      ),
    }),
  )('sent as %s shows no key and no secret', async (_name, { bytes, headers }) => {
    await post(mock(), '/momo/plain', bytes, headers);
    await ask({ ...mock(), apiKey: 'x' }, '/momo/echo', { method: 'POST', body: bytes, headers });
    const entries = await mock().requests();
    expect(entries).toHaveLength(2);
    for (const { body } of entries) expect(body).toMatch(/^note \[redacted\] .*\[redacted\]/);
  });

  it('of a request without a valid key reaches an error handler, decoded and redacted', async () => {
    const seen = `export default ({ body, rawBody }) => ({
      body: { code: 'UNAUTHORIZED', body, raw: String(rawBody) },
    });`;
    const own = await startMock({ 'errors/401.js': seen });
    const text = Buffer.from('\ufeff{"token":"wrong-4711","a":1}', 'utf16le');
    const headers = {
      'content-encoding': 'br',
      'content-type': 'application/json; charset=utf-16',
    };
    const sent = { method: 'POST', body: brotliCompressSync(text), headers };
    const { json } = await ask({ ...own, apiKey: 'x' }, '/momo/balance', sent);
    const raw = '{"token":"[redacted]","a":1}';
    expect(json).toMatchObject({ body: JSON.parse(raw), raw });
  });
});
