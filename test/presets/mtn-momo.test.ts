import { describe, expect, it } from 'vitest';
import { readDocument, rowsBelow } from '../docs/documents.ts';
import { control, type ReceivedResponse, send } from '../support/client.ts';
import { sharedMock } from '../support/mock.ts';
import type { MomoAccount } from '../support/momo-mock.ts';
import { startWebhook } from '../support/webhook.ts';

const USER = '11111111-1111-4111-8111-111111111111';
const API_KEY = '0123456789abcdef0123456789abcdef';
const PHONE = '256770000001';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const README = readDocument('presets/mtn-momo/fixtures/README.md');

const mock = sharedMock({}, { preset: 'mtn-momo', control: true });

type Fields = Readonly<Record<string, unknown>>;

/** An account of the preset, whose clock stands still. */
async function startAccount(state: Fields = {}): Promise<MomoAccount> {
  const account = await mock().createAccount({ state });
  await account.freeze();
  return account;
}

interface Sent {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** Sends a request with the account's subscription key and nothing else. */
async function sendBare(
  momo: MomoAccount,
  line: string,
  { headers, body }: Sent = {},
): Promise<ReceivedResponse> {
  const [method = '', path = ''] = line.split(' ');
  const all = { 'Ocp-Apim-Subscription-Key': momo.apiKey, ...headers };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return await send(momo, path, { method, body, headers: Object.fromEntries(given) as never });
}

const basic = (user = USER, key = API_KEY) =>
  `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`;

async function tokenFor(momo: MomoAccount, product: string): Promise<string> {
  const headers = { authorization: basic() };
  const { json } = await sendBare(momo, `POST /${product}/token/`, { headers });
  return (json as { access_token: string }).access_token;
}

const productOf = (line: string) => /(collection|disbursement|remittance)\/v/.exec(line)?.[1];

/** Sends a request with all that the operation needs, unless `headers` say otherwise. */
async function call(momo: MomoAccount, line: string, { headers, body }: Sent = {}) {
  const product = productOf(line);
  const isGiven = headers !== undefined && 'authorization' in headers;
  const all = {
    ...(product && !isGiven && { authorization: `Bearer ${await tokenFor(momo, product)}` }),
    'X-Target-Environment': 'sandbox',
    'X-Reference-Id': crypto.randomUUID(),
    ...headers,
  };
  return await sendBare(momo, line, { headers: all, body });
}

/** A body that each operation which starts a payment accepts. */
const paymentBy = (number: string, more: Fields = {}) => ({
  amount: '12.50',
  currency: 'EUR',
  externalId: 'order-7',
  payer: { partyIdType: 'MSISDN', partyId: number },
  payee: { partyIdType: 'MSISDN', partyId: number },
  payerMessage: 'm',
  payeeNote: 'n',
  ...more,
});

const PAY = 'POST /collection/v1_0/requesttopay';
const TRANSFER = 'POST /disbursement/v1_0/transfer';
const DEPOSIT = 'POST /disbursement/v1_0/deposit';
const REFUND = 'POST /disbursement/v1_0/refund';

/** Starts a payment that is accepted, and returns its reference. */
async function start(
  momo: MomoAccount,
  line = PAY,
  more: Fields = {},
  headers: Sent['headers'] = {},
): Promise<string> {
  const reference = crypto.randomUUID();
  const body = paymentBy(PHONE, more);
  const sent = { headers: { 'X-Reference-Id': reference, ...headers }, body };
  const response = await call(momo, line, sent);
  expect([response.status, response.text]).toEqual([202, '']);
  expect(response.headers).not.toHaveProperty('content-type');
  return reference;
}

const startBy = (momo: MomoAccount, line: string, number: string) => {
  const party = { partyIdType: 'MSISDN', partyId: number };
  return start(momo, line, { payer: party, payee: party });
};

const statusLine = (line: string, reference: string) =>
  `${line.replace('POST', 'GET').replace('v2_0', line.includes('refund') ? 'v2_0' : 'v1_0')}/${reference}`;

const read = async (momo: MomoAccount, reference: string, line = PAY) =>
  (await call(momo, statusLine(line, reference))).json as Fields;

const balance = async (momo: MomoAccount) =>
  ((await call(momo, 'GET /collection/v1_0/account/balance')).json as Fields).availableBalance;

/** A payment that has succeeded. */
async function paid(momo: MomoAccount, more: Fields = {}): Promise<string> {
  const reference = await start(momo, PAY, more);
  await momo.advance(5 * SECOND);
  return reference;
}

const codesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

describe('each operation of the README', () => {
  const rows = rowsBelow(README, 'Operations').map(([line = '', response = '']) => ({
    line: codesIn(line)[0] ?? '',
    status: Number(response.slice(0, 3)),
    fields: codesIn(response),
  }));

  it.each(rows)('$line has its response', async ({ line, status, fields }) => {
    const momo = await startAccount();
    const isRefund = line.includes('refund');
    const more = isRefund ? { referenceIdToRefund: await paid(momo) } : {};
    let path = line.replace(':user', USER).replace(':type', 'MSISDN').replace(':id', PHONE);
    path = path.replace(':currency', 'eur');
    if (line.includes(':reference')) {
      const isNotification = line.endsWith('deliverynotification');
      const started = isNotification ? PAY : line.replace('GET', 'POST').replace('/:reference', '');
      const reference = await start(momo, started, more);
      await momo.advance(5 * SECOND);
      path = path.replace(':reference', reference);
    }
    const body = { ...paymentBy(PHONE, more), providerCallbackHost: 'shop.example' };
    const headers = line.includes('token') ? { authorization: basic() } : {};
    const sent = line.startsWith('POST') ? { headers, body } : {};
    const response = await call(momo, path, sent);
    expect([response.status, Object.keys(response.json ?? {})]).toEqual([status, fields]);
    const type = fields.length > 0 ? 'application/json;charset=utf-8' : undefined;
    expect(response.headers['content-type']).toBe(type);
  });

  it('is an operation of the preset, which has no others', async () => {
    const { json } = await control(mock(), 'GET /operations');
    const { operations } = json as { operations: { name: string }[] };
    const names = operations.map(({ name }) => name);
    expect(rows.map(({ line }) => line).sort()).toEqual(names.sort());
  });
});

/** What a cell of the README says of the end of a payment. */
const endIn = (cell = '') => {
  const codes = codesIn(cell);
  return { isDelayed: codes.length > 1, end: codes.at(-1) ?? '' };
};

/** Follows a payment from its 202 to its end, by the account's clock. */
async function expectEnd(momo: MomoAccount, line: string, reference: string, cell = '') {
  const { isDelayed, end } = endIn(cell);
  const status = async () => (await read(momo, reference, line)).status;
  expect(await status()).toBe('PENDING');
  await momo.advance(5 * SECOND - 1);
  expect(await status()).toBe('PENDING');
  await momo.advance(1);
  if (isDelayed) {
    expect(await status()).toBe('CREATED');
    await momo.advance(20 * SECOND - 1);
    expect(await status()).toBe('CREATED');
    await momo.advance(1);
  }
  const isFailure = !['PENDING', 'SUCCESSFUL'].includes(end);
  const ended = await read(momo, reference, line);
  expect(ended.status).toBe(isFailure ? 'FAILED' : end);
  expect(ended.reason).toBe(isFailure ? end : undefined);
  const isPaid = end === 'SUCCESSFUL';
  expect(ended.financialTransactionId).toEqual(
    isPaid ? expect.stringMatching(/^\d{10}$/) : undefined,
  );
  await momo.advance('idle');
  expect(await read(momo, reference, line)).toEqual(ended);
}

describe('each test number of the README', () => {
  const rows = rowsBelow(README, 'Test numbers');
  const numbers = rows.filter(([cell = '']) => /^`467331234\d\d`$/.test(cell));
  const ends = numbers.filter(([, second = '']) => !second.includes('@'));

  it.each(
    ends.map(([number, payment, transfer]) => ({
      number: codesIn(number)[0] ?? '',
      payment,
      transfer,
    })),
  )(
    '$number ends a payment with $payment, and a transfer with $transfer',
    async ({ number, payment, transfer }) => {
      const momo = await startAccount();
      for (const line of [PAY, 'POST /collection/v1_0/requesttowithdraw', DEPOSIT]) {
        await expectEnd(momo, line, await startBy(momo, line, number), payment);
      }
      for (const line of [TRANSFER, 'POST /remittance/v1_0/transfer']) {
        await expectEnd(momo, line, await startBy(momo, line, number), transfer);
      }
      expect(ends).toHaveLength(15);
    },
  );

  const refunds = rows.filter(([cell = '']) => /^`\d{1,2}`$/.test(cell));
  it.each(refunds.map(([of, end]) => ({ of: codesIn(of)[0] ?? '', end })))(
    'the refund of $of ends with $end',
    async ({ of, end }) => {
      const momo = await startAccount();
      const reference = await start(momo, REFUND, { referenceIdToRefund: of });
      await expectEnd(momo, REFUND, reference, end);
      expect(refunds).toHaveLength(13);
    },
  );

  const holders = rows.filter(([, second = '']) => second.includes('@'));
  it.each(holders.map(([number, address, response]) => ({ number, address, response })))(
    'the account holder $number or $address is $response',
    async ({ number, address, response = '' }) => {
      const momo = await startAccount();
      const [body = ''] = codesIn(response);
      const paths = [`msisdn/${codesIn(number)[0]}`, `EMAIL/${codesIn(address)[0]}`];
      for (const path of paths) {
        for (const product of ['collection', 'disbursement', 'remittance']) {
          const got = await call(momo, `GET /${product}/v1_0/accountholder/${path}/active`);
          expect(got.status).toBe(Number(response.slice(0, 3)));
          if (body.startsWith('{')) expect(got.text).toBe(body);
          else expect(got.json).toEqual({ message: expect.any(String), code: body });
        }
      }
      expect(holders).toHaveLength(7);
    },
  );
});

describe('each status of the README', () => {
  const walks: Record<string, (momo: MomoAccount) => Promise<Fields>> = {
    PENDING: async (momo) => read(momo, await start(momo)),
    CREATED: async (momo) => {
      const reference = await startBy(momo, PAY, '46733123454');
      await momo.advance(5 * SECOND);
      return read(momo, reference);
    },
    SUCCESSFUL: async (momo) => read(momo, await paid(momo)),
    FAILED: async (momo) => {
      const reference = await startBy(momo, PAY, '46733123450');
      await momo.advance(5 * SECOND);
      return read(momo, reference);
    },
  };
  const rows = rowsBelow(README, 'States').filter(([status = '']) => /^`[A-Z]+`$/.test(status));

  it.each(rows.map(([status = '', when = '']) => [codesIn(status)[0] ?? '', when]))(
    '%s is read %s',
    async (status, when) => {
      const walk = walks[status];
      const body = await walk?.(await startAccount());
      const known = codesIn(when).filter((code) => /^[a-z]/.test(code));
      expect(body).toMatchObject({ status });
      expect(Object.keys(body ?? {})).toEqual(expect.arrayContaining(known));
      expect(Object.keys(walks)).toHaveLength(rows.length);
    },
  );
});

describe('each choice of the README', () => {
  const rows = rowsBelow(README, 'States').filter(([cell = '']) => /^(`[a-z-]+`|none)$/.test(cell));
  const choices = rows.map(([choice, end]) => ({
    choice: codesIn(choice)[0],
    end: codesIn(end)[0],
  }));

  it.each(choices)('$choice ends a payment and a transfer with $end', async ({ choice, end }) => {
    const momo = await startAccount({ outcomes: { '*': 'ask' } });
    for (const line of [PAY, TRANSFER]) {
      const reference = await start(momo, line, { amount: '1000', payerMessage: 'Order 7' });
      await momo.advance('idle');
      expect(await read(momo, reference, line)).toMatchObject({ status: 'PENDING' });
      const [prompt] = await momo.prompts({ waitFor: 1 });
      const text = line === PAY ? 'Pay 1,000 EUR to' : 'Receive 1,000 EUR from';
      expect(prompt).toMatchObject({
        title: `MTN MoMo ${PHONE}`,
        text: `${text} localhost? Order 7`,
        choices: choices.flatMap((row) => row.choice ?? []),
      });
      if (choice === undefined) {
        await momo.advance(5 * MINUTE - 1);
        expect(await read(momo, reference, line)).toMatchObject({ status: 'PENDING' });
        await momo.advance(1);
      } else await momo.answerPrompt(prompt?.id ?? 0, choice);
      const ended = end === 'SUCCESSFUL' ? { status: end } : { status: 'FAILED', reason: end };
      expect(await read(momo, reference, line)).toMatchObject(ended);
      expect(await momo.prompts()).toEqual([]);
    }
    expect(choices).toHaveLength(5);
  });
});

describe('each refusal of the README', () => {
  const pay = (momo: MomoAccount, more: Fields, headers: Sent['headers'] = {}) =>
    call(momo, PAY, { headers, body: paymentBy(PHONE, more) });
  const send400 = (more: Fields) => (momo: MomoAccount) => pay(momo, more);
  const transfer = (more: Fields) => (momo: MomoAccount) =>
    call(momo, TRANSFER, { body: paymentBy(PHONE, more) });
  const party = (partyIdType: string, partyId: unknown) => ({ partyIdType, partyId });
  const BALANCE = 'GET /collection/v1_0/account/balance';

  const causes: Record<string, (momo: MomoAccount) => Promise<ReceivedResponse>> = {
    'key-missing': (momo) =>
      sendBare(momo, PAY, { headers: { 'Ocp-Apim-Subscription-Key': undefined } }),
    'key-unknown': (momo) =>
      sendBare(momo, PAY, { headers: { 'Ocp-Apim-Subscription-Key': 'wrong' } }),
    'unknown-path': (momo) => call(momo, 'POST /disbursement/v2_0/transfer', { body: {} }),
    'wrong-method': (momo) => sendBare(momo, 'PUT /collection/v1_0/requesttopay'),
    'rate-limited': async (momo) => {
      await momo.setRateLimit('1/1m');
      // The second request, after that for its token.
      return await call(momo, BALANCE);
    },
    'login-failed': (momo) =>
      sendBare(momo, 'POST /collection/token/', { headers: { authorization: basic(USER, 'no') } }),
    'token-unknown': (momo) => call(momo, BALANCE, { headers: { authorization: 'Bearer no' } }),
    'token-expired': async (momo) => {
      const authorization = `Bearer ${await tokenFor(momo, 'collection')}`;
      await momo.advance(3600 * SECOND);
      return await call(momo, BALANCE, { headers: { authorization } });
    },
    'token-of-another-product': async (momo) => {
      const authorization = `Bearer ${await tokenFor(momo, 'disbursement')}`;
      return await call(momo, BALANCE, { headers: { authorization } });
    },
    'target-environment-wrong': (momo) =>
      call(momo, BALANCE, { headers: { 'X-Target-Environment': 'mtnuganda' } }),
    'reference-id-invalid': (momo) =>
      pay(momo, {}, { 'X-Reference-Id': '5a3cbb24-4d0c-11ee-be56-0242ac120002' }),
    'reference-malformed': (momo) => call(momo, `GET /collection/v1_0/requesttopay/${USER}1`),
    'body-empty': (momo) => call(momo, PAY),
    'body-invalid': (momo) => call(momo, PAY, { body: '{"amount":' }),
    'amount-invalid': send400({ amount: '-5' }),
    'currency-invalid': send400({ currency: undefined }),
    'external-id-invalid': send400({ externalId: 'order 7' }),
    'payer-message-invalid': send400({ payerMessage: "it's" }),
    'payee-note-invalid': send400({ payeeNote: 'x'.repeat(161) }),
    'payer-party-id-type-invalid': send400({ payer: party('PHONE', PHONE) }),
    'payer-party-id-invalid': send400({ payer: party('MSISDN', '+256 770') }),
    'payee-party-id-type-invalid': transfer({ payee: undefined }),
    'payee-party-id-invalid': transfer({ payee: party('EMAIL', 'ada') }),
    'reference-id-to-refund-invalid': (momo) => call(momo, REFUND, { body: paymentBy(PHONE) }),
    'provider-callback-host-invalid': (momo) => call(momo, 'POST /v1_0/apiuser', { body: {} }),
    'callback-url-empty': (momo) => pay(momo, {}, { 'X-Callback-Url': '' }),
    'callback-host-wrong': async (momo) => {
      // Without a scheme, a webhook could not be sent.
      for (const url of ['localhost:3000/', '127.0.0.1/', '//localhost/', 'ftp://localhost/']) {
        const response = await pay(momo, {}, { 'X-Callback-Url': url });
        expect([url, response.status]).toEqual([url, 500]);
        expect((await momo.requests()).at(-1)?.hint).toContain('Send a complete URL.');
      }
      return await pay(momo, {}, { 'X-Callback-Url': 'http://shop.example/' });
    },
    'currency-unknown': send400({ currency: 'UGX' }),
    'reference-id-repeated': async (momo) => {
      const reference = await start(momo);
      // Whatever the body, and whatever the product.
      const sent = {
        headers: { 'X-Reference-Id': reference.toUpperCase() },
        body: paymentBy('1'.repeat(9)),
      };
      return await call(momo, TRANSFER, sent);
    },
    'reference-unknown': (momo) => call(momo, `GET /collection/v1_0/requesttopay/${USER}`),
    'api-user-unknown': (momo) => call(momo, `GET /v1_0/apiuser/${crypto.randomUUID()}`),
    'payment-not-successful': async (momo) =>
      call(momo, `${PAY}/${await start(momo)}/deliverynotification`, { body: {} }),
    'test-number': (momo) =>
      call(momo, 'GET /collection/v1_0/accountholder/msisdn/46733123450/active'),
    'state-full': async (momo) => {
      const names = Array.from({ length: 9_980 }, (_, index) => `transactions/${index}`);
      await momo.state.transaction((draft) => {
        for (const name of names) draft.set(name, {});
      });
      for (;;) {
        const response = await pay(momo, {});
        if (response.status !== 202) return response;
      }
    },
  };
  const rows = rowsBelow(README, 'Errors').filter(([cell = '']) => /^`[a-z-]+`$/.test(cell));

  it.each(rows.map(([reason, response]) => ({ reason: codesIn(reason)[0] ?? '', response })))(
    '$reason is $response',
    async ({ reason, response: said = '' }) => {
      const momo = await startAccount();
      const response = await causes[reason]?.(momo);
      const [body] = codesIn(said);
      const status = /^\d{3} (`|without)/.exec(said) ? Number(said.slice(0, 3)) : 404;
      expect(response?.status).toBe(status);
      if (said.includes('without a body')) {
        const { 'content-type': type, 'content-length': length } = response?.headers ?? {};
        expect([response?.text, type, length]).toEqual(['', undefined, '0']);
      } else expect(response?.text).toContain(body ?? 'RESOURCE_NOT_FOUND');
      const entry = (await mock().requests({ reason: reason as never })).at(-1);
      expect(entry).toMatchObject({ status, reason });
      // A sentence that says what to do, on one line.
      expect(entry?.hint).toMatch(/^[^\n]+ [^\n]+\.( \(.*\))?$/);
    },
  );

  it('has a cause in this test, and each cause has a row', () => {
    expect(rows.map(([reason]) => codesIn(reason)[0])).toEqual(Object.keys(causes));
  });

  it.each(Object.keys(causes).filter((reason) => /invalid|malformed|empty$/.test(reason)))(
    '%s has a body if badRequests says so',
    async (reason) => {
      const momo = await startAccount({ badRequests: 'body' });
      const response = await causes[reason]?.(momo);
      if (response?.status === 500) expect(response.text).toBe('');
      else expect(response?.json).toEqual({ code: 'BAD_REQUEST', message: expect.any(String) });
    },
  );
});

describe('the money', () => {
  it('rises by a payment and a withdrawal that succeed, and by no other', async () => {
    const momo = await startAccount();
    await start(momo, PAY, { amount: '0.1' });
    await start(momo, 'POST /collection/v1_0/requesttowithdraw', { amount: '0.2' });
    await startBy(momo, PAY, '46733123450');
    expect(await balance(momo)).toBe('1000');
    await momo.advance('idle');
    expect(await balance(momo)).toBe('1000.3');
  });

  it.each([TRANSFER, 'POST /remittance/v1_0/transfer', DEPOSIT])(
    'falls at once by %s, and comes back if it fails',
    async (line) => {
      const momo = await startAccount();
      await start(momo, line, { amount: '999.99' });
      expect(await balance(momo)).toBe('0.01');
      await momo.advance('idle');
      expect(await balance(momo)).toBe('0.01');
      const party = { partyIdType: 'MSISDN', partyId: '46733123451' };
      await start(momo, line, { amount: '0.01', payee: party });
      expect(await balance(momo)).toBe('0');
      await momo.advance('idle');
      expect(await balance(momo)).toBe('0.01');
    },
  );

  it.each([TRANSFER, DEPOSIT])('that is not enough for %s fails it at its end', async (line) => {
    const momo = await startAccount({ outcomes: { [PHONE]: 'SUCCESSFUL' } });
    const reference = await start(momo, line, { amount: '1000.01' });
    expect(await read(momo, reference, line)).toMatchObject({ status: 'PENDING' });
    await momo.advance('idle');
    const failed = { status: 'FAILED', reason: 'NOT_ENOUGH_FUNDS' };
    expect(await read(momo, reference, line)).toMatchObject(failed);
    expect(await balance(momo)).toBe('1000');
  });

  it('that is not enough fails a transfer that the payee would decide', async () => {
    const momo = await startAccount({ outcomes: { '*': 'ask' } });
    const reference = await start(momo, TRANSFER, { amount: '1001' });
    expect(await momo.prompts()).toEqual([]);
    await momo.advance('idle');
    expect(await read(momo, reference, TRANSFER)).toMatchObject({ reason: 'NOT_ENOUGH_FUNDS' });
  });

  it('is not overdrawn by transfers that are sent at once', async () => {
    const momo = await startAccount();
    const all = [1, 2, 3, 4].map(() => start(momo, TRANSFER, { amount: '400' }));
    const references = await Promise.all(all);
    await momo.advance('idle');
    const statuses = references.map(async (one) => (await read(momo, one, TRANSFER)).status);
    const successes = (await Promise.all(statuses)).filter((status) => status === 'SUCCESSFUL');
    expect(successes).toHaveLength(2);
    expect(await balance(momo)).toBe('200');
  });

  it.each([
    { given: '5.0', read: '5', left: '995' },
    { given: '12.50', read: '12.5', left: '987.5' },
    { given: '007', read: '7', left: '993' },
    { given: '0.000000000000000000000001', left: '999.999999999999999999999999' },
    { given: '1000.0', read: '1000', left: '0' },
  ])('keeps the digits of $given', async ({ given, left, ...expected }) => {
    const momo = await startAccount();
    const reference = await start(momo, TRANSFER, { amount: given });
    expect((await read(momo, reference, TRANSFER)).amount).toBe(expected.read ?? given);
    expect(await balance(momo)).toBe(left);
  });

  it.each([
    { number: '12345678901234567890', amount: '12345678901234567890' },
    { number: '100.00', amount: '100' },
    { number: '0.10', amount: '0.1' },
    { number: '1e3', amount: '1000' },
    { number: '1.5E2', amount: '150' },
  ])('keeps the digits of the JSON number $number', async ({ number, amount }) => {
    const momo = await startAccount();
    const body = JSON.stringify(paymentBy(PHONE, { payeeNote: '"amount":5' }));
    const reference = crypto.randomUUID();
    const sent = {
      headers: { 'X-Reference-Id': reference, 'content-type': 'application/json' },
      body: body.replace('"12.50"', number),
    };
    expect((await call(momo, PAY, sent)).status).toBe(202);
    expect((await read(momo, reference)).amount).toBe(amount);
  });

  it('has a balance for each currency', async () => {
    const momo = await startAccount({ currency: 'any', 'balances/UGX': '5000.50' });
    const of = async (path: string) => (await call(momo, `GET ${path}`)).json;
    const path = '/collection/v1_0/account/balance';
    expect(await of(path)).toEqual({ availableBalance: '1000', currency: 'EUR' });
    expect(await of(`${path}/UGX`)).toEqual({ availableBalance: '5000.5', currency: 'UGX' });
    expect(await of(`${path}/XAF`)).toEqual({ availableBalance: '0', currency: 'XAF' });
    await start(momo, PAY, { amount: '1', currency: 'XAF' });
    await momo.advance('idle');
    expect(await of(`${path}/XAF`)).toEqual({ availableBalance: '1', currency: 'XAF' });
    await momo.state.set('currency', 'UGX');
    expect(await of(path)).toEqual({ availableBalance: '5000.5', currency: 'UGX' });
  });
});

describe('a refund', () => {
  const refund = (momo: MomoAccount, referenceIdToRefund: string, more: Fields = {}) =>
    start(momo, REFUND, { referenceIdToRefund, amount: '10', ...more });
  const ended = async (momo: MomoAccount, reference: string) => {
    await momo.advance('idle');
    const { status, reason } = await read(momo, reference, REFUND);
    return reason ?? status;
  };

  it('returns a part of a payment to its payer', async () => {
    const momo = await startAccount();
    const reference = await refund(momo, await paid(momo));
    expect(await balance(momo)).toBe('1002.5');
    expect(await ended(momo, reference)).toBe('SUCCESSFUL');
    const payee = { partyIdType: 'MSISDN', partyId: PHONE };
    expect(await read(momo, reference, REFUND)).toMatchObject({ payee, amount: '10' });
    expect(await balance(momo)).toBe('1002.5');
  });

  it('that exceeds what is left of its payment fails', async () => {
    const momo = await startAccount();
    const payment = await paid(momo);
    const first = await refund(momo, payment);
    expect(await ended(momo, await refund(momo, payment, { amount: '2.51' }))).toBe('NOT_ALLOWED');
    expect(await ended(momo, first)).toBe('SUCCESSFUL');
    expect(await ended(momo, await refund(momo, payment, { amount: '2.5' }))).toBe('SUCCESSFUL');
    expect(await balance(momo)).toBe('1000');
  });

  it.each(['SUCCESSFUL', 'ask'])(
    'that exceeds its payment fails also with the outcome %s, and never holds its money',
    async (outcome) => {
      const momo = await startAccount();
      const payment = await paid(momo);
      await momo.state.set('outcomes', { '*': outcome });
      const tooMuch = await refund(momo, payment, { amount: '13' });
      expect(await balance(momo)).toBe('1012.5');
      await momo.state.set('outcomes', {});
      expect(await ended(momo, await refund(momo, payment, { amount: '12.5' }))).toBe('SUCCESSFUL');
      expect(await ended(momo, tooMuch)).toBe('NOT_ALLOWED');
      expect(await balance(momo)).toBe('1000');
      await momo.state.set('outcomes', { '*': 'SUCCESSFUL' });
      expect(await ended(momo, await refund(momo, '4'))).toBe('SUCCESSFUL');
    },
  );

  it('that fails leaves its amount to the next', async () => {
    const momo = await startAccount();
    const payment = await paid(momo);
    await momo.state.set('outcomes', { [PHONE]: 'EXPIRED' });
    expect(await ended(momo, await refund(momo, payment))).toBe('EXPIRED');
    await momo.state.set('outcomes', {});
    expect(await ended(momo, await refund(momo, payment))).toBe('SUCCESSFUL');
  });

  it.each([
    { name: 'an unknown payment', reason: 'TRANSACTION_NOT_FOUND' },
    { name: 'a pending payment', line: PAY, reason: 'NOT_ALLOWED' },
    { name: 'a transfer', line: TRANSFER, reason: 'NOT_ALLOWED' },
  ])('of $name fails with $reason', async ({ line, reason }) => {
    const momo = await startAccount();
    const of = line ? await start(momo, line, { amount: '50' }) : crypto.randomUUID();
    expect(await ended(momo, await refund(momo, of))).toBe(reason);
    expect(await balance(momo)).toBe(line === TRANSFER ? '950' : line ? '1050' : '1000');
  });
});

describe('a webhook', () => {
  const withUrl = (url: string) => ({ 'X-Callback-Url': url });
  const FAILING = { payer: { partyIdType: 'MSISDN', partyId: '46733123451' } };

  it.each([
    { name: 'a success', line: PAY, more: {} },
    { name: 'a failure', line: PAY, more: FAILING },
    { name: 'a transfer', line: TRANSFER, more: {} },
    { name: 'a deposit of version 2', line: 'POST /disbursement/v2_0/deposit', more: {} },
  ])('has the status of $name, and no more', async ({ line, more }) => {
    const momo = await startAccount();
    const app = await startWebhook();
    const reference = await start(momo, line, more, withUrl(app.url));
    await momo.advance(5 * SECOND - 1);
    expect(app.calls).toEqual([]);
    await momo.advance('idle');
    const { text } = await call(momo, statusLine(line, reference));
    const [sent] = app.calls;
    expect(app.calls).toHaveLength(1);
    expect([sent?.method, sent?.body]).toEqual([line.includes('v2') ? 'PUT' : 'POST', text]);
    expect(sent?.headers).toMatchObject({
      'accept-encoding': 'gzip',
      'user-agent': 'LWAC Http Client 1.0',
      'content-type': 'application/json; charset=utf-8',
    });
  });

  it('is not sent without X-Callback-Url', async () => {
    const momo = await startAccount();
    await paid(momo);
    expect(await momo.webhooks()).toEqual([]);
  });

  it('is a PUT if the state says so', async () => {
    const momo = await startAccount({ webhookMethod: 'PUT' });
    const app = await startWebhook();
    await start(momo, PAY, {}, withUrl(app.url));
    await momo.advance('idle');
    expect(app.calls).toMatchObject([{ method: 'PUT' }]);
  });

  it('comes again after 3 minutes if the state says so', async () => {
    const momo = await startAccount({ webhooks: 'twice' });
    const app = await startWebhook();
    await start(momo, PAY, {}, withUrl(app.url));
    await momo.advance(5 * SECOND);
    await momo.webhooks({ waitFor: 1 });
    await momo.advance(3 * MINUTE - 1);
    expect(app.calls).toHaveLength(1);
    await momo.advance(1);
    expect(app.calls.map(({ body }) => body)).toEqual([app.calls[0]?.body, app.calls[0]?.body]);
  });

  it('is not repeated, unless the state says so', async () => {
    const app = await startWebhook(500);
    const once = await startAccount();
    await start(once, PAY, {}, withUrl(app.url));
    await once.advance('idle');
    expect(app.calls).toHaveLength(1);
    const retried = await startAccount({ webhooks: 'retried' });
    await start(retried, PAY, {}, withUrl(app.url));
    await retried.advance('idle');
    expect(app.calls).toHaveLength(1 + 101);
  });

  it('tells of a payment that ends at once, after the response', async () => {
    const momo = await startAccount({ settleSeconds: 0 });
    const app = await startWebhook();
    const reference = await start(momo, PAY, {}, withUrl(app.url));
    expect(await read(momo, reference)).toMatchObject({ status: 'SUCCESSFUL' });
    await momo.advance(0);
    expect(JSON.parse(app.calls[0]?.body ?? '')).toMatchObject({ status: 'SUCCESSFUL' });
  });

  it.each([
    'http://localhost:3000/hook',
    'http://127.0.0.1/hook?order=7',
    'https://[::1]:3000/',
    'https://SHOP.example:8443/hook',
    'http://shop.example/hook',
  ])('may go to %s', async (url) => {
    const momo = await startAccount({
      [`apiUsers/${USER}`]: {
        providerCallbackHost: 'https://shop.example:443/any',
        apiKey: API_KEY,
      },
    });
    await start(momo, PAY, {}, withUrl(url));
  });

  it.each(['http://localhost.example/', 'shop.example', 'not a URL', 'http://127.0.0.1.example/'])(
    'may not go to %s',
    async (url) => {
      const momo = await startAccount();
      const sent = { headers: withUrl(url), body: paymentBy(PHONE) };
      expect((await call(momo, PAY, sent)).json).toMatchObject({
        code: 'INVALID_CALLBACK_URL_HOST',
      });
      expect(await momo.state.list('transactions/')).toEqual({});
    },
  );
});

describe('the state', () => {
  it('outcomes overrides test numbers, for a number and for all others', async () => {
    const momo = await startAccount({
      outcomes: { [PHONE]: 'EXPIRED', '46733123450': 'SUCCESSFUL', '*': 'PAYER_LIMIT_REACHED' },
    });
    const ends = {
      [PHONE]: 'EXPIRED',
      '46733123450': 'SUCCESSFUL',
      '46733123451': 'PAYER_LIMIT_REACHED',
    };
    for (const [number, end] of Object.entries(ends)) {
      for (const line of [PAY, TRANSFER, DEPOSIT]) {
        await expectEnd(momo, line, await startBy(momo, line, `+${number}`), `\`${end}\``);
      }
    }
    const refund = await start(momo, REFUND, { referenceIdToRefund: '4' });
    await expectEnd(momo, REFUND, refund, '`PAYER_LIMIT_REACHED`');
  });

  it('outcomes has an end for all others who pay', async () => {
    const momo = await startAccount({ outcomes: { [PHONE]: 'SUCCESSFUL', payer: 'EXPIRED' } });
    const ends = { [PHONE]: 'SUCCESSFUL', '256770000002': 'EXPIRED', '46733123451': 'EXPIRED' };
    for (const line of [PAY, 'POST /collection/v1_0/requesttowithdraw']) {
      for (const [number, end] of Object.entries(ends))
        await expectEnd(momo, line, await startBy(momo, line, number), `\`${end}\``);
    }
    for (const line of [TRANSFER, DEPOSIT])
      await expectEnd(momo, line, await startBy(momo, line, '256770000002'), '`SUCCESSFUL`');
  });

  it.each([
    { testNumbers: '2018', number: '46733123453', seconds: 30, end: 'SUCCESSFUL' },
    { testNumbers: '2018', number: '46733123454', seconds: 60, end: 'PENDING' },
    { testNumbers: 'off', number: '46733123453', seconds: 5, end: 'SUCCESSFUL' },
    { testNumbers: 'off', number: '46733123450', seconds: 5, end: 'SUCCESSFUL' },
  ])(
    'testNumbers $testNumbers ends $number with $end',
    async ({ testNumbers, number, seconds, end }) => {
      const momo = await startAccount({ testNumbers });
      const reference = await startBy(momo, PAY, number);
      await momo.advance(seconds * SECOND - 1);
      expect(await read(momo, reference)).toMatchObject({ status: 'PENDING' });
      await momo.advance(1);
      expect(await read(momo, reference)).toMatchObject({ status: end });
    },
  );

  it('testNumbers off leaves account holders active', async () => {
    const momo = await startAccount({ testNumbers: 'off' });
    const line = 'GET /collection/v1_0/accountholder/msisdn/46733123450/active';
    expect((await call(momo, line)).json).toEqual({ result: true });
  });

  it('ongoing expires ends 46733123453 after 3 minutes', async () => {
    const momo = await startAccount({ ongoing: 'expires' });
    const reference = await startBy(momo, PAY, '46733123453');
    await momo.advance(3 * MINUTE - 1);
    expect(await read(momo, reference)).toMatchObject({ status: 'PENDING' });
    await momo.advance(1);
    expect(await read(momo, reference)).toMatchObject({ status: 'FAILED', reason: 'EXPIRED' });
  });

  it('delayedFirst CREATED skips PENDING', async () => {
    const momo = await startAccount({ delayedFirst: 'CREATED' });
    const reference = await startBy(momo, PAY, '46733123454');
    expect(await read(momo, reference)).toMatchObject({ status: 'CREATED' });
    await momo.advance(25 * SECOND);
    expect(await read(momo, reference)).toMatchObject({ status: 'SUCCESSFUL' });
  });

  it.each([0, 60, 86_400])('settleSeconds %i is the time until the end', async (settleSeconds) => {
    const momo = await startAccount({ settleSeconds, tokenSeconds: 86_400 });
    const ends = { [PHONE]: 'SUCCESSFUL', '46733123450': 'FAILED' };
    for (const [number, status] of Object.entries(ends)) {
      const reference = await startBy(momo, TRANSFER, number);
      if (settleSeconds > 0) {
        await momo.advance(settleSeconds * SECOND - 1);
        expect(await read(momo, reference, TRANSFER)).toMatchObject({ status: 'PENDING' });
        await momo.advance(1);
      }
      expect(await read(momo, reference, TRANSFER)).toMatchObject({ status });
    }
    expect(await balance(momo)).toBe('987.5');
  });

  it('reasonForm object gives reasons a code and a message, in webhooks too', async () => {
    const momo = await startAccount({ reasonForm: 'object', outcomes: { '*': 'PAYER_NOT_FOUND' } });
    const app = await startWebhook();
    const reference = await start(momo, PAY, {}, { 'X-Callback-Url': app.url });
    await momo.advance('idle');
    const reason = { code: 'PAYER_NOT_FOUND', message: 'Payer not found.' };
    expect(await read(momo, reference)).toMatchObject({ status: 'FAILED', reason });
    expect(JSON.parse(app.calls[0]?.body ?? '')).toMatchObject({ reason });
  });

  it('tokens shared lets one token do for all products', async () => {
    const momo = await startAccount({ tokens: 'shared' });
    const headers = { authorization: `Bearer ${await tokenFor(momo, 'collection')}` };
    const line = 'GET /disbursement/v1_0/account/balance';
    expect((await call(momo, line, { headers })).status).toBe(200);
  });

  it('tokenSeconds is how long a token is valid', async () => {
    const momo = await startAccount({ tokenSeconds: 60 });
    const { json } = await sendBare(momo, 'POST /collection/token/', {
      headers: { authorization: basic() },
    });
    const { access_token: token } = json as { access_token: string };
    expect(json).toEqual({
      access_token: expect.stringMatching(/^[\dA-Za-z]{28}$/),
      token_type: 'access_token',
      expires_in: 60,
    });
    const headers = { authorization: `Bearer ${token}` };
    const status = async () =>
      (await call(momo, `GET /collection/v1_0/account/balance`, { headers })).status;
    await momo.advance(60 * SECOND - 1);
    expect(await status()).toBe(200);
    await momo.advance(1);
    expect(await status()).toBe(401);
  });

  it('tokenPath slash redirects the token call without a slash', async () => {
    const momo = await startAccount({ tokenPath: 'slash' });
    const headers = { authorization: basic() };
    const {
      status,
      text,
      headers: got,
    } = await sendBare(momo, 'POST /collection/token', { headers });
    expect([status, text, got.location]).toEqual([302, '', 'https://localhost:8080/token/']);
    expect((await sendBare(momo, 'POST /collection/token/', { headers })).status).toBe(200);
  });

  it('loginFailure 500 refuses wrong credentials as measured in 2020', async () => {
    const momo = await startAccount({ loginFailure: 500 });
    const headers = { authorization: basic('x') };
    const {
      status,
      json,
      headers: got,
    } = await sendBare(momo, 'POST /collection/token/', { headers });
    expect([status, json]).toEqual([500, { error: 'login_failed' }]);
    expect(got).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });

  it('targetEnvironment and currency play a market', async () => {
    const momo = await startAccount({ targetEnvironment: 'mtnuganda', currency: 'UGX' });
    const headers = { 'X-Target-Environment': 'mtnuganda' };
    const pay = async (currency: string) =>
      (await call(momo, PAY, { headers, body: paymentBy(PHONE, { currency }) })).status;
    expect([await pay('UGX'), await pay('EUR')]).toEqual([202, 500]);
    expect((await call(momo, `GET /v1_0/apiuser/${USER}`)).json).toEqual({
      providerCallbackHost: 'localhost',
      targetEnvironment: 'mtnuganda',
    });
  });

  it.each<[name: string, value: unknown, problem: string]>([
    ['outcome', { [PHONE]: 'EXPIRED' }, 'Did you mean "outcomes"?'],
    ['outcomes', { [PHONE]: 'EXPIRE' }, `/outcomes/${PHONE} must be`],
    ['outcomes', { '+256 770': 'EXPIRED' }, '/outcomes must'],
    ['balances/EUR', 5, '/balances/EUR must be string'],
    ['balances/EUR', '5,0', '/balances/EUR must match'],
    ['balance/EUR', '5', 'Did you mean "balances/EUR"?'],
    ['settleSeconds', 86_401, '/settleSeconds must be <= 86400'],
    ['webhooks', 'never', '/webhooks must be'],
    ['apiUsers/ada', {}, 'apiUsers/ada'],
  ])('refuses %s: %j, which would change nothing', async (name, value, problem) => {
    const momo = await startAccount();
    await expect(momo.state.set(name, value)).rejects.toMatchObject({
      code: 'MOMO_MOCK_STATE_INVALID',
      message: expect.stringContaining(problem),
    });
  });

  it('has a schema for each value that the README explains, and the README a row for each', () => {
    const explained = rowsBelow(README, 'Values of the state').map(([cell]) => codesIn(cell)[0]);
    const schema = JSON.parse(readDocument('presets/mtn-momo/fixtures/state.schema.json'));
    const written = ['$schema', 'lastTransactionId', 'transactions'];
    const named = Object.keys(schema.properties);
    const families = Object.keys(schema.patternProperties).map((form) => /\w+/.exec(form)?.[0]);
    const names = [...named, ...families].filter((name) => !written.includes(`${name}`));
    expect(explained.map((name) => name?.split('/')[0]).sort()).toEqual(names.sort());
  });
});

it('the checks have the order of the README', async () => {
  const momo = await startAccount();
  const reference = await start(momo);
  const body = paymentBy(PHONE, { currency: 'UGX' });
  const fixes: [reason: string, fix: { headers?: object; body?: unknown }][] = [
    ['key-missing', { headers: { 'Ocp-Apim-Subscription-Key': 'wrong' } }],
    ['key-unknown', { headers: { 'Ocp-Apim-Subscription-Key': momo.apiKey } }],
    [
      'token-unknown',
      { headers: { authorization: `Bearer ${await tokenFor(momo, 'remittance')}` } },
    ],
    [
      'token-of-another-product',
      { headers: { authorization: `Bearer ${await tokenFor(momo, 'collection')}` } },
    ],
    ['target-environment-wrong', { headers: { 'X-Target-Environment': 'sandbox' } }],
    ['reference-id-invalid', { headers: { 'X-Reference-Id': reference } }],
    ['body-empty', { body: { ...body, amount: 'x' } }],
    ['amount-invalid', { body }],
    ['callback-host-wrong', { headers: { 'X-Callback-Url': 'http://localhost/' } }],
    ['currency-unknown', { body: paymentBy(PHONE) }],
    ['reference-id-repeated', {}],
  ];
  let sent: Sent = {
    headers: { 'Ocp-Apim-Subscription-Key': undefined, 'X-Callback-Url': 'http://a.example/' },
  };
  for (const [reason, fix] of fixes) {
    await sendBare(momo, PAY, sent);
    expect((await mock().requests()).at(-1)).toMatchObject({ reason });
    sent = { ...sent, ...fix, headers: { ...sent.headers, ...fix.headers } };
  }
});

it('a payment that is read as a transfer has the API user as its payee', async () => {
  const momo = await startAccount();
  const reference = await paid(momo);
  const line = `GET /disbursement/v1_0/transfer/${reference.toUpperCase()}`;
  const payee = { partyIdType: 'PARTY_CODE', partyId: USER };
  expect((await call(momo, line)).json).toMatchObject({ status: 'SUCCESSFUL', payee });
});

it('fields that were not sent are left out of the status', async () => {
  const momo = await startAccount();
  const none = { externalId: undefined, payerMessage: undefined, payeeNote: undefined };
  const payer = { partyIdType: 'email', partyId: 'ada@shop.example' };
  const body = await read(momo, await start(momo, PAY, { ...none, payer, payee: undefined }));
  expect(body).toEqual({
    amount: '12.5',
    currency: 'EUR',
    payer: { ...payer, partyIdType: 'EMAIL' },
    status: 'PENDING',
  });
});

it('a new API user logs in with its key, which a new key replaces', async () => {
  const momo = await startAccount();
  const user = crypto.randomUUID();
  const logIn = async (key: string) => {
    const headers = { authorization: basic(user, key) };
    return (await sendBare(momo, 'POST /collection/token/', { headers })).status;
  };
  const sent = {
    headers: { 'X-Reference-Id': user },
    body: { providerCallbackHost: 'shop.example' },
  };
  expect((await sendBare(momo, 'POST /v1_0/apiuser', sent)).status).toBe(201);
  expect((await sendBare(momo, 'POST /v1_0/apiuser', sent)).json).toEqual({
    message: 'Duplicated reference id. Creation of resource failed.',
    code: 'RESOURCE_ALREADY_EXIST',
  });
  const createKey = async () => {
    const { json } = await sendBare(momo, `POST /v1_0/apiuser/${user}/apikey`);
    return (json as { apiKey: string }).apiKey;
  };
  expect(await logIn('undefined')).toBe(401);
  const first = await createKey();
  expect(first).toMatch(/^[\da-f]{32}$/);
  expect(await logIn(first)).toBe(200);
  const second = await createKey();
  expect([await logIn(first), await logIn(second)]).toEqual([401, 200]);
  expect(await logIn(`${second}:`)).toBe(401);
});

it.each([
  { name: 'no credentials', authorization: undefined, hint: 'no Basic credentials' },
  { name: 'an unknown API user', authorization: basic('ada'), hint: 'not an API user' },
  { name: 'a wrong API key', authorization: basic(USER, 'x'), hint: 'not the API key' },
])('a token call with $name has its own hint', async ({ authorization, hint }) => {
  const momo = await startAccount();
  await sendBare(momo, 'POST /collection/token/', { headers: { authorization } });
  const entry = (await momo.requests()).at(-1);
  expect(entry).toMatchObject({
    status: 401,
    reason: 'login-failed',
    hint: expect.stringContaining(hint),
  });
});

it('a wrong subscription key is refused in the words of the gateway', async () => {
  const momo = await startAccount();
  const wrong = { 'Ocp-Apim-Subscription-Key': 'wrong' };
  const { text, headers } = await sendBare(momo, PAY, { headers: wrong });
  expect(text).toBe(
    '{"statusCode":401,"message":"Access denied due to invalid subscription key. Make sure to provide a valid key for an active subscription."}',
  );
  const realm = `https://${new URL(mock().url).host}/collection`;
  expect(headers['www-authenticate']).toBe(
    `AzureApiManagementKey realm="${realm}",name="Ocp-Apim-Subscription-Key",type="header"`,
  );
});

it.each([
  { status: 401, body: undefined },
  { status: 403, body: { statusCode: 403, message: 'Forbidden' } },
  { status: 404, body: { statusCode: 404, message: 'Resource not found' } },
  { status: 409, body: { code: 'RESOURCE_ALREADY_EXIST' } },
  { status: 413, body: { statusCode: 413 } },
  { status: 429, body: { statusCode: 429 } },
  { status: 500, body: { code: 'INTERNAL_PROCESSING_ERROR' } },
  { status: 503, body: { code: 'SERVICE_UNAVAILABLE' } },
])('a $status that a test scripts has the body of the provider', async ({ status, body }) => {
  const momo = await startAccount();
  await momo.respondWith({ operation: PAY, status });
  const response = await call(momo, PAY, { body: paymentBy(PHONE) });
  expect(response.status).toBe(status);
  if (body === undefined) expect(response.text).toBe('');
  else expect(response.json).toMatchObject(body);
});

it('a payment whose response is lost was still made, and its repetition is a 409', async () => {
  const momo = await startAccount();
  const sent = { headers: { 'X-Reference-Id': crypto.randomUUID() }, body: paymentBy(PHONE) };
  await momo.respondWith({ operation: PAY, fault: 'reset' });
  await expect(call(momo, PAY, sent)).rejects.toThrow();
  expect((await call(momo, PAY, sent)).status).toBe(409);
  await momo.advance('idle');
  expect(await read(momo, sent.headers['X-Reference-Id'])).toMatchObject({ status: 'SUCCESSFUL' });
  expect(await balance(momo)).toBe('1012.5');
});

it('a refused payment uses up no reference', async () => {
  const momo = await startAccount();
  const headers = { 'X-Reference-Id': crypto.randomUUID() };
  const refused = await call(momo, PAY, { headers, body: paymentBy(PHONE, { currency: 'UGX' }) });
  expect(refused.status).toBe(500);
  expect((await call(momo, PAY, { headers, body: paymentBy(PHONE) })).status).toBe(202);
});

it('one reference that is used by many requests at once starts one payment', async () => {
  const momo = await startAccount();
  const sent = { headers: { 'X-Reference-Id': crypto.randomUUID() }, body: paymentBy(PHONE) };
  const all = await Promise.all([1, 2, 3].map(() => call(momo, PAY, sent)));
  expect(all.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
});

it('a payment that was pending in a snapshot stays pending', async () => {
  const momo = await startAccount();
  const reference = await start(momo);
  const snapshot = await momo.snapshot();
  await momo.advance('idle');
  expect(await balance(momo)).toBe('1012.5');
  await momo.restore(snapshot);
  await momo.advance('idle');
  expect(await read(momo, reference)).toMatchObject({ status: 'PENDING' });
  expect(await balance(momo)).toBe('1000');
});

it('a payment that a test has ended or deleted stays as it is', async () => {
  const momo = await startAccount();
  const [ended, deleted] = [await start(momo), await start(momo)];
  const change = (before: Fields) => ({ ...before, status: 'FAILED', reason: 'EXPIRED' });
  await momo.state.update(`transactions/${ended}`, change);
  await momo.state.delete(`transactions/${deleted}`);
  await momo.advance('idle');
  expect(await read(momo, ended)).toMatchObject({ status: 'FAILED', reason: 'EXPIRED' });
  expect((await call(momo, statusLine(PAY, deleted))).status).toBe(404);
  expect(await balance(momo)).toBe('1000');
});

it('the ledger lists payments and payouts by their X-Reference-Id', async () => {
  const momo = await startAccount();
  const reference = await start(momo);
  await momo.advance('idle');
  const more = { referenceIdToRefund: reference.toUpperCase(), amount: '2.5' };
  const refund = await start(momo, REFUND, more);
  const failed = await startBy(momo, PAY, '46733123451');
  await momo.advance('idle');
  const open = await start(momo, TRANSFER);
  const common = {
    ...{ of: null, currency: 'EUR', party: PHONE, order: 'order-7', time: expect.any(String) },
  };
  const entries = [
    { ...common, id: reference, kind: 'payment', amount: 12.5, state: 'success' },
    { ...common, id: refund, kind: 'refund', of: reference, amount: 2.5, state: 'success' },
    { ...common, id: failed, kind: 'payment', amount: 12.5, state: 'failed', party: '46733123451' },
    { ...common, id: open, kind: 'payout', amount: 12.5, state: 'pending' },
  ];
  const ledger = await momo.ledger();
  expect(ledger).toHaveLength(entries.length);
  expect(ledger).toEqual(expect.arrayContaining(entries));
});

it('accounts do not see one another', async () => {
  const [momo, other] = [await startAccount(), await startAccount()];
  const reference = await start(momo);
  expect((await call(other, statusLine(PAY, reference))).status).toBe(404);
  const headers = { authorization: `Bearer ${await tokenFor(momo, 'collection')}` };
  const line = 'GET /collection/v1_0/account/balance';
  expect((await call(other, line, { headers })).status).toBe(401);
});

describe('requests of other libraries', () => {
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it.each([
    { name: 'momoapi-python', headers: json, body: '{}' },
    { name: 'mtn-momo-api-php and momoapi-php', headers: json, body: '[]' },
    { name: 'momoapi-ruby', headers: { ...form, 'content-length': '0' }, body: undefined },
    { name: 'mtnmomo-go', headers: json, body: undefined },
    { name: 'laravel-mtn-momo', headers: json, body: '{"grant_type":"client_credentials"}' },
    { name: 'a client with a form', headers: form, body: 'grant_type=client_credentials' },
  ])('get a token as $name does', async ({ headers, body }) => {
    const momo = await startAccount();
    const sent = { headers: { ...headers, authorization: basic() }, body };
    for (const product of ['collection', 'disbursement', 'remittance']) {
      const { status, json } = await sendBare(momo, `POST /${product}/token/`, sent);
      expect([status, Object.keys(json ?? {})]).toEqual([
        200,
        ['access_token', 'token_type', 'expires_in'],
      ]);
    }
  });

  it.each([
    { name: 'momoapi-python', headers: { ...json, 'content-length': '4' }, body: 'null' },
    { name: 'mtn-momo-api-php', headers: { ...json, 'content-length': '2' }, body: '[]' },
    { name: 'momoapi-ruby', headers: json, body: undefined },
  ])('read as $name does', async ({ headers, body }) => {
    const momo = await startAccount();
    const reference = await paid(momo);
    const paths = [
      statusLine(PAY, reference),
      'GET /collection/v1_0/account/balance',
      `GET /collection/v1_0/accountholder/MSISDN/${PHONE}/active`,
      `GET /remittance/v1_0/accountholder/msisdn/${PHONE}/basicuserinfo`,
    ];
    for (const path of paths) expect((await call(momo, path, { headers, body })).status).toBe(200);
  });

  it.each([
    { name: 'mtnmomo-go', headers: json, body: undefined },
    { name: 'momoapi-python', headers: json, body: '{}' },
    { name: 'mtn-momo-api-php', headers: json, body: '[]' },
  ])('create an API key as $name does', async ({ headers, body }) => {
    const momo = await startAccount();
    const line = `POST /v1_0/apiuser/${USER}/apikey`;
    expect((await sendBare(momo, line, { headers, body })).status).toBe(201);
  });

  it.each([
    {
      name: 'numbers for texts',
      more: {
        amount: 5,
        externalId: 12345678901234567890n,
        payer: { partyIdType: 'MSISDN', partyId: 256770000001 },
      },
    },
    { name: 'empty texts', more: { externalId: '', payerMessage: '', payeeNote: '' } },
    { name: 'a plus', more: { payer: { partyIdType: 'MSISDN', partyId: '+256770000001' } } },
    { name: 'a local number', more: { payer: { partyIdType: 'msisdn', partyId: '0248888736' } } },
    { name: 'a party code', more: { payer: { partyIdType: 'PARTY_CODE', partyId: USER } } },
    { name: 'nulls', more: { externalId: null, payerMessage: null } },
  ])('pay with $name', async ({ more }) => {
    const momo = await startAccount();
    const body = JSON.stringify(paymentBy(PHONE, more), (_, value) =>
      typeof value === 'bigint' ? `#${value}` : value,
    ).replace(/"#(\d+)"/, '$1');
    const reference = crypto.randomUUID();
    const headers = { ...json, 'X-Reference-Id': reference };
    expect((await call(momo, PAY, { headers, body })).status).toBe(202);
    const { externalId } = await read(momo, reference);
    if (typeof more.externalId === 'bigint') expect(externalId).toBe('12345678901234567890');
  });
});

describe('hostile values', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
  const VALUES = [
    ...[
      'null',
      'true',
      '0',
      '-0',
      '1e-320',
      '1e300',
      '1e400',
      '""',
      '" "',
      '"-0"',
      '"1e5"',
      '"0x10"',
    ],
    ...['[]', '[[]]', '{}', nested(90), '{"toString":1}', '{"valueOf":1,"toString":null}'],
    ...['"__proto__"', '"constructor"', '"\\u0000"', '"\\ud800"', '"\\u202e"', '"../../x"'],
    ...[`"${'9'.repeat(31)}"`, `"${'9'.repeat(400)}"`, `"${'x'.repeat(600_000)}"`],
    ...[
      '{"partyIdType":{"toString":1},"partyId":"1"}',
      '{"partyIdType":"__proto__","partyId":"x"}',
    ],
    ...['{"partyIdType":"MSISDN","partyId":1e400}', '{"partyIdType":"EMAIL","partyId":"@"}'],
    `{"partyIdType":"EMAIL","partyId":"${'e'.repeat(64)}@${'e'.repeat(190)}"}`,
  ];
  const SHARED = ['amount', 'currency', 'externalId', 'payerMessage', '__proto__', 'toString'];

  it.each([
    { line: PAY, fields: [...SHARED, 'payer'] },
    { line: REFUND, fields: [...SHARED, 'referenceIdToRefund'] },
    { line: 'POST /v1_0/apiuser', fields: ['providerCallbackHost', '__proto__'] },
  ])('make no handler of $line fail', async ({ line, fields }) => {
    const momo = await startAccount({ currency: 'any', outcomes: { '*': 'ask' } });
    const more = { referenceIdToRefund: '1', providerCallbackHost: 'a' };
    const good = JSON.stringify(paymentBy(PHONE, more));
    const product = productOf(line) ?? 'collection';
    const authorization = `Bearer ${await tokenFor(momo, product)}`;
    for (const name of fields) {
      for (const value of VALUES) {
        const body = `${good.slice(0, -1)},"${name}":${value}}`;
        const reference = { 'X-Reference-Id': crypto.randomUUID() };
        const headers = { ...reference, authorization, 'content-type': 'application/json' };
        await call(momo, line, { headers, body });
      }
    }
    await momo.advance('idle');
    await momo.advance(5 * MINUTE);
    expect(await momo.requests({ reason: 'handler-failed' })).toEqual([]);
    expect(await momo.requests({ status: 500, reason: 'body-empty' })).toEqual([]);
  });

  it.each(['x'.repeat(600), '%00', '..%2f', '__proto__', '%F0%9F%92%A9', 'constructor'])(
    'in paths and headers make no handler fail: %s',
    async (value) => {
      const momo = await startAccount({ currency: 'any' });
      const lines = [
        `GET /v1_0/apiuser/${value}`,
        `POST /v1_0/apiuser/${value}/apikey`,
        `GET /collection/v1_0/requesttopay/${value}`,
        `GET /collection/v1_0/account/balance/${value}`,
        `GET /collection/v1_0/accountholder/${value}/${value}/active`,
        `GET /collection/v1_0/accountholder/${value}/${value}@email.com/active`,
        `GET /collection/v1_0/accountholder/${value}/${value}/basicuserinfo`,
      ];
      for (const line of lines) await call(momo, line);
      const headers = {
        'X-Reference-Id': value,
        'X-Callback-Url': `http://localhost/${value}`,
        'X-Target-Environment': value,
      };
      for (const [name, text] of Object.entries(headers)) {
        await call(momo, PAY, { headers: { [name]: text }, body: paymentBy(PHONE) });
      }
      for (const authorization of [`Basic ${value}`, basic(value), `Bearer ${value}`, value]) {
        await sendBare(momo, 'POST /collection/token', { headers: { authorization } });
        await call(momo, PAY, { headers: { authorization }, body: {} });
      }
      await momo.advance('idle');
      expect(await momo.requests({ reason: 'handler-failed' })).toEqual([]);
      expect((await momo.requests()).every(({ status }) => status !== null)).toBe(true);
    },
  );
});
