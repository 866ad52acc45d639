import { Account } from '../../src/mock/accounts.ts';
import { type Decision, decide, decideBeforeKeyCheck } from '../../src/mock/decide.ts';
import { Mock } from '../../src/mock/mock.ts';
import type { BodySchema, Fixture, Operation } from '../../src/mock/operation.ts';
import { controllerOf } from '../support/running-mock.ts';
import { EMPTY_TREE } from './empty-tree.ts';
import { segmentsOf } from './segments-of.ts';

function fixture(body: string, status = 200): Fixture {
  return { status, headers: { 'x-from': 'file' }, body: Buffer.from(body), file: `${body}.json` };
}

function operation(method: string, template: string, schema?: BodySchema): Operation {
  const segments = segmentsOf(template);
  const variants = new Map(['single', 'empty'].map((name) => [name, fixture(name)]));
  const body = fixture('default');
  const name = `${method} ${template}`;
  return { method, name, template, segments, default: body, variants, ...(schema && { schema }) };
}

/** A schema that wants an object with a number `n`. */
export const NUMBER_N: BodySchema = {
  file: 'n.schema.json',
  schema: {},
  validate: (body) =>
    typeof (body as { n?: unknown } | null)?.n === 'number' ? [] : ['body.n must be a number'],
};

/** A mock without files and wire: keys `a` and `b` (variant `empty`), and a second operation. */
export function mockOf(schema?: BodySchema, journalSize = 10) {
  const tree = {
    ...EMPTY_TREE,
    operations: [
      operation('GET', '/momo/balance', schema),
      operation('GET', '/momo/status/:reference'),
    ],
    errors: new Map([401, 404, 405, 503].map((status) => [status, fixture(`e${status}`, status)])),
  };
  const keys = [{ key: 'a' }, { key: 'b', variant: 'empty' }];
  const mock = new Mock({ keys, tree, journalSize });
  /** What the operation of the balance, or of a status, answers to a key. */
  const ask = (key?: string, path = '/momo/balance'): Decision => {
    const { service } = mock;
    const { errors, operations } = tree;
    const [balance, status] = operations as [Operation, Operation];
    const operation = path === '/momo/balance' ? balance : status;
    const account = mock.accounts.find(key === undefined ? [] : [['apikey', key]], {});
    const early = decideBeforeKeyCheck({ operation, service, errors });
    if (early !== undefined) return early;
    if (account instanceof Account) {
      const decided = decide({ operation, service, account, errors });
      if ('handler' in decided) throw new Error('a handler decides');
      return decided;
    }
    return { answer: mock.error(401), source: 'error' };
  };
  const say = (key?: string, path?: string) => {
    const { answer } = ask(key, path);
    return `${answer.status} ${answer.body}`;
  };
  return { mock, controller: controllerOf(mock), ask, say };
}
