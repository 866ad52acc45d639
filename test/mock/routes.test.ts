import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/mock/operation.ts';
import { Routes } from '../../src/mock/routes.ts';
import { segmentsOf } from './segments-of.ts';

function operation(method: string, template: string): Operation {
  const body = Buffer.from(template);
  return {
    method,
    name: `${method} ${template}`,
    template,
    segments: segmentsOf(template),
    default: { status: 200, headers: {}, body, file: `${template}.json` },
    variants: new Map(),
  };
}

const operations = [
  operation('GET', '/momo/balance'),
  operation('POST', '/momo/balance'),
  operation('GET', '/momo/status/:reference'),
  operation('GET', '/momo/status/latest'),
  operation('GET', '/momo/:kind/deep/end'),
  operation('GET', '/Caps/File.txt'),
];

function find(path: string, strict = false) {
  const found = new Routes(operations, strict).find(path.slice(1).split('/'));
  return found && [...found.values()].map(({ method, template }) => `${method} ${template}`);
}

describe('routes', () => {
  test.each([
    ['/momo/balance', ['GET /momo/balance', 'POST /momo/balance']],
    ['/momo/balance/', ['GET /momo/balance', 'POST /momo/balance']],
    ['/MOMO/Balance', ['GET /momo/balance', 'POST /momo/balance']],
    ['/caps/file.txt', ['GET /Caps/File.txt']],
    ['/momo/status/4711', ['GET /momo/status/:reference']],
    ['/momo/status/a b', ['GET /momo/status/:reference']],
    ['/momo/status/latest', ['GET /momo/status/latest']],
    ['/momo/status/deep', ['GET /momo/status/:reference']],
    ['/momo/status/deep/end', ['GET /momo/:kind/deep/end']],
  ])('%s is answered by %j', (path, expected) => {
    expect(find(path)).toEqual(expected);
  });

  test.each([
    '/',
    '/momo',
    '/momo/balance//',
    '/momo//balance',
    '//momo/balance',
    '/momo/balance/x',
    '/momo/status/',
    '/momo/status',
    '/momo//deep/end',
    '/constructor',
    '/__proto__',
  ])('%s is nobody’s', (path) => {
    expect(find(path)).toBeUndefined();
  });

  test('strict paths take neither a slash at the end nor another letter case', () => {
    expect(find('/momo/balance/', true)).toBeUndefined();
    expect(find('/momo/status/', true)).toBeUndefined();
    expect(find('/Momo/balance', true)).toBeUndefined();
    expect(find('/momo/balance', true)).toHaveLength(2);
  });

  test('a path for the log shows the words of the tree and nothing else', () => {
    const routes = new Routes(operations, false);
    expect(routes.describe(['MOMO', 'secret', 'balance', ''])).toBe('/MOMO/…/balance/');
  });
});
