import { describe, expect, it } from 'vitest';
import { parseTarget } from '../../src/mock/request-target.ts';
import { handlerRequest } from '../../src/service/handler-request.ts';
import { segmentsOf } from '../mock/segments-of.ts';

const TEMPLATE = '/momo/status/:reference';
const operation = { segments: segmentsOf(TEMPLATE) } as never;

/** What a handler gets of a request. */
function handed(path: string, { headers = {}, body = '' } = {}) {
  const target = parseTarget(path);
  if (target === undefined) throw new Error(`${path} is no target`);
  return handlerRequest({ method: 'POST', target, headers, body: Buffer.from(body), operation });
}

describe('the request of a handler', () => {
  it('has its path, its parameters and its query, percent-decoded', () => {
    expect(handed('/momo/status/a%2Fb%20c?x=1&x=2&y=%26&apikey=good')).toMatchObject({
      method: 'POST',
      path: '/momo/status/a/b c',
      params: { reference: 'a/b c' },
      query: { x: ['1', '2'], y: '&' },
    });
  });

  it('has no key, neither in its query nor in its headers', () => {
    const headers = { 'x-api-key': 'good', apikey: 'good', 'x-order': '7' };
    const request = handed('/momo/status/1?apikey=good&apikey=good', { headers });
    expect(JSON.stringify(request)).not.toContain('good');
    expect(request.headers).toEqual({ 'x-order': '7' });
  });

  it('has the parameters of the operation also with a slash at the end', () => {
    expect(handed('/momo/status/7/').params).toEqual({ reference: '7' });
  });

  it.each([
    ['nothing', '', '', undefined],
    ['JSON', 'application/json', '{"amount":1}', { amount: 1 }],
    ['JSON of another type', 'application/vnd.momo+json; charset=utf-8', '5', 5],
    ['JSON that is called a form', 'application/x-www-form-urlencoded', '{"a":1}', { a: 1 }],
    ['JSON without a type', '', ' [1]', [1]],
    ['broken JSON', 'application/json', '{"a":', '{"a":'],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b=x+y&b=2', { a: '1', b: ['x y', '2'] }],
    ['text', 'text/plain', 'a=1', 'a=1'],
  ])('has a body that is %s', (_what, type, body, expected) => {
    const headers = type === '' ? {} : { 'content-type': type };
    const request = handed('/momo/status/1', { headers, body });
    expect(request.body).toEqual(expected);
    expect(request.rawBody.toString()).toBe(body);
  });

  it('has fields with any name', () => {
    const type = 'application/x-www-form-urlencoded';
    const request = handed('/momo/status/1?__proto__=1', {
      headers: { 'content-type': type },
      body: '__proto__=1&constructor=2',
    });
    expect(Object.keys(request.body)).toEqual(['__proto__', 'constructor']);
    expect(Object.keys(request.query)).toEqual(['__proto__']);
  });
});
