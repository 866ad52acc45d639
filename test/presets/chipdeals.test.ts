import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ask, type ReceivedResponse, send } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import type { MomoAccount } from '../support/momo-mock.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

const PHONE = '22951010200';
const PAYMENT = { senderPhoneNumber: PHONE, amount: 500, currency: 'XOF' };
const DEPOSIT = { recipientPhoneNumber: PHONE, amount: 500, currency: 'XOF' };

type Body = Readonly<Record<string, unknown>>;

/** An account of the preset, whose clock stands still. */
async function startAccount(
  state: Body = {},
  options: Parameters<typeof startMock>[1] = {},
): Promise<MomoAccount> {
  const mock = await startMock({}, { preset: 'chipdeals', ...options });
  const account = await mock.createAccount({ state });
  await account.freeze();
  return account;
}

function post(momo: MomoAccount, path: string, body: unknown): Promise<ReceivedResponse> {
  return ask(momo, `/momo/${path}`, { method: 'POST', body });
}

/** As the PHP library does. */
function get(momo: MomoAccount, path: string, body: unknown): Promise<ReceivedResponse> {
  const query = new URLSearchParams({ useOnlyStatusCode200: 'true', body: JSON.stringify(body) });
  return ask(momo, `/momo/${path}?${query}`);
}

const requestPayment = async (momo: MomoAccount, body: Body = {}) =>
  (await post(momo, 'requestPayment', { ...PAYMENT, ...body })).json as { payment: Body };
const deposit = async (momo: MomoAccount, body: Body = {}) =>
  (await post(momo, 'deposit', { ...DEPOSIT, ...body })).json as { deposit: Body };
const status = async (momo: MomoAccount, reference: unknown) =>
  ((await ask(momo, `/momo/status/${reference}`)).json as { transaction: Body }).transaction;
const codeOf = async (momo: MomoAccount, { reference }: Body) =>
  (await status(momo, reference)).statusMessageCode;
const balance = async (momo: MomoAccount) =>
  ((await ask(momo)).json as { balance: { amount: number }[] }).balance[0]?.amount;

describe('the balance', () => {
  it('has the members that each client reads', async () => {
    const { json } = await ask(await startAccount(), '/momo/Balance/');
    expect(json).toEqual({
      success: true,
      message: '',
      balance: [
        { amount: 100_000, currency: 'XOF' },
        { amount: 100_000, currency: 'XAF' },
      ],
      balances: [
        { countryCode: 'BJ', operator: 'MTN', currency: 'XOF', amount: 100_000 },
        { countryCode: 'CM', operator: 'MTN', currency: 'XAF', amount: 100_000 },
      ],
    });
  });

  it('is the sum of the operators with the same currency', async () => {
    const momo = await startAccount({ 'balances/BJ/Moov': { currency: 'XOF', amount: 1 } });
    expect(await balance(momo)).toBe(100_001);
  });
});

describe('a payment', () => {
  it('passes through its codes, one per second, and raises the balance', async () => {
    const momo = await startAccount();
    const names = { senderFirstName: 'Ada', senderLastName: 'Bio' };
    const { status: code, json } = await post(momo, 'requestpayment', {
      ...PAYMENT,
      ...names,
      merchantOrderId: 'A1',
    });
    const { payment } = json as { payment: Body };
    const second = Number(payment.startTimestampInSecond);
    const begun = {
      reference: expect.stringMatching(/^[\da-f-]{36}$/),
      merchantOrderId: 'A1',
      senderPhoneNumber: PHONE,
      senderCountryCode: 'BJ',
      senderOperator: 'MTN',
      ...names,
      originalCurrency: 'XOF',
      originalAmount: 500,
      currency: 'XOF',
      amount: 500,
      status: 'pending',
      statusMessage: expect.any(String),
      statusMessageCode: 201,
      startTimestampInSecond: second,
      endTimestampInSecond: 0,
      transactionType: 'payment',
      operatorReference: '',
    };
    expect([code, json]).toEqual([200, { success: true, message: '', payment: begun }]);
    const { reference } = payment;
    for (const statusMessageCode of [202, 203]) {
      await momo.advance(1000);
      expect(await status(momo, reference)).toEqual({ ...begun, statusMessageCode });
      expect(await balance(momo)).toBe(100_000);
    }
    await momo.advance(1000);
    expect(await status(momo, reference)).toEqual({
      ...begun,
      status: 'success',
      statusMessageCode: 200,
      endTimestampInSecond: second + 3,
      operatorReference: expect.stringMatching(/./),
    });
    expect(await balance(momo)).toBe(100_500);
  });

  it.each([402, 403, 404, 460, 461, 462])('with the sandbox number ends with %i', async (code) => {
    const momo = await startAccount();
    const { payment } = await requestPayment(momo, { senderPhoneNumber: `22951010${code}` });
    await momo.advance('idle');
    const ended = { status: 'error', statusMessageCode: code, operatorReference: '' };
    expect(await status(momo, payment.reference)).toMatchObject(ended);
    expect(await balance(momo)).toBe(100_000);
  });

  it.each([
    { code: 461, word: 'error', seconds: 3 },
    { code: 599, word: 'error', seconds: 3 },
    { code: 204, word: 'pending', seconds: 0 },
  ])('ends with the code $code from outcomes: $word', async ({ code, word, seconds }) => {
    const momo = await startAccount();
    await momo.state.set('outcomes', { [PHONE]: code });
    const { payment } = await requestPayment(momo);
    await momo.advance('idle');
    const { startTimestampInSecond: start, ...ended } = await status(momo, payment.reference);
    expect(ended).toMatchObject({ status: word, statusMessageCode: code });
    const end = seconds === 0 ? 0 : Number(start) + seconds;
    expect(ended).toMatchObject({ endTimestampInSecond: end });
  });

  it.each([
    { choice: 'approve', code: 200, status: 'success' },
    { choice: 'wrong-pin', code: 461, status: 'error' },
    { choice: 'no-funds', code: 460, status: 'error' },
    { choice: 'cancel', code: 404, status: 'error' },
  ])('whose payer is asked ends with $code after $choice', async ({ choice, code, ...ended }) => {
    const momo = await startAccount({ outcomes: { [PHONE]: 'ask' } });
    const { url, calls } = await startWebhook();
    const more = { webhookUrl: url, merchantOrderId: 'A1', amount: 5000 };
    const { payment } = await requestPayment(momo, more);
    const [prompt] = await momo.prompts();
    expect(prompt).toMatchObject({
      title: `${PHONE} (MTN)`,
      text: 'Pay 5,000 XOF to the merchant for A1',
      choices: ['approve', 'wrong-pin', 'no-funds', 'cancel'],
    });
    expect(await momo.advance('idle')).toMatchObject({ prompts: 1 });
    const waiting = { status: 'pending', statusMessageCode: 204, endTimestampInSecond: 0 };
    expect(await status(momo, payment.reference)).toMatchObject(waiting);
    expect(await balance(momo)).toBe(100_000);
    await momo.answerPrompt(prompt?.id ?? 0, choice);
    const last = { ...ended, statusMessageCode: code };
    expect(await status(momo, payment.reference)).toMatchObject(last);
    expect(await balance(momo)).toBe(choice === 'approve' ? 105_000 : 100_000);
    await momo.advance('idle');
    const codes = calls.map(({ body }) => JSON.parse(body).data.statusMessageCode);
    expect(codes).toEqual([202, 203, 204, code]);
  });

  it('whose payer decides at once does not become pending again', async () => {
    const momo = await startAccount({ outcomes: { '*': 'ask' } });
    const { payment } = await requestPayment(momo);
    const [prompt] = await momo.prompts();
    await momo.answerPrompt(prompt?.id ?? 0, 'approve');
    const ended = await status(momo, payment.reference);
    expect(ended).toMatchObject({ status: 'success', statusMessageCode: 200 });
    await momo.advance('idle');
    expect(await status(momo, payment.reference)).toEqual(ended);
    expect(await balance(momo)).toBe(100_500);
  });

  it('whose payer does nothing for two minutes has the code of a canceled one', async () => {
    const momo = await startAccount({ outcomes: { '*': 'ask' } });
    const { payment } = await requestPayment(momo);
    await momo.advance(119_999);
    expect(await status(momo, payment.reference)).toMatchObject({ statusMessageCode: 204 });
    expect(await momo.advance(1)).toMatchObject({ prompts: 0 });
    expect(await status(momo, payment.reference)).toMatchObject({
      status: 'error',
      statusMessageCode: 404,
      statusMessage: 'The customer canceled, or did not confirm in time.',
    });
    expect(await balance(momo)).toBe(100_000);
  });

  it('asks the payers whom the state names, or all others', async () => {
    const CANCELED = '22951010404';
    const momo = await startAccount({ outcomes: { [PHONE]: 461, '*': 'ask' } });
    for (const senderPhoneNumber of [PHONE, CANCELED]) {
      await requestPayment(momo, { senderPhoneNumber });
    }
    const titles = async () => (await momo.prompts()).map(({ title }) => title);
    expect(await titles()).toEqual([`${CANCELED} (MTN)`]);
    await momo.state.set('outcomes', { [CANCELED]: 'ask' });
    for (const senderPhoneNumber of [PHONE, CANCELED]) {
      await requestPayment(momo, { senderPhoneNumber });
    }
    expect(await titles()).toEqual([`${CANCELED} (MTN)`, `${CANCELED} (MTN)`]);
    await momo.state.set('outcomes', { '*': 460 });
    const { payment } = await requestPayment(momo, { senderPhoneNumber: CANCELED });
    await momo.advance('idle');
    expect(await status(momo, payment.reference)).toMatchObject({ statusMessageCode: 460 });
  });

  it('ends as the state says of all who pay, which does not hold for deposits', async () => {
    const momo = await startAccount({ outcomes: { [PHONE]: 460, payer: 461, '*': 462 } });
    const PAYER = '22951010201';
    const { payment: first } = await requestPayment(momo);
    const { payment: second } = await requestPayment(momo, { senderPhoneNumber: PAYER });
    const { deposit: third } = await deposit(momo, { recipientPhoneNumber: PAYER });
    await momo.advance('idle');
    const codes = await Promise.all([first, second, third].map((one) => codeOf(momo, one)));
    expect(codes).toEqual([460, 461, 462]);
  });

  it('is converted into the currency of the country, with the rates of the state', async () => {
    const momo = await startAccount();
    const { payment } = await requestPayment(momo, { amount: '1.5', currency: 'EUR' });
    const money = { originalAmount: 1.5, originalCurrency: 'EUR', amount: 984, currency: 'XOF' };
    expect(payment).toMatchObject(money);
  });

  it.each([
    [{ amount: 1000, fee: 10, merchantSupportFee: true }, 1100],
    [{ amount: 1000, fee: '10', merchantSupportFee: false }, 1100],
    [{ amount: 101, fee: 2.5 }, 104],
    [{ amount: 1.5, currency: 'EUR', fee: 10 }, 1082],
    [{ amount: 1000, fee: 0 }, 1000],
    [{ amount: 1000, fee: false }, 1000],
    [{ amount: 1000, fee: null }, 1000],
  ])('has a fee in percent, which the payer pays and the account gets: %j', async (body, paid) => {
    const momo = await startAccount();
    const { payment } = await requestPayment(momo, body);
    expect(payment).toMatchObject({ originalAmount: body.amount, amount: paid });
    await momo.advance('idle');
    expect(await balance(momo)).toBe(100_000 + paid);
  });

  it('has a link with Wave', async () => {
    const momo = await startAccount();
    const { payment } = await requestPayment(momo, {
      senderPhoneNumber: '2250712345678',
      isWave: true,
    });
    expect(payment).toMatchObject({
      senderCountryCode: 'CI',
      senderOperator: 'Wave',
      paymentLink: `https://pay.example/${payment.reference}`,
    });
    const other = await requestPayment(momo, { senderPhoneNumber: '2250712345678' });
    expect(other.payment).toMatchObject({ senderOperator: 'Orange' });
    expect(other.payment).not.toHaveProperty('paymentLink');
  });

  it('without the names of the payer is limited if the state says so', async () => {
    const momo = await startAccount({ limitUnnamed: true });
    const unnamed = { senderFirstName: 'Anonymous', senderLastName: 'Bio' };
    expect(await requestPayment(momo, { amount: 501 })).toMatchObject({ errorCode: '400-100' });
    for (const _ of [1, 2, 3])
      expect(await requestPayment(momo, unnamed)).toHaveProperty('payment');
    expect(await requestPayment(momo, unnamed)).toMatchObject({ errorCode: '400-100' });
    const first = { senderFirstName: 'Ada' };
    expect(await requestPayment(momo, first)).toMatchObject({ errorCode: '400-102' });
    const named = { ...first, senderLastName: 'Bio', amount: 501 };
    expect(await requestPayment(momo, named)).toHaveProperty('payment');
    await momo.advance(24 * 3_600_000);
    expect(await requestPayment(momo, unnamed)).toHaveProperty('payment');
  });
});

describe('a deposit', () => {
  it('takes its amount from the balance, and returns it after a failure', async () => {
    const momo = await startAccount();
    const { deposit: first } = await deposit(momo, { amount: 60_000 });
    expect(first).toMatchObject({
      recipientPhoneNumber: PHONE,
      recipientCountryCode: 'BJ',
      recipientOperator: 'MTN',
      transactionType: 'deposit',
    });
    expect(Object.keys(first)).not.toContainEqual(expect.stringMatching(/^sender/));
    await deposit(momo, { amount: 40_000, recipientPhoneNumber: '22951010403' });
    expect(await balance(momo)).toBe(0);
    expect(await post(momo, 'deposit', DEPOSIT)).toMatchObject({
      status: 403,
      json: { errorCode: '403-100' },
    });
    await momo.advance('idle');
    expect(await status(momo, first.reference)).toMatchObject({ status: 'success' });
    expect(await balance(momo)).toBe(40_000);
  });

  it('asks nobody, and ends as if no outcome was set', async () => {
    const momo = await startAccount({ outcomes: { '*': 'ask' } });
    const { deposit: made } = await deposit(momo);
    expect(await momo.advance('idle')).toMatchObject({ prompts: 0 });
    expect(await status(momo, made.reference)).toMatchObject({ statusMessageCode: 200 });
  });

  it('that is sent many times at once does not overdraw the balance', async () => {
    const momo = await startAccount();
    const all = await Promise.all([1, 2, 3, 4].map(() => deposit(momo, { amount: 40_000 })));
    expect(all.filter((one) => 'deposit' in one)).toHaveLength(2);
    expect(await balance(momo)).toBe(20_000);
  });
});

it('a merchantOrderId can be used once, even for a deposit, and is used up only if it was accepted', async () => {
  const momo = await startAccount();
  const merchantOrderId = 'A1';
  const refused = { success: false, errorCode: '400-119' };
  await requestPayment(momo, { merchantOrderId, amount: 0 });
  const all = [1, 2].map(() => requestPayment(momo, { merchantOrderId }));
  expect((await Promise.all(all)).filter((one) => 'payment' in one)).toHaveLength(1);
  expect(await deposit(momo, { merchantOrderId })).toMatchObject(refused);
  expect(await requestPayment(momo, { merchantOrderId: {} })).toMatchObject(refused);
  expect(await requestPayment(momo, { merchantOrderId: 'x'.repeat(101) })).toMatchObject(refused);
});

describe.each([
  { path: 'requestPayment', party: 'sender', normal: PAYMENT },
  { path: 'deposit', party: 'recipient', normal: DEPOSIT },
] as const)('$path is refused', ({ path, party, normal }) => {
  const phone = `${party}PhoneNumber`;
  const codes = {
    sender: ['400-104', '400-105', '400-112', '400-114'],
    recipient: ['400-110', '400-111', '400-113', '400-115'],
  }[party];
  const names: [string, Body, string | undefined][] = [
    ['a first name that is not text', { senderFirstName: 1 }, '400-101'],
    ['a first name over 100 characters', { senderFirstName: 'x'.repeat(101) }, '400-101'],
    ['a negative fee', { fee: -1 }, '400-107'],
    ['a fee that is not a number', { fee: 'much' }, '400-107'],
    ['a fee that is a list', { fee: [10] }, '400-107'],
    ['a last name that is not text', { senderLastName: [] }, '400-103'],
  ];

  it.each<[string, Body, string | undefined]>([
    ['no phone number', { [phone]: undefined }, codes[0]],
    ['an empty phone number', { [phone]: '' }, codes[0]],
    ['a phone number with a plus', { [phone]: '+22951010200' }, codes[1]],
    ['a phone number that is too short', { [phone]: '2295101' }, codes[1]],
    ['an unknown operator', { [phone]: '22900000000' }, codes[2]],
    ['Wave where there is none', { isWave: true }, codes[2]],
    ['an unknown country', { [phone]: '99951010200' }, codes[3]],
    ['no amount', { amount: undefined }, '400-106'],
    ['an amount of 0', { amount: 0 }, '400-107'],
    ['an amount that is not a number', { amount: 'much' }, '400-107'],
    ['an amount that is true', { amount: true }, '400-107'],
    ['an amount that is a list', { amount: [500] }, '400-107'],
    ['an amount over 10^12', { amount: 1e12 + 1 }, '400-107'],
    ['an amount that is over 10^12 when converted', { amount: 1e12, currency: 'EUR' }, '400-107'],
    ['an amount that is 0 when converted', { amount: 1e-6, currency: 'EUR' }, '400-107'],
    ['a currency that is a list', { currency: ['XOF'] }, '400-118'],
    ['no currency', { currency: undefined }, '400-117'],
    ['a currency in lower case', { currency: 'xof' }, '400-118'],
    ['an unknown currency', { currency: 'ABC' }, '400-116'],
    ['a currency without a rate', { currency: 'USD' }, '500-001'],
    ...(party === 'sender' ? names : []),
  ])('with %s', async (_what, body, errorCode) => {
    const momo = await startAccount({ rates: { XOF: 1, EUR: 655.957, USD: null } });
    const refused = { success: false, message: expect.any(String), errorCode };
    const wrong = { ...normal, ...body };
    const posted = await post(momo, path, wrong);
    expect([posted.status, posted.json]).toEqual([Number(errorCode?.slice(0, 3)), refused]);
    // The PHP library sees no body with another status.
    const { status: code, json } = await get(momo, path, wrong);
    expect([code, json]).toEqual([200, refused]);
    expect(await momo.state.list('transactions/')).toEqual({});
  });

  it.each(['text', '[]', 'null', '{'])('with the body %s', async (body) => {
    const momo = await startAccount();
    const headers = { 'content-type': 'application/json' };
    const sent = await ask(momo, `/momo/${path}`, { method: 'POST', headers, body });
    expect(sent.json).toMatchObject({ errorCode: codes[0] });
    const query = new URLSearchParams({ body });
    const { json } = await ask(momo, `/momo/${path}?${query}`);
    expect(json).toMatchObject({ errorCode: codes[0] });
  });
});

describe('the GET form', () => {
  it.each([
    { path: 'requestPayment', member: 'payment', body: PAYMENT },
    { path: 'deposit', member: 'deposit', body: DEPOSIT },
  ])('of $path works like POST', async ({ path, member, body }) => {
    const momo = await startAccount();
    const { json } = await get(momo, path, body);
    const { reference } = (json as Record<string, Body>)[member] ?? {};
    await momo.advance('idle');
    expect(await status(momo, reference)).toMatchObject({ status: 'success' });
  });

  it.each([
    ['requestPayment', PAYMENT],
    ['deposit', DEPOSIT],
  ])('of %s creates nothing for HEAD', async (path, body) => {
    const momo = await startAccount();
    const query = new URLSearchParams({ body: JSON.stringify(body) });
    const head = await ask(momo, `/momo/${path}?${query}`, { method: 'HEAD' });
    expect([head.status, head.headers.allow]).toEqual([405, 'GET, POST']);
    expect(await momo.state.list('transactions/')).toEqual({});
    expect(await balance(momo)).toBe(100_000);
  });
});

describe('an error of the mock with the preset', () => {
  const key = 'momo_test_key';

  it.each<{ name: string; target: string; code: number; body: object }>([
    {
      name: 'no key',
      target: '/momo/balance',
      code: 401,
      body: { code: 'UNAUTHORIZED', errorCode: '401-100' },
    },
    {
      name: 'a wrong key',
      target: '/momo/status/1?apikey=no',
      code: 401,
      body: { code: 'UNAUTHORIZED' },
    },
    {
      name: 'no key, on an unknown path',
      target: '/momo/none',
      code: 401,
      body: { errorCode: '401-100' },
    },
    {
      name: 'an unknown path',
      target: `/momo/none?apikey=${key}`,
      code: 404,
      body: { errorCode: '400-000' },
    },
    {
      name: 'an unknown reference',
      target: `/momo/status/1?apikey=${key}`,
      code: 404,
      body: { errorCode: '404-100' },
    },
  ])('for $name has its code, and status 200 on request', async ({ target, code, body }) => {
    const momo = await startAccount();
    const { status, json } = await send(momo, target);
    expect([status, json]).toEqual([code, { success: false, ...(json as object), ...body }]);
    const more = `${target}${target.includes('?') ? '&' : '?'}useOnlyStatusCode200=true`;
    expect(await send(momo, more)).toMatchObject({ status: 200, json });
  });

  it.each([400, 401, 405, 413, 429, 500, 503])(
    '%i that a test scripts has its code',
    async (code) => {
      const momo = await startAccount();
      await momo.respondWith({ status: code });
      const { status, json } = await ask(momo);
      const errorCode = expect.stringMatching(/^\d{3}-\d{3}$/);
      expect(json).toMatchObject({ success: false, message: expect.any(String), errorCode });
      expect(status).toBe(code);
    },
  );

  it('for a wrong method has its code', async () => {
    const { status, headers, json } = await post(await startAccount(), 'balance', {});
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(json).toMatchObject({ errorCode: '400-000' });
  });

  it('for too many requests has its code', async () => {
    const momo = await startAccount({}, { rateLimit: '1/1m' });
    await ask(momo);
    const { status, headers, json } = await ask(momo);
    expect([status, headers['retry-after']]).toEqual([429, '60']);
    expect(json).toMatchObject({ success: false, errorCode: '429-000' });
    const { status: only } = await ask(momo, '/momo/balance?useOnlyStatusCode200=true');
    expect(only).toBe(200);
  });
});

describe('a webhook', () => {
  const received = ({ calls }: Webhook) => calls.map(({ body }) => JSON.parse(body));

  it.each([
    { path: 'requestPayment', body: PAYMENT, member: 'payment', event: 'collection.stateChanged' },
    { path: 'deposit', body: DEPOSIT, member: 'deposit', event: 'deposit.stateChanged' },
  ])('of $path is sent at each change of state', async ({ path, body, member, event }) => {
    const momo = await startAccount();
    const app = await startWebhook();
    const { json } = await post(momo, path, { ...body, webhookUrl: app.url });
    const { reference } = (json as Record<string, Body>)[member] ?? {};
    await momo.advance('idle');
    const events = received(app);
    expect(events.map(({ data }) => data.statusMessageCode)).toEqual([202, 203, 200]);
    const last = events[2];
    expect(last).toMatchObject({ event, data: await status(momo, reference) });
    expect(JSON.parse(last.transaction)).toEqual(last.data);
    expect(app.calls[2]?.headers).not.toHaveProperty('verif-hash');
  });

  it('has the secret hash of the account, which is shown nowhere', async () => {
    const momo = await startAccount({ secretHash: 'sekret-hash' });
    const app = await startWebhook();
    await requestPayment(momo, { webhookUrl: app.url });
    await momo.advance('idle');
    expect(app.calls[0]?.headers).toMatchObject({ 'verif-hash': 'sekret-hash' });
    const [entry] = await momo.webhooks();
    expect(entry?.headers).toMatchObject({ 'verif-hash': '[redacted]' });
    expect(JSON.stringify([await momo.webhooks(), await momo.requests()])).not.toContain('sekret');
  });

  it.each([201, 204, 302, 500])(
    'that is not acknowledged, but gets a %i, is repeated for 36 hours',
    async (code) => {
      const momo = await startAccount();
      const app = await startWebhook(code);
      await requestPayment(momo, { webhookUrl: app.url });
      await momo.advance('idle');
      // The first time, and every 90 minutes.
      expect(app.calls).toHaveLength(3 * 25);
      const last = (await momo.webhooks({ attempt: 25 })).at(-1);
      const first = (await momo.webhooks({ attempt: 1 })).at(-1);
      const hours = (Date.parse(`${last?.time}`) - Date.parse(`${first?.time}`)) / 3_600_000;
      expect(hours).toBeCloseTo(36, 1);
    },
  );

  it('of a success can arrive before the response to its payment', async () => {
    const momo = await startAccount();
    const app = await startWebhook();
    await momo.scriptWebhooks([{ match: { body: { data: { status: 'success' } } }, before: true }]);
    const { payment } = await requestPayment(momo, { webhookUrl: app.url });
    expect(payment.status).toBe('pending');
    expect(received(app).map(({ data }) => data.statusMessageCode)).toEqual([200]);
    await momo.advance(0);
    expect(received(app).map(({ data }) => data.statusMessageCode)).toEqual([200, 202, 203]);
  });

  it.each([undefined, '', 5])('is not sent to %j', async (webhookUrl) => {
    const momo = await startAccount();
    await requestPayment(momo, { webhookUrl });
    await momo.advance('idle');
    expect(await momo.webhooks()).toEqual([]);
    expect(await momo.state.list('webhooks/')).toEqual({});
  });

  it('has a URL that is in the state, and in no response and no webhook', async () => {
    const momo = await startAccount();
    const app = await startWebhook();
    const { payment } = await requestPayment(momo, { webhookUrl: app.url });
    await momo.advance('idle');
    const shown = [payment, await status(momo, payment.reference), received(app)];
    expect(JSON.stringify(shown)).not.toContain(app.url);
    expect(await momo.state.list('webhooks/')).toEqual({
      [`webhooks/${payment.reference}`]: app.url,
    });
    // Too long for a webhook, so it would only fill the state.
    await requestPayment(momo, { webhookUrl: `http://localhost/${'x'.repeat(8200)}` });
    expect(Object.keys(await momo.state.list('webhooks/'))).toHaveLength(1);
  });
});

it('a payment whose response is lost was still made', async () => {
  const momo = await startAccount();
  await momo.respondWith({ operation: 'POST /momo/requestPayment', fault: 'reset' });
  await expect(requestPayment(momo)).rejects.toThrow();
  await requestPayment(momo);
  await momo.advance('idle');
  expect(await balance(momo)).toBe(101_000);
});

describe('the state', () => {
  it.each<[name: string, value: unknown, problem: string]>([
    ['outcome', { [PHONE]: 460 }, 'Did you mean "outcomes"?'],
    ['outcomes', { [PHONE]: 999 }, `/outcomes/${PHONE} must be <= 599`],
    ['outcomes', { [PHONE]: '460' }, `/outcomes/${PHONE} must be integer`],
    ['outcomes', { '*': 'aks' }, '/outcomes/* must be equal to constant ("ask")'],
    ['sandboxNumbers', { '*': 460 }, 'must NOT have additional properties ("*")'],
    ['sandboxNumbers', { [PHONE]: 'ask' }, `/sandboxNumbers/${PHONE} must be integer`],
    ['outcomes', { '+229 51010200': 460 }, 'must NOT have additional properties ("+229 51010200")'],
    ['balance/BJ/MTN', { currency: 'XOF', amount: 1 }, 'Did you mean "balances/BJ/MTN"?'],
    ['balances/BJ/MTN', { currency: 'XOF', amount: '1' }, '/balances/BJ/MTN/amount must be number'],
    ['limitunnamed', true, 'Did you mean "limitUnnamed"?'],
    ['rates', { EUR: 0 }, '/rates/EUR must be > 0'],
    ['secretHash', 1, '/secretHash must be string'],
  ])('refuses %s: %j, which would change nothing', async (name, value, problem) => {
    const momo = await startAccount();
    await expect(momo.state.set(name, value)).rejects.toMatchObject({
      code: 'MOMO_MOCK_STATE_INVALID',
      message: expect.stringContaining(problem),
    });
  });

  it('has a schema for each value that its README explains, and for those of the handlers', () => {
    const read = (file: string) => readFileSync(`presets/chipdeals/fixtures/${file}`, 'utf8');
    const named = [...read('README.md').matchAll(/^\| `(\w+)|`(\w+)\/[A-Z_]+`/gm)];
    const explained = named.map(([, first, written]) => first ?? written);
    const schema = JSON.parse(read('state.schema.json'));
    const names = [
      ...Object.keys(schema.properties),
      ...Object.keys(schema.patternProperties).map((pattern) => /\w+/.exec(pattern)?.[0]),
    ];
    expect(explained.length).toBeGreaterThan(8);
    expect(names).toEqual(expect.arrayContaining(explained));
  });
});
