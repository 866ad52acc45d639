import { describe, expect, it } from 'vitest';
import { AS_JSON, ask, type Sent, send } from '../support/client.ts';
import { type LoggedMock, sharedLogged, sharedMock } from '../support/mock.ts';

const SHOW = `export default (request) => ({
  body: { ...request, rawBody: request.rawBody.toString() },
});`;

describe('the request of a handler', () => {
  const mock = sharedMock({ 'momo/status/[reference].post.js': SHOW }, { apiKeys: ['good'] });

  const handed = async (path: string, sent: Sent = {}) =>
    (await ask(mock(), path, { method: 'POST', ...sent })).json as Record<string, unknown>;

  it.each<[what: string, path: string, expected: object]>([
    ['the path as it was sent', '/MOMO/status/7/', { path: '/MOMO/status/7/' }],
    ['a path, percent-encoded', '/momo/status/a%2Fb%20', { path: '/momo/status/a%2Fb%20' }],
    ['a parameter, percent-decoded', '/momo/status/a%2Fb', { params: { reference: 'a/b' } }],
    ['a parameter before a slash', '/momo/status/7/', { params: { reference: '7' } }],
    ['a query', '/momo/status/1?x=1&x=2&y=%26', { query: { x: ['1', '2'], y: '&' } }],
    ['no query', '/momo/status/1', { query: {} }],
  ])('has %s: %s', async (_what, path, expected) => {
    expect(await handed(path)).toMatchObject(expected);
  });

  it('has no key in its query or its headers', async () => {
    const headers = { 'x-api-key': 'good', apikey: 'good', authorization: 'good', 'X-Order': '7' };
    const request = await handed('/momo/status/1?a=1', { headers });
    expect(JSON.stringify(request)).not.toContain('good');
    expect(request).toMatchObject({ query: { a: '1' }, headers: { 'x-order': '7' } });
  });

  it.each<{ name: string; type: string | undefined; body: string; expected: unknown }>([
    { name: 'nothing', type: 'application/json', body: '', expected: undefined },
    { name: 'JSON', type: 'application/json', body: '{"amount":1}', expected: { amount: 1 } },
    {
      name: 'JSON of another type',
      type: 'application/vnd.momo+json; charset=utf-8',
      body: '5',
      expected: 5,
    },
    {
      name: 'JSON with the type of a form',
      type: 'application/x-www-form-urlencoded',
      body: '{"a":1}',
      expected: { a: 1 },
    },
    {
      name: 'JSON with the type of text',
      type: 'text/plain',
      body: ' {"a":1}',
      expected: { a: 1 },
    },
    { name: 'JSON without a type', type: undefined, body: ' [1]', expected: [1] },
    { name: 'broken JSON', type: 'application/json', body: '{"a":', expected: '{"a":' },
    {
      name: 'a form',
      type: 'application/x-www-form-urlencoded',
      body: 'a=1&b=x+y&b=2',
      expected: { a: '1', b: ['x y', '2'] },
    },
    {
      name: 'multipart',
      type: 'multipart/form-data; boundary=x',
      body: [
        'a preamble',
        '--x',
        'Content-Disposition: form-data; name="a"',
        '',
        '1',
        '--x',
        'content-type: text/plain; charset=utf-8',
        'content-disposition: form-data; filename="name=b.txt"; name="file"',
        '',
        'bytes',
        '--x',
        'Content-Disposition: form-data; name=b',
        '',
        '',
        '--x ',
        'Content-Disposition: form-data; name="%22b%0D%0A"',
        '',
        'two\r\n\r\nlines',
        '--x',
        'Content-Disposition: form-data; name="b"',
        '',
        '2',
        '--x--',
        '',
      ].join('\r\n'),
      expected: { a: '1', b: ['', '2'], '"b\r\n': 'two\r\n\r\nlines' },
    },
    {
      name: 'multipart with a boundary in quotes, and without an end',
      type: 'multipart/form-data; boundary="a b"; charset=utf-8',
      body: '--a b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1',
      expected: { a: '1' },
    },
    ...[
      'multipart/form-data',
      'multipart/form-data; boundary=x',
      'multipart/mixed; boundary=y',
    ].map((type) => ({
      name: 'multipart that is broken',
      type,
      body: '--y\r\n',
      expected: '--y\r\n',
    })),
    {
      name: 'text with the type of a form',
      type: 'x-application/x-www-form-urlencoded',
      body: 'a=1',
      expected: 'a=1',
    },
    { name: 'text', type: 'text/plain', body: '5', expected: '5' },
    {
      name: 'text whose type has JSON in a parameter',
      type: 'text/plain; x=/json',
      body: '5',
      expected: '5',
    },
    { name: 'text with braces', type: 'text/plain', body: 'a {}', expected: 'a {}' },
  ])('has a body that is $name, of type $type: $body', async ({ type, body, expected }) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const request = await handed('/momo/status/1', { headers, body });
    expect([request.body, request.rawBody]).toEqual([expected, body]);
  });

  it('has fields with any name', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = '__proto__=1&constructor=2';
    const request = await handed('/momo/status/1?__proto__=1', { headers, body });
    expect(Object.keys(request.body as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.keys(request.query as object)).toEqual(['__proto__']);
  });
});

const SECRET = 'kanarienvogel';

describe('the request of a handler of an error, without a valid key,', () => {
  const mock = sharedLogged({
    'errors/401.js': `export default (request, { log }) => {
      log.error(JSON.stringify(request));
      return { body: { ...request, rawBody: String(request.rawBody) } };
    };`,
  });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  const refused = async (target: string, sent: Sent): Promise<[LoggedMock, string, object]> => {
    const { status, text, json } = await send(mock(), target, { method: 'POST', ...sent });
    expect(status).toBe(401);
    return [mock(), text, json as object];
  };

  it.each<[where: string, target: string, headers?: Record<string, string>, body?: unknown]>([
    ...['api_key', 'apiKey', 'APIKEY', 'api-key', 'apikey[]', 'key', 'token', 'access_token'].map(
      (name): [string, string] => [name, `?x=1&${encodeURIComponent(name)}=${SECRET}`],
    ),
    ['a wrong key, and elsewhere', `/${SECRET}7?apikey=${SECRET}7&note=a-${SECRET}7`],
    ['a repeated key', `?apikey=${SECRET}&apikey=${SECRET}2`],
    ...['x-api-key', 'apikey', 'authorization', 'proxy-authorization', 'x-auth', 'cookie'].map(
      (name): [string, string, Record<string, string>] => [name, '', { [name]: `Key ${SECRET}` }],
    ),
    ['a header and a referrer', '', { 'x-api-key': SECRET, referer: `https://a/?k=${SECRET}` }],
    ['JSON', '', {}, { list: [{ apiKey: SECRET }], note: `a ${SECRET}` }],
    ['a form', '', form, `x=1&api_key=${SECRET}`],
    ['a long body', '', AS_JSON, JSON.stringify({ note: 'x'.repeat(70_000), apikey: SECRET })],
    ['text', '', {}, `apikey: ${SECRET}\n`],
  ])('has no key in %s: %s', async (_where, target, headers, body) => {
    const path = target.startsWith('/') ? target : `/momo/balance${target}`;
    const [{ logged }, text, shown] = await refused(path, { headers, body });
    expect(shown).toMatchObject({ reason: expect.stringMatching(/^key-/) });
    expect(text.toLowerCase()).not.toContain(SECRET);
    expect(logged().toLowerCase()).not.toContain(SECRET);
  });

  it('is otherwise unchanged', async () => {
    const body = '{ "amount": 5 }';
    const headers = { ...AS_JSON, 'x-shop': 'one' };
    const [, , shown] = await refused('/momo/status/A1?a=1&b=2&a=3', { headers, body });
    expect(shown).toMatchObject({
      method: 'POST',
      path: '/momo/status/A1',
      query: { a: ['1', '3'], b: '2' },
      headers: { 'x-shop': 'one' },
      body: { amount: 5 },
      rawBody: body,
      reason: 'key-missing',
      problems: [],
    });
  });
});
