import { Agent } from 'node:https';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { runs } from '../endurance/scale.ts';
import { ask } from '../support/client.ts';
import { startLogged } from '../support/mock.ts';

const NAMES = ['toString', 'valueOf', '__proto__', 'constructor', 'toJSON', 'then', 'length'];
const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

/** Hostile values as JSON, because JavaScript cannot write all of them. */
const VALUES = [
  ...['null', 'true', 'false', '0', '-0', '-1', '0.001', '1e-320', '2', '1.5'],
  ...['1e12', '1e15', '9007199254740993', '12345678901234567890', '1e300', '-1e308', '1e400'],
  ...['""', '" "', '"0"', '"-5"', '"NaN"', '"Infinity"', '"1e400"', '"0x10"', '"5,00"', '"XAF"'],
  ...['"USD"', '"ZZZ"', '"\\u0000"', '"\\ud800"', '"\\u202e"', '"../../x"', '"anonymous"'],
  ...['[]', '[[]]', '["XOF"]', '["22951010200"]', '[null]', '{}', nested(99), nested(150)],
  ...['"__proto__"', '"constructor"', '{"toString":1}', '{"valueOf":1,"toString":null}'],
  ...[`{${NAMES.map((name) => `"${name}":1`)}}`, `[{${NAMES.map((name) => `"${name}":{}`)}}]`],
  ...[
    '"http://"',
    '"ftp://localhost"',
    '"http://192.0.2.1/"',
    '"/hook"',
    '"http://u:%zz@localhost/"',
  ],
  ...[`"${'9'.repeat(400)}"`, `"${'x'.repeat(9000)}"`, `"${'x'.repeat(600_000)}"`],
  ...[`"http://localhost:1/${'x'.repeat(8200)}"`, `"http://localhost:1/?${'a=1&'.repeat(1200)}"`],
];

const FIELDS = [
  ...['senderPhoneNumber', 'recipientPhoneNumber', 'amount', 'currency', 'webhookUrl', 'fee'],
  ...[
    'merchantOrderId',
    'senderFirstName',
    'senderLastName',
    'merchantSupportFee',
    'otp',
    'isWave',
  ],
  ...['__proto__', 'toString'],
];

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const posted = (path: string, body: string): Sent => ({
  method: 'POST',
  path,
  body,
  headers: JSON_TYPE,
});
const got = (path: string, body: string): Sent => ({
  method: 'GET',
  path: `${path}?body=${encodeURIComponent(body.slice(0, 3000))}`,
});

const field = fc.constantFrom(...FIELDS);
const value = fc.oneof(fc.constantFrom(...VALUES), fc.json({ maxDepth: 3 }));
const operation = fc.constantFrom('/momo/requestPayment', '/momo/deposit');
const ANY: fc.Arbitrary<Sent> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom(posted, got),
        operation,
        fc.array(fc.tuple(field, value), { maxLength: 4 }),
      )
      .map(([send, path, changed]) => send(path, bodyWith(changed))),
  },
  fc
    .tuple(fc.constantFrom(posted, got), operation, value)
    .map(([send, path, body]) => send(path, body)),
  fc.tuple(operation, fc.array(fc.tuple(field, fc.string()))).map(([path, fields]) => ({
    method: 'POST',
    path,
    body: fields.map((pair) => new URLSearchParams([pair])).join('&'),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })),
  fc
    .tuple(
      fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE'),
      fc.oneof(field, fc.constantFrom('x'.repeat(600), '%00', '..', '%2f')),
      fc.constantFrom(
        '',
        '?useOnlyStatusCode200=true&useOnlyStatusCode200=1',
        '?body=1&body=2',
        '?__proto__=1',
      ),
    )
    .map(([method, reference, query]) => ({ method, path: `/momo/status/${reference}${query}` })),
  fc
    .tuple(
      fc.constantFrom('HEAD', 'GET', 'POST'),
      fc.constantFrom('/momo/balance', '/momo/none', '/momo/balance?useOnlyStatusCode200[]=true'),
    )
    .map(([method, path]) => ({ method, path })),
);

let orders = 0;
/** A good body of both operations, with other fields. */
function bodyWith(changed: readonly (readonly [name: string, json: string])[]): string {
  const good = {
    ...{ senderPhoneNumber: '"22951010200"', recipientPhoneNumber: '"22951010200"' },
    ...{ amount: '5', currency: '"XOF"', merchantOrderId: `${++orders}` },
  };
  const fields = [...Object.entries(good), ...changed].map(([name, json]) => `"${name}":${json}`);
  return `{${fields}}`;
}

/** A preset that logs, and what went wrong with it. */
async function startPreset() {
  const mock = await startLogged({}, { PRESET: 'chipdeals' });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const account = await mock.createAccount();
  await account.freeze();
  const problems: unknown[] = [];
  let logged = 0;
  const send = async ({ path, ...options }: Sent) => {
    const response = await ask(account, path, { ...options, agent });
    if (!(Number(response.status) < 500)) {
      problems.push([response.status, path.slice(0, 900), options.body?.slice(0, 300)]);
    }
    return response;
  };
  /** Runs all timers, and returns what went wrong since the last time. */
  const settle = async () => {
    await account.advance('idle').catch((error) => problems.push(error.message));
    const errors = mock.records.slice(logged).filter(({ level }) => Number(level) >= 50);
    logged = mock.records.length;
    problems.push(...errors.map(({ msg }) => msg));
    const { json } = await send({ method: 'GET', path: '/momo/balance' });
    for (const { amount } of (json as { balances: { amount: unknown }[] }).balances) {
      if (!Number.isFinite(amount)) problems.push(`the balance is ${amount}`);
    }
    return problems.splice(0);
  };
  return { account, send, settle };
}

it('the preset fails for no value of a field', async () => {
  const { send, settle } = await startPreset();
  for (const path of ['/momo/requestPayment', '/momo/deposit']) {
    for (const name of FIELDS) {
      for (const json of VALUES) await send(posted(path, bodyWith([[name, json]])));
      expect(await settle(), name).toEqual([]);
    }
  }
});

it('the preset fails for no request', async () => {
  const { send, settle } = await startPreset();
  const all = fc.asyncProperty(fc.array(ANY, { maxLength: 8 }), async (list) => {
    for (const one of list) await send(one);
    expect(await settle()).toEqual([]);
  });
  await fc.assert(all, runs(1000, 100));
});

it('an account with too many transactions gets a clear error', async () => {
  const { account, send, settle } = await startPreset();
  const names = Array.from({ length: 9_997 }, (_, n) => [`transactions/${n}`, {}]);
  await account.state.transaction((draft) => {
    for (const [name, value] of names) draft.set(`${name}`, value);
  });
  // Each has a name for itself, for its order and, once, for its operator.
  const path = '/momo/requestPayment';
  const pay = () => send(posted(path, bodyWith([['senderPhoneNumber', '"22945010200"']])));
  expect((await pay()).status).toBe(200);
  const { status, json } = await pay();
  expect([status, json]).toMatchObject([429, { message: expect.stringContaining('10,000 names') }]);
  expect(await settle()).toEqual([]);
});
