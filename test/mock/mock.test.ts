import { describe, expect, test } from 'vitest';
import { mockOf } from './mock-of.ts';

const ask = (method: string, target: string) => {
  const { mock } = mockOf();
  return mock.answer({ method, target, headers: {} });
};

describe('what is known of an answer', () => {
  test('of a file: the file, the operation, the account and the path', () => {
    const { answer, account, operation, ...rest } = ask('GET', '/Momo/Balance/?apikey=a&x=1');
    expect(answer.status).toBe(200);
    expect(account?.id).toBe('account-1');
    expect(operation?.template).toBe('/momo/balance');
    expect(rest).toEqual({
      source: 'fixture',
      file: 'default.json',
      path: '/momo/balance',
      target: {
        segments: ['Momo', 'Balance', ''],
        query: [
          ['apikey', 'a'],
          ['x', '1'],
        ],
      },
    });
  });

  test('of a variant: its name', () => {
    expect(ask('GET', '/momo/balance?apikey=b')).toMatchObject({
      file: 'empty.json',
      variant: 'empty',
    });
    expect(ask('GET', '/momo/balance?apikey=a').variant).toBeUndefined();
  });

  test('of a balance that was set: no file', () => {
    const { mock, controller } = mockOf();
    controller.setBalance(undefined, Buffer.from('1'));
    const outcome = mock.answer({ method: 'GET', target: '/momo/balance?apikey=b', headers: {} });
    expect(outcome).toMatchObject({ source: 'override' });
    expect(outcome.file).toBeUndefined();
    expect(outcome.variant).toBeUndefined();
  });

  test('of a script: its delay and its fault', () => {
    const { mock, controller } = mockOf();
    controller.script('a', [{ delay: 7, fault: 'hang' }, {}], 'append');
    const request = { method: 'GET', target: '/momo/balance?apikey=a', headers: {} };
    const broken = mock.answer(request);
    expect(broken).toMatchObject({ source: 'script', delay: 7, fault: { type: 'hang' } });
    const plain = mock.answer(request);
    expect(plain).toMatchObject({ source: 'script', delay: 0 });
    expect(plain.fault).toBeUndefined();
  });

  test.each([
    ['GET', '/%zz?apikey=a', 400, 'bad-url'],
    ['GET', '/momo/balance', 401, 'key-missing'],
    ['GET', '/nothing', 401, 'key-missing'],
    ['GET', '/nothing?apikey=a', 404, 'unknown-path'],
    ['POST', '/momo/balance?apikey=a', 405, 'wrong-method'],
    ['', '/momo/balance?apikey=a', 405, 'wrong-method'],
  ])('of a refusal of %s %s: the status and the reason', (method, target, status, reason) => {
    const { answer, ...rest } = ask(method, target);
    expect(answer.status).toBe(status);
    expect(rest).toMatchObject({ source: 'error', reason });
  });

  test('of a refusal: the path without what is in no operation', () => {
    expect(ask('GET', '/momo/secret?apikey=a').path).toBe('/momo/…');
    expect(ask('POST', '/momo/balance?apikey=a').path).toBe('/momo/balance');
    expect(ask('GET', '/%zz')).not.toHaveProperty('path');
  });
});

test('HEAD is GET, and uses up what is scripted for it', () => {
  const { mock, controller } = mockOf();
  controller.script('a', { status: 503 }, 'append');
  const target = '/momo/balance?apikey=a';
  expect(mock.answer({ method: 'HEAD', target, headers: {} }).answer.status).toBe(503);
  expect(mock.answer({ method: 'HEAD', target, headers: {} }).answer.status).toBe(200);
});

test('a method that no file answers to is told which do', () => {
  expect(ask('DELETE', '/momo/balance?apikey=a').answer.headers).toEqual({
    'x-from': 'file',
    allow: 'GET, HEAD',
  });
});

test('another tree is served from the next request on', () => {
  const { mock, say } = mockOf();
  const [balance] = mock.operations;
  if (balance === undefined) throw new Error('there is no operation');
  const other = { ...balance, default: { ...balance.default, body: Buffer.from('other') } };
  mock.replaceTree({ operations: [{ ...other, method: 'POST' }, other], errors: new Map() });
  expect(say('a')).toBe('200 other');
  // Without a file for it, an error has no body.
  expect(say()).toBe('401 ');
  const { headers } = mock.answer({
    method: 'PUT',
    target: '/momo/balance?apikey=a',
    headers: {},
  }).answer;
  expect(headers).toEqual({ allow: 'GET, HEAD, POST' });
});
