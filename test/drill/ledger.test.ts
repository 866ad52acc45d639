import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { describeBothWays, problemsOf, startMock } from '../support/mock.ts';
import { drills, MomoMockError } from '../support/momo-mock.ts';

const PHONE = '22951010200';
const DRILL = `export default {
  pay: ['POST /pay'], status: [], amount: 5, currency: 'XOF', lostPayment: 'unknown',
  ends: { success: { phone: '1' } },
  ledger: (state) => state.get('entries'),
};`;

async function messageOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('nothing is wrong'),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(MomoMockError);
  expect((error as MomoMockError).code).toMatch(/^MOMO_MOCK_(FIXTURE|REQUEST)_INVALID$/);
  return (error as MomoMockError).message;
}

describeBothWays((start) => {
  it('an account lists its payments and payouts, the oldest first', async () => {
    const mock = await start({}, { preset: 'chipdeals' });
    const account = await mock.createAccount();
    await account.freeze();
    const common = { amount: 500, currency: 'XOF' };
    const payment = { ...common, senderPhoneNumber: PHONE, merchantOrderId: 7 };
    await ask(account, '/momo/requestPayment', { method: 'POST', body: payment });
    await account.advance('idle');
    const payout = { ...common, recipientPhoneNumber: '22951010461' };
    await ask(account, '/momo/deposit', { method: 'POST', body: payout });
    const shared = { ...common, id: expect.any(String), time: expect.stringMatching(/Z$/) };
    const paid = { ...shared, kind: 'payment', payer: PHONE, order: '7', state: 'success' };
    const sent = { ...shared, kind: 'payout', payer: '22951010461', order: null };
    expect(await account.ledger()).toEqual([paid, { ...sent, state: 'pending' }]);
    await account.advance('idle');
    expect(await account.ledger()).toEqual([paid, { ...sent, state: 'failed' }]);
    expect(await mock.account().ledger()).toEqual([]);
  });

  it('without a drill.js, the ledger says what is missing', async () => {
    const mock = await start();
    expect(await messageOf(mock.account().ledger())).toBe(
      'Failed to read the ledger: the fixtures have no drill.js, which knows the payments of the provider. Use a preset that has one, or add drill.js to your fixtures.',
    );
  });

  it.each([
    ['a list of other things', [{ id: 'a' }], '[0].kind must be one of payment, payout'],
    ['nothing', undefined, 'must be'],
  ])('a ledger that is %s is an error that names drill.js', async (_what, entries, problem) => {
    const mock = await start({ 'drill.js': DRILL });
    if (entries !== undefined) await mock.account().state.set('entries', entries);
    const message = await messageOf(mock.account().ledger());
    expect(message).toContain('Failed to read the ledger with drill.js: ');
    expect(message).toContain(problem);
  });
});

it('the ledger over HTTP needs the account', async () => {
  const mock = await startMock({}, { preset: 'chipdeals', control: true });
  const response = await fetch(`${mock.controlUrl}/ledger`);
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: {
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message:
        'Failed to read the ledger: each account has its own. Send the header apikey with its key, or call account().ledger().',
    },
  });
});

it('a drill.js of the user replaces the one of the preset', async () => {
  const mock = await startMock({ 'drill.js': DRILL }, { preset: 'chipdeals' });
  expect(await messageOf(mock.account().ledger())).toContain('with drill.js');
});

it('a broken drill.js does not keep a mock from starting, because only the ledger and a drill load it', async () => {
  expect(await problemsOf({ 'drill.js': 'export default {' })).toEqual([]);
});

it.each([
  ['a syntax error', 'export default {', /drill\.js.*does not load \(SyntaxError/],
  [
    'no default export',
    'export const pay = 1;',
    /drill\.js: The default export must be an object/i,
  ],
  [
    'an unknown field',
    DRILL.replace('status: []', 'status: [], advise: {}'),
    /drill\.js: unknown field "advise".*Did you mean "advice"\?$/,
  ],
  [
    'a credential that is not a name',
    DRILL.replace('status: []', "status: [], credentials: ['api-user']"),
    /drill\.js: credentials.* must be /,
  ],
  ['no ledger', DRILL.replace('ledger:', 'payLess:'), /drill\.js: ledger must be a function/],
  [
    'an operation without a method',
    DRILL.replace("'POST /pay'", "'/pay'"),
    /drill\.js: pay.* must be /,
  ],
  [
    'an unknown end',
    DRILL.replace('success: {', "declned: { phone: '1' }, success: {"),
    /drill\.js: unknown field "ends.declned".*Did you mean "(ends\.)?declined"\?$/,
  ],
])('a drill.js with %s is an error with a sentence', async (_what, text, sentence) => {
  const mock = await startMock({ 'drill.js': text });
  expect(await messageOf(mock.account().ledger())).toMatch(sentence);
});

/** What a drill says of a `drill.js`. */
async function refusal(text: string): Promise<string> {
  const { folder } = await startMock({ 'drill.js': text });
  const application = { pay: async () => {}, outcome: async () => 'paid' as const };
  const failures = drills({ fixturesDir: folder, ...application });
  const [first] = [...failures];
  const message = await messageOf(first?.run() ?? Promise.resolve());
  await failures.close();
  return message;
}

it('a drill.js that knows a failure which does not exist is an error of the drill', async () => {
  const text = DRILL.replace('status: []', "status: [], cannot: { 'lost-respons': 'x' }");
  expect(await refusal(text)).toBe(
    'Failed to read drill.js: cannot has the unknown failure "lost-respons". Did you mean "lost-response"?',
  );
});

it.each([
  ["credentials: ['user'], prepare: () => ({})", 'no text for "user", which is in credentials.'],
  [
    "credentials: ['user'], prepare: () => ({ user: 5 })",
    'no text for "user", which is in credentials.',
  ],
  [
    "prepare: () => ({ user: 'u1' })",
    '"user", which is not in credentials. Add it there, or omit it here.',
  ],
])('a drill.js with %s is an error of the drill', async (fields, problem) => {
  expect(await refusal(DRILL.replace('status: []', `status: [], ${fields}`))).toBe(
    `Failed to read drill.js: prepare returned ${problem}`,
  );
});
