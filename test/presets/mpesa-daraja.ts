import { type ReceivedResponse, send } from '../support/client.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import type { MomoAccount } from '../support/momo-mock.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

export const SHORTCODE = '174379';
export const PHONE = '254712345678';
export const TEST_PHONE = '254708374149';
export const PASSKEY = 'a passkey';
const TIMESTAMP = '20240706224852';
const URL = 'http://127.0.0.1:9';

export type Body = Readonly<Record<string, unknown>>;

export function passwordOf(shortcode: string, stamp = TIMESTAMP, passkey = PASSKEY): string {
  return Buffer.from(`${shortcode}${passkey}${stamp}`).toString('base64');
}

const SIGNED = {
  BusinessShortCode: SHORTCODE,
  Password: passwordOf(SHORTCODE),
  Timestamp: TIMESTAMP,
};
const COMMAND = {
  Initiator: 'testapi',
  SecurityCredential: 'c2VjcmV0',
  Remarks: 'OK',
  QueueTimeOutURL: `${URL}/timeout`,
  ResultURL: `${URL}/result`,
};
const B2C = {
  ...COMMAND,
  InitiatorName: 'testapi',
  CommandID: 'BusinessPayment',
  Amount: 10,
  PartyA: '600996',
  PartyB: PHONE,
};

/** Each operation, with a body that it accepts. */
export const CALLS = {
  push: [
    '/mpesa/stkpush/v1/processrequest',
    {
      ...SIGNED,
      TransactionType: 'CustomerPayBillOnline',
      Amount: 1,
      PartyA: PHONE,
      PartyB: SHORTCODE,
      PhoneNumber: PHONE,
      CallBackURL: `${URL}/callback`,
      AccountReference: 'A1',
      TransactionDesc: 'Order A1',
    },
  ],
  query: ['/mpesa/stkpushquery/v1/query', { ...SIGNED, CheckoutRequestID: 'ws_CO_1' }],
  register: [
    '/mpesa/c2b/v1/registerurl',
    {
      ShortCode: '600984',
      ResponseType: 'Completed',
      ConfirmationURL: `${URL}/confirmation`,
      ValidationURL: `${URL}/validation`,
    },
  ],
  simulate: [
    '/mpesa/c2b/v1/simulate',
    {
      ShortCode: '600984',
      CommandID: 'CustomerPayBillOnline',
      Amount: '5',
      Msisdn: PHONE,
      BillRefNumber: 'A1',
    },
  ],
  b2c: ['/mpesa/b2c/v1/paymentrequest', B2C],
  b2c3: ['/mpesa/b2c/v3/paymentrequest', { ...B2C, OriginatorConversationID: 'refund-1' }],
  b2b: [
    '/mpesa/b2b/v1/paymentrequest',
    {
      ...COMMAND,
      CommandID: 'BusinessPayBill',
      SenderIdentifierType: '4',
      RecieverIdentifierType: '4',
      Amount: '239',
      PartyA: '600996',
      PartyB: '600000',
      AccountReference: '353353',
    },
  ],
  balance: [
    '/mpesa/accountbalance/v1/query',
    { ...COMMAND, CommandID: 'AccountBalance', PartyA: '600000', IdentifierType: '4' },
  ],
  status: [
    '/mpesa/transactionstatus/v1/query',
    {
      ...COMMAND,
      CommandID: 'TransactionStatusQuery',
      TransactionID: 'NEF61H8J60',
      PartyA: '600782',
      IdentifierType: '4',
    },
  ],
  reversal: [
    '/mpesa/reversal/v1/request',
    {
      ...COMMAND,
      CommandID: 'TransactionReversal',
      TransactionID: 'PDU91HIVIT',
      Amount: '1',
      ReceiverParty: SHORTCODE,
      RecieverIdentifierType: '11',
    },
  ],
} as const satisfies Record<string, readonly [path: string, body: Body]>;

export type Call = keyof typeof CALLS;

/** An account of the preset, whose clock stands still. */
export async function startAccount(
  state: Body = {},
  options: Parameters<typeof startMock>[1] = {},
): Promise<MomoAccount> {
  const mock = await startMock({}, { preset: 'mpesa-daraja', ...options });
  const account = await mock.createAccount({ state });
  await account.freeze();
  mocks.set(account, mock);
  return account;
}

const mocks = new WeakMap<MomoAccount, TestMock>();

export function mockOf(account: MomoAccount): TestMock {
  return mocks.get(account) as TestMock;
}

export async function generate(
  momo: MomoAccount,
  key = momo.apiKey,
  query = '?grant_type=client_credentials',
): Promise<ReceivedResponse> {
  const authorization = `Basic ${Buffer.from(`${key}:secret`).toString('base64')}`;
  return await send(momo, `/oauth/v1/generate${query}`, { headers: { authorization } });
}

const tokens = new WeakMap<MomoAccount, Promise<string>>();

/** The first token of an account. */
export function tokenOf(momo: MomoAccount): Promise<string> {
  const token = tokens.get(momo) ?? generate(momo).then(({ json }) => textOf(json, 'access_token'));
  tokens.set(momo, token);
  return token;
}

/** Calls an operation, with changes to its accepted body; `undefined` leaves a field out. */
export async function call(
  momo: MomoAccount,
  name: Call,
  changes: Body = {},
  token?: string,
): Promise<ReceivedResponse> {
  const [path, body] = CALLS[name];
  return await post(momo, path, { ...body, ...changes }, token);
}

export async function post(
  momo: MomoAccount,
  path: string,
  body: unknown,
  token?: string,
): Promise<ReceivedResponse> {
  const authorization = `Bearer ${token ?? (await tokenOf(momo))}`;
  return await send(momo, path, { method: 'POST', body, headers: { authorization } });
}

export const textOf = (json: unknown, name: string) => `${(json as Body)[name]}`;

/** Starts a push, and returns its CheckoutRequestID. */
export async function push(momo: MomoAccount, changes: Body = {}): Promise<string> {
  return textOf((await call(momo, 'push', changes)).json, 'CheckoutRequestID');
}

export async function query(momo: MomoAccount, CheckoutRequestID: string): Promise<Body> {
  return (await call(momo, 'query', { CheckoutRequestID })).json as Body;
}

/** What an application has received, as JSON. It ends what is pending first. */
export async function received(momo: MomoAccount, app: Webhook): Promise<Body[]> {
  await momo.advance('idle');
  return app.calls.map(({ body }) => JSON.parse(body));
}

/** Starts a push and ends it, and returns what is in its callback. */
export async function callback(momo: MomoAccount, changes: Body = {}): Promise<Body> {
  const app = await startWebhook();
  await push(momo, { CallBackURL: app.url, ...changes });
  const [first] = (await received(momo, app)) as [{ Body: { stkCallback: Body } }];
  return first.Body.stkCallback;
}

/** Calls an operation that has a result, and returns what is in it. */
export async function result(momo: MomoAccount, name: Call, changes: Body = {}): Promise<Body> {
  const app = await startWebhook();
  await call(momo, name, { ResultURL: app.url, ...changes });
  const [first] = (await received(momo, app)) as [{ Result: Body }];
  return first.Result;
}
