import { readFileSync } from 'node:fs';
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
  const all = {
    ...(product && { authorization: `Bearer ${await tokenFor(momo, product)}` }),
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
  const numbers = rows.filter(([cell = '']) => /^`467331234\d\d`$/.test(cell) && rows.length > 0);
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
