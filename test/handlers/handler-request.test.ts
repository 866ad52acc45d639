import { describe, expect, it } from 'vitest';
import { send } from '../support/client.ts';
import { sharedMock } from '../support/mock.ts';

const mock = sharedMock(
  {
    'momo/status/[reference].post.js': `export default (request) => ({
      body: { ...request, rawBody: request.rawBody.toString() },
    });`,
  },
  { apiKeys: ['good'] },
);

/** What a handler gets of a request. */
async function handed(path: string, options: { headers?: object; body?: string } = {}) {
  const { body = '', headers = {} } = options;
  const query = path.includes('?') ? '' : '?apikey=good';
  const sent = { method: 'POST', headers: { ...headers }, body };
  return (await send(mock(), `${path}${query}`, sent)).json as Record<string, unknown>;
}

describe('the request of a handler', () => {
  it('has its path, its parameters and its query, percent-decoded', async () => {
    expect(await handed('/momo/status/a%2Fb%20c?x=1&x=2&y=%26&apikey=good')).toMatchObject({
      method: 'POST',
      path: '/momo/status/a/b c',
      params: { reference: 'a/b c' },
      query: { x: ['1', '2'], y: '&' },
    });
    expect((await handed('/momo/status/7/')).params).toEqual({ reference: '7' });
  });

  it('has no key, neither in its query nor in its headers', async () => {
    const headers = { 'x-api-key': 'good', apikey: 'good', 'x-order': '7' };
    const request = await handed('/momo/status/1?apikey=good&a=1', { headers });
    expect(JSON.stringify(request)).not.toContain('good');
    expect(request).toMatchObject({ query: { a: '1' }, headers: { 'x-order': '7' } });
  });

  it.each([
    ['nothing', '', '', undefined],
    ['JSON', 'application/json', '{"amount":1}', { amount: 1 }],
    ['JSON of another type', 'application/vnd.momo+json; charset=utf-8', '5', 5],
    ['JSON that is called a form', 'application/x-www-form-urlencoded', '{"a":1}', { a: 1 }],
    ['JSON without a type', undefined, ' [1]', [1]],
    ['broken JSON', 'application/json', '{"a":', '{"a":'],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b=x+y&b=2', { a: '1', b: ['x y', '2'] }],
    ['text', 'text/plain', 'a=1', 'a=1'],
  ])('has a body that is %s', async (_what, type, body, expected) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const request = await handed('/momo/status/1', { headers, body });
    expect(request.body).toEqual(expected);
    expect(request.rawBody).toBe(body);
  });

  it('has fields with any name', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = '__proto__=1&constructor=2';
    const request = await handed('/momo/status/1?__proto__=1&apikey=good', { headers, body });
    expect(Object.keys(request.body as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.keys(request.query as object)).toEqual(['__proto__']);
  });
});
