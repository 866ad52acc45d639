import { describe, expect, test } from 'vitest';
import { parseTarget } from '../../src/mock/request-target.ts';

describe('a request target', () => {
  test.each([
    ['/momo/balance', ['momo', 'balance']],
    ['/momo/balance/', ['momo', 'balance', '']],
    ['/', ['']],
    ['//momo', ['', 'momo']],
    ['/a%20b/c%2Fd', ['a b', 'c/d']],
    ['/%C3%A9', ['é']],
    ['https://host:1/momo?x=1', ['momo']],
    ['HTTP://host/momo', ['momo']],
    ['https://host', ['']],
    ['https://host?x=1', ['']],
    ['/momo/https://host/', ['momo', 'https:', '', 'host', '']],
  ])('%s has the segments %j', (target, segments) => {
    expect(parseTarget(target)?.segments).toEqual(segments);
  });

  test.each([
    ['/x', []],
    ['/x?', []],
    [
      '/x?a=1&a=2&b',
      [
        ['a', '1'],
        ['a', '2'],
        ['b', ''],
      ],
    ],
    ['/x?%61=%62+c', [['a', 'b c']]],
    ['/x?a=b?c=d', [['a', 'b?c=d']]],
    ['/x?u=https://host/y', [['u', 'https://host/y']]],
    ['https://host?a=1', [['a', '1']]],
    ['/x?__proto__=1', [['__proto__', '1']]],
    ['/x?a=%00', [['a', '\0']]],
  ])('%s has the query %j', (target, query) => {
    expect(parseTarget(target)?.query).toEqual(query);
  });

  test.each([
    '/%',
    '/%zz',
    '/%4',
    '/x?a=%',
    '/x?a=%4',
    '/x?a=%g1',
    '/%00',
    '/%ff',
    'momo',
    '',
    '*',
  ])('%s cannot be understood', (target) => {
    expect(parseTarget(target)).toBeUndefined();
  });
});
