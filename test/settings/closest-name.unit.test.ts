import { expect, test } from 'vitest';
import { closestName } from '../../src/mock/closest-name.ts';

test.each<[given: string, known: string[], closest: string | undefined]>([
  ['statuss', ['operation', 'status'], 'status'],
  ['STATUS', ['operation', 'status'], 'status'],
  ['statusCode', ['operation', 'status'], 'status'],
  ['prot', ['port', 'host'], 'port'],
  ['gte', ['get', 'post'], 'get'],
  ['fixtures', ['host', 'fixtures-dir'], 'fixtures-dir'],
  ['certs', ['certs-dir', 'cert'], 'cert'],
  ['limt', ['limits', 'limit'], 'limit'],
  ['config', ['host', 'control-port'], undefined],
  ['daemon', ['open', 'host'], undefined],
  ['https', ['help', 'host'], undefined],
  ['foo', ['run', 'cert'], undefined],
  ['ho', ['host'], undefined],
  ['', ['host'], undefined],
  ['host', [], undefined],
  ['x'.repeat(201), ['x'.repeat(201)], undefined],
  ['/response', ['/requests', '/responses'], '/responses'],
  ['/response/3', ['/responses', '/responses/{id}'], '/responses/{id}'],
  ['/response/', ['/responses', '/responses/{id}'], undefined],
  ['/balance/7', ['/state/{name}', '/balance'], undefined],
  ['/momo/foo', ['/momo/pay'], undefined],
  ['GET /momo/balnce', ['POST /momo/balance', 'GET /momo/balance'], 'GET /momo/balance'],
  ['GET /momo/status/7f3a', ['GET /momo/status/:reference'], 'GET /momo/status/:reference'],
  ['DELETE /momo/balance', ['GET /momo/balance'], undefined],
])('the closest name to %j among %j is %j', (given, known, closest) => {
  expect(closestName(given, known)).toBe(closest);
});
