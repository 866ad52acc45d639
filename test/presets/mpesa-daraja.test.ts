import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readDocument, rowsBelow } from '../docs/documents.ts';
import { control, type ReceivedResponse, send } from '../support/client.ts';
import { startLogged, startMock } from '../support/mock.ts';
import type { MomoAccount } from '../support/momo-mock.ts';
import { startWebhook } from '../support/webhook.ts';
import {
  type Body,
  CALLS,
  type Call,
  call,
  callback,
  generate,
  mockOf,
  PASSKEY,
  PHONE,
  passwordOf,
  post,
  push,
  query,
  received,
  result,
  SHORTCODE,
  startAccount,
  TEST_PHONE,
  textOf,
  tokenOf,
} from './mpesa-daraja.ts';

const FOLDER = 'presets/mpesa-daraja/fixtures';
const README = readDocument(`${FOLDER}/README.md`);
const codeIn = (cell = '') => cell.replaceAll('`', '');
/** As the state and callbacks have it: most are numbers. */
const resultCode = (code: string) => (/^\d+$/.test(code) ? Number(code) : code);
const balance = async (momo: MomoAccount, shortcode: string) =>
  await momo.state.get(`balances/${shortcode}`);

const keyOf = (code = '', text = '', when = '') => `${codeIn(code)} ${text}: ${codeIn(when)}`;

/** A push that was paid. */
async function paid(
  momo: MomoAccount,
  changes: Body = {},
): Promise<{ id: string; receipt: string }> {
  const id = await push(momo, changes);
  await momo.advance('idle');
  return { id, receipt: (await momo.state.get(`pushes/${id}`)).receipt };
}

/** Requests without a valid key are in the mock's journal only. */
const lastRequests = new WeakMap<MomoAccount, () => Promise<readonly Entry[]>>();
type Entry = Awaited<ReturnType<MomoAccount['requests']>>[number];

/** By value of the state, a test of what the README says. */
const STATE_WALKS: Record<string, () => Promise<void>> = {
  async outcomes() {
    const outcomes = { [PHONE]: 1032, '*': 1, '254700000001': 'SFC_IC0003' };
    const momo = await startAccount({ outcomes });
    const codeOf = async (phone: string) =>
      (await callback(momo, { PhoneNumber: phone })).ResultCode;
    expect(await codeOf(PHONE)).toBe(1032);
    expect(await codeOf('254700000001')).toBe('SFC_IC0003');
    expect(await codeOf('254700000002')).toBe(1);
    expect(await codeOf(TEST_PHONE)).toBe(1);
    expect(await result(momo, 'b2c')).toMatchObject({ ResultCode: 1032 });
    await momo.state.set('outcomes', { [TEST_PHONE]: 0, payer: 17, '*': 1 });
    expect(await codeOf(TEST_PHONE)).toBe(0);
    expect(await codeOf(PHONE)).toBe(17);
    expect(await result(momo, 'b2c')).toMatchObject({ ResultCode: 1 });
    await momo.state.set('outcomes', { payer: 17 });
    expect(await result(momo, 'b2c')).toMatchObject({ ResultCode: 0 });
    await expect(momo.state.set('outcomes', { '0712345678': 1 })).rejects.toThrow('outcomes');
    for (const code of ['1032', 'cancel', 'Ask']) {
      await expect(momo.state.set('outcomes', { [PHONE]: code })).rejects.toThrow(
        `/outcomes/${PHONE} must be integer; /outcomes/${PHONE} must be equal to one of the allowed values (["ask",`,
      );
    }
    await expect(momo.state.set('outcome', {})).rejects.toThrow('Did you mean "outcomes"?');
  },
  async sandboxNumbers() {
    const momo = await startAccount({ sandboxNumbers: { [PHONE]: 17 } });
    expect(await callback(momo)).toMatchObject({ ResultCode: 17 });
    const { ResultCode } = await callback(momo, { PhoneNumber: TEST_PHONE });
    expect(ResultCode).toBe(0);
  },
  async results() {
    const momo = await startAccount({ results: { balance: 21, b2c: 2001 } });
    expect(await result(momo, 'balance')).toMatchObject({ ResultCode: 21 });
    expect(await result(momo, 'b2c')).toMatchObject({ ResultCode: 2001 });
    expect(await balance(momo, '600996')).toMatchObject({ utility: '200000.00' });
    await momo.state.set('outcomes', { [PHONE]: 2040 });
    expect(await result(momo, 'b2c')).toMatchObject({ ResultCode: 2040 });
  },
  async facts() {
    const momo = await startAccount();
    const { json: token } = await generate(momo);
    expect(token).toMatchObject({ expires_in: '3599' });
    const id = await push(momo, {
      AccountReference: 'fifteen letters',
      TransactionDesc: 'x'.repeat(20),
    });
    expect(await query(momo, id)).toMatchObject({
      ResponseDescription: 'The service request has been accepted successsfully',
    });
    await momo.state.set('facts', 'documented');
    expect((await generate(momo)).json).toMatchObject({ expires_in: 3599 });
    expect(await query(momo, await push(momo, { TransactionDesc: undefined }))).toMatchObject({
      ResponseDescription: 'The service request has been accepted successfully',
    });
    for (const name of ['AccountReference', 'TransactionDesc']) {
      const errorMessage = `Bad Request - Invalid ${name}`;
      const { json } = await call(momo, 'push', { [name]: 'x'.repeat(14) });
      expect(json).toMatchObject({ errorCode: '400.002.02', errorMessage });
    }
  },
  async pending() {
    const momo = await startAccount();
    const id = await push(momo);
    const pending = { ResultCode: '4999', ResultDesc: 'The transaction is still under processing' };
    expect(await query(momo, id)).toMatchObject(pending);
    await momo.state.set('pending', '500.001.1001');
    expect(await query(momo, id)).toMatchObject({ errorCode: '500.001.1001' });
    await momo.advance('idle');
    expect(await query(momo, id)).toMatchObject({ ResultCode: '0' });
  },
  paySeconds: () => endsAfter('paySeconds', [5, 86_400], {}),
  silenceSeconds: async () => {
    await endsAfter('silenceSeconds', [26, 86_400], { [PHONE]: 1037 });
    await endsAfter('silenceSeconds', [26, 86_400], { [PHONE]: 1019 });
  },
  askSeconds: () => endsAfter('askSeconds', [60, 120], { '*': 'ask' }),
  async resultSeconds() {
    const momo = await startAccount();
    for (const seconds of [2, 0, 120]) {
      await momo.state.set('resultSeconds', seconds);
      const app = await startWebhook();
      await call(momo, 'balance', { ResultURL: app.url });
      if (seconds > 0) await momo.advance(seconds * 1000 - 1);
      expect(app.calls).toHaveLength(0);
      await momo.advance(1);
      expect(app.calls).toHaveLength(1);
    }
  },
  async tokenSeconds() {
    const momo = await startAccount({ tokenSeconds: 10 });
    const { json } = await generate(momo);
    expect(json).toMatchObject({ expires_in: '10' });
    const token = textOf(json, 'access_token');
    await momo.advance(9_999);
    expect(await call(momo, 'push', {}, token)).toMatchObject({ status: 200 });
    await momo.advance(1);
    expect(await call(momo, 'push', {}, token)).toMatchObject({ status: 404 });
  },
  async oneToken() {
    const momo = await startAccount();
    const first = textOf((await generate(momo)).json, 'access_token');
    const second = textOf((await generate(momo)).json, 'access_token');
    const statuses = async () => [
      (await call(momo, 'push', {}, first)).status,
      (await call(momo, 'push', {}, second)).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await momo.state.set('oneToken', true);
    expect(await statuses()).toEqual([404, 200]);
  },
  async lockSubscriber() {
    const momo = await startAccount({ lockSubscriber: true, silenceSeconds: 120 });
    const other = { PhoneNumber: TEST_PHONE, PartyA: TEST_PHONE };
    const statusOf = async (changes: Body) => (await call(momo, 'push', changes)).status;
    expect([await statusOf(other), await statusOf(other), await statusOf({})]).toEqual([
      200, 500, 200,
    ]);
    await momo.advance(59_999);
    expect(await statusOf(other)).toBe(500);
    await momo.advance(1);
    expect([await statusOf(other), await statusOf({})]).toEqual([200, 200]);
  },
  async registerOnce() {
    const momo = await startAccount({ registerOnce: true });
    expect(await call(momo, 'register')).toMatchObject({ status: 200 });
    expect(await call(momo, 'register')).toMatchObject({ status: 500 });
    expect(await call(momo, 'register', { ShortCode: '600985' })).toMatchObject({ status: 200 });
  },
  async externalValidation() {
    const momo = await startAccount({ externalValidation: true }, { control: true });
    for (const { reply, responseType = 'Completed', isPaid } of [
      {
        reply: '{"ResultCode":"0","ResultDesc":"Accepted","ThirdPartyTransID":"T1"}',
        isPaid: true,
      },
      { reply: '{"ResultCode":0}', responseType: 'Cancelled', isPaid: true },
      { reply: '{"ResultCode":"C2B00012","ResultDesc":"Rejected"}', isPaid: false },
      { reply: 'no JSON', isPaid: true },
      { reply: 'no JSON', responseType: 'Cancelled', isPaid: false },
    ]) {
      const app = await startWebhook((_request, response) => response.end(reply));
      const confirmation = await startWebhook();
      const urls = { ValidationURL: app.url, ConfirmationURL: confirmation.url };
      await call(momo, 'register', { ...urls, ResponseType: responseType });
      const before = (await balance(momo, '600984'))?.utility ?? '200000.00';
      await call(momo, 'simulate');
      await momo.advance('idle');
      const [asked] = app.calls.map(({ body }) => JSON.parse(body));
      expect(asked).toMatchObject({ TransAmount: '5.00', OrgAccountBalance: '', MSISDN: PHONE });
      const utility = isPaid ? `${Number(before) + 5}.00` : before;
      expect(await balance(momo, '600984')).toMatchObject({ utility });
      const ThirdPartyTransID = reply.includes('T1') ? 'T1' : '';
      const notice = { TransID: asked.TransID, OrgAccountBalance: utility, ThirdPartyTransID };
      const notices = confirmation.calls.map(({ body }) => JSON.parse(body));
      expect(notices).toEqual(isPaid ? [expect.objectContaining(notice)] : []);
    }
    const { controlUrl } = mockOf(momo);
    for (const url of ['http://application.example/validation', `${controlUrl}/reset`]) {
      await call(momo, 'register', { ValidationURL: url, ResponseType: 'Cancelled' });
      await call(momo, 'simulate');
      await momo.advance('idle');
      await momo.verifyWebhooks({ url, reason: 'host-not-allowed', times: 1 });
    }
    const statuses = Object.values(await momo.state.list('transactions/')).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([
      ...['Completed', 'Completed', 'Completed'],
      ...['Declined', 'Declined', 'Declined', 'Declined'],
    ]);
  },
  async queueTimeOut() {
    const momo = await startAccount({ queueTimeOut: true });
    for (const name of ['b2c', 'b2b', 'balance', 'status', 'reversal'] as const) {
      const [results, timeouts] = [await startWebhook(), await startWebhook()];
      await call(momo, name, { ResultURL: results.url, QueueTimeOutURL: timeouts.url });
      const [{ Result }] = (await received(momo, timeouts)) as [{ Result: Body }];
      expect(results.calls).toEqual([]);
      expect(Result).toMatchObject({ ConversationID: expect.stringMatching(/^AG_\d{8}_/) });
      expect(Number(Result.ResultCode)).toBe(1);
      expect(Result).not.toHaveProperty('TransactionID');
    }
    expect(await balance(momo, '600996')).toEqual({ working: '700000.00', utility: '200000.00' });
  },
  async balanceItem() {
    const momo = await startAccount({ balanceItem: true });
    const { CallbackMetadata } = await callback(momo);
    const { Item } = CallbackMetadata as { Item: Body[] };
    expect(Item.map(({ Name }) => Name)).toEqual([
      'Amount',
      'MpesaReceiptNumber',
      'Balance',
      'TransactionDate',
      'PhoneNumber',
    ]);
    expect(Item[2]).toEqual({ Name: 'Balance' });
  },
  async texts() {
    const usual = 'The service request is processed successfully.';
    for (const [texts, wordings] of Object.entries({
      one: [usual, usual, usual, usual],
      varied: ['Completed.', 'The payment has been received.', usual, 'Completed.'],
    })) {
      const momo = await startAccount({ texts });
      const app = await startWebhook();
      for (const ResultDesc of wordings) {
        const id = await push(momo, { CallBackURL: app.url });
        expect((await received(momo, app)).at(-1)).toMatchObject({
          Body: { stkCallback: { CheckoutRequestID: id, ResultCode: 0, ResultDesc } },
        });
        for (const _ of [1, 2])
          expect(await query(momo, id)).toMatchObject({ ResultCode: '0', ResultDesc });
      }
      // A webhook of another push does not change those before.
      const [first] = Object.keys(await momo.state.list('pushes/'));
      const again = await query(momo, `${first?.slice('pushes/'.length)}`);
      expect(again).toMatchObject({ ResultDesc: wordings[0] });
    }
  },
  async passkeys() {
    const momo = await startAccount({ passkeys: { [SHORTCODE]: PASSKEY } });
    expect(await call(momo, 'push')).toMatchObject({ status: 200 });
    const Password = passwordOf(SHORTCODE, undefined, 'another');
    expect((await call(momo, 'push', { Password })).json).toMatchObject({
      errorMessage: 'Wrong credentials',
    });
    const other = { BusinessShortCode: '600000', Password: passwordOf('600000') };
    expect((await call(momo, 'push', other)).json).toMatchObject({
      errorMessage: 'Merchant does not exist',
    });
  },
  async openingBalance() {
    const momo = await startAccount({ openingBalance: { working: '0.50', utility: '9.50' } });
    expect(await result(momo, 'b2c')).toMatchObject({ ResultCode: 1 });
    expect(await result(momo, 'b2c', { Amount: '9' })).toMatchObject({ ResultCode: 0 });
    expect(await balance(momo, '600996')).toEqual({ working: '0.50', utility: '0.50' });
  },
};

/** A push ends by the account's clock, exactly when the state says so. */
async function endsAfter(
  name: string,
  [usual, most]: readonly [usual: number, most: number],
  outcomes: Body,
): Promise<void> {
  const momo = await startAccount({ outcomes });
  // A query would need a token, which is valid for a shorter time.
  const codeOf = async (id: string) => (await momo.state.get(`pushes/${id}`)).resultCode;
  for (const wait of [usual, 1, most]) {
    await momo.state.set(name, wait);
    const id = await push(momo);
    await momo.advance(wait * 1000 - 1);
    expect(await codeOf(id)).toBe(4999);
    await momo.advance(1);
    expect(await codeOf(id)).not.toBe(4999);
  }
  await expect(momo.state.set(name, most + 1)).rejects.toThrow(name);
}

const invalid = (name: Call, field: string, value: unknown) => (momo: MomoAccount) =>
  call(momo, name, { [field]: value });
const missing = (name: Call, field: string) => invalid(name, field, undefined);
const POST = { method: 'POST', body: '{}' };
const PATH = CALLS.push[0];

/** Keeps a look at the mock's journal, for a request without an account. */
async function ofMock(
  momo: MomoAccount,
  response: Promise<ReceivedResponse>,
): Promise<ReceivedResponse> {
  lastRequests.set(momo, async () => (await mockOf(momo).requests()).slice(-1));
  return await response;
}

const ERRORS: Record<string, (momo: MomoAccount) => Promise<ReceivedResponse>> = {
  'none an empty body: token: the consumer key is unknown': async (momo) => {
    const response = await ofMock(momo, generate(momo, 'wrong'));
    expect(response.text).toBe('');
    return response;
  },
  '400.008.01 Invalid Authentication passed: token: the request is not Basic': (momo) =>
    ofMock(momo, send(momo, '/oauth/v1/generate?grant_type=client_credentials')),
  '400.008.02 Invalid grant type passed: token: grant_type is not client_credentials': (momo) =>
    generate(momo, momo.apiKey, '?grant_type=password'),
  '404.001.03 Invalid Access Token: the token is unknown': async (momo) => {
    const basic = { authorization: `Basic ${Buffer.from(`${momo.apiKey}:x`).toString('base64')}` };
    for (const headers of [basic, { authorization: 'Bearer wrong' }]) {
      const response = await send(momo, PATH, { ...POST, headers });
      expect(response).toMatchObject({ status: 404, json: { errorCode: '404.001.03' } });
    }
    return await ofMock(momo, call(momo, 'push', {}, 'wrong'));
  },
  '404.001.04 Invalid Authentication Header: the header Authorization is missing': (momo) =>
    ofMock(momo, send(momo, PATH, POST)),
  '404.001.03 Invalid Access Token: the token has expired': async (momo) => {
    await tokenOf(momo);
    await momo.advance(3_599_000);
    const response = await call(momo, 'push');
    // As an expired token is known, the request is in the journal of its account.
    expect((await momo.requests()).at(-1)).toMatchObject({ reason: 'token-expired' });
    return response;
  },
  '404.001.03 Invalid Access Token: a newer token has replaced it (oneToken)': async (momo) => {
    await momo.state.set('oneToken', true);
    await tokenOf(momo);
    await generate(momo);
    return await call(momo, 'push');
  },
  'none a gateway fault, ApplicationNotFound: the path is unknown': async (momo) => {
    const response = await post(momo, '/mpesa/stkpush/v9/processrequest', {});
    expect(response.json).toMatchObject({
      fault: {
        faultstring: expect.stringMatching(
          /^Unable to identify proxy for host: .+ and url: \/mpesa/,
        ),
        detail: { errorcode: 'messaging.adaptors.http.flow.ApplicationNotFound' },
      },
    });
    return response;
  },
  '405.001 GET Method Not Allowed: the method is not POST': async (momo) =>
    await send(momo, PATH, { headers: { authorization: `Bearer ${await tokenOf(momo)}` } }),
  '404.001.04 Invalid Authentication Header: C2B: the method is not POST': async (momo) =>
    await send(momo, CALLS.register[0], {
      headers: { authorization: `Bearer ${await tokenOf(momo)}` },
    }),
  '400.002.05 Invalid Request Payload: the body is not a JSON object': async (momo) => {
    for (const body of ['', '[]', '{"Amount":1', 'Amount=1', '"x"']) {
      const response = await post(momo, PATH, body);
      expect([body, response.json]).toMatchObject([body, { errorCode: '400.002.05' }]);
    }
    for (const body of ['null', '1', '"x"', '[]']) {
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${await tokenOf(momo)}`,
      };
      const response = await send(momo, PATH, { method: 'POST', body, headers });
      expect([body, response.json]).toMatchObject([body, { errorCode: '400.002.05' }]);
    }
    return await post(momo, PATH, '[]');
  },
  '400.003.02 Bad Request: C2B, status: a field is missing': async (momo) => {
    expect(await missing('status', 'TransactionID')(momo)).toMatchObject({ status: 400 });
    return await missing('register', 'ShortCode')(momo);
  },
  '400.002.02 Bad Request - Invalid BusinessShortCode: it is not 5 or 6 digits': async (momo) => {
    for (const BusinessShortCode of ['1743790', 1743, 'abc', '17437 9']) {
      const { json } = await call(momo, 'push', { BusinessShortCode });
      expect(json).toMatchObject({ errorCode: '400.002.02' });
    }
    return await invalid('query', 'BusinessShortCode', '1')(momo);
  },
  '400.002.02 Bad Request - Invalid Password: it is missing': missing('push', 'Password'),
  '400.002.02 Bad Request - Invalid Timestamp: it is not a time as YYYYMMDDHHmmss': invalid(
    'push',
    'Timestamp',
    '2024-07-06 22:48',
  ),
  '400.002.02 Bad Request - Invalid TransactionType: it is not one of the two': invalid(
    'push',
    'TransactionType',
    'Order A1',
  ),
  '400.002.02 Bad Request - Invalid Amount: it is not in whole shillings, or below 1': async (
    momo,
  ) => {
    for (const name of ['push', 'simulate', 'b2c', 'b2b', 'reversal'] as const) {
      for (const Amount of [0, '0', 1.5, '1.00', -1, '1,000', 1e15, '']) {
        if (Amount === '' && name === 'simulate') continue;
        const { json } = await call(momo, name, { Amount });
        const errorMessage = 'Bad Request - Invalid Amount';
        expect([name, Amount, json]).toMatchObject([name, Amount, { errorMessage }]);
      }
    }
    return await invalid('push', 'Amount', 0)(momo);
  },
  '400.002.02 Bad Request - Invalid PhoneNumber: it is not 254 and nine digits': async (momo) => {
    for (const PhoneNumber of ['0712345678', '+254712345678', 25471234567, '2547123456789']) {
      const { json } = await call(momo, 'push', { PhoneNumber });
      expect(json).toMatchObject({ errorMessage: 'Bad Request - Invalid PhoneNumber' });
    }
    return await invalid('push', 'PhoneNumber', '0712345678')(momo);
  },
  '400.002.02 Bad Request - Invalid PartyA: it is not such a phone number; in B2C and B2B, not a shortcode':
    async (momo) => {
      const errorMessage = 'Bad Request - Invalid PartyA';
      for (const name of ['b2c', 'b2b', 'balance'] as const) {
        expect((await call(momo, name, { PartyA: PHONE })).json).toMatchObject({ errorMessage });
      }
      return await invalid('push', 'PartyA', SHORTCODE)(momo);
    },
  '400.002.02 Bad Request - Invalid PartyB: it is not a paybill or till; in B2C, not a phone number':
    async (momo) => {
      const errorMessage = 'Bad Request - Invalid PartyB';
      expect((await call(momo, 'b2c', { PartyB: SHORTCODE })).json).toMatchObject({ errorMessage });
      expect((await call(momo, 'b2b', { PartyB: PHONE })).json).toMatchObject({ errorMessage });
      return await invalid('push', 'PartyB', PHONE)(momo);
    },
  '400.002.02 Bad Request - Invalid CallBackURL: it is not a URL, or has < or >': async (momo) => {
    for (const CallBackURL of [
      '/callback',
      'ftp://localhost/',
      'https://',
      'https://a.example/<id>',
    ]) {
      const { json } = await call(momo, 'push', { CallBackURL });
      expect(json).toMatchObject({ errorMessage: 'Bad Request - Invalid CallBackURL' });
    }
    const unknown = { CallBackURL: 'https://nowhere.invalid/callback' };
    expect(await call(momo, 'push', unknown)).toMatchObject({ status: 200 });
    return await invalid('push', 'CallBackURL', 'callback')(momo);
  },
  '400.002.02 Bad Request - Invalid AccountReference: it is missing': missing(
    'push',
    'AccountReference',
  ),
  '400.002.02 Bad Request - Invalid Remarks: Remarks is missing, or TransactionDesc of a push':
    async (momo) => {
      expect((await missing('b2c', 'Remarks')(momo)).json).toMatchObject({
        errorCode: '400.002.02',
      });
      return await missing('push', 'TransactionDesc')(momo);
    },
  '400.002.02 Bad Request - Invalid CheckoutRequestID: it is missing': missing(
    'query',
    'CheckoutRequestID',
  ),
  '400.002.02 Bad Request - Invalid ResponseType: it is not Completed or Cancelled in these letters':
    invalid('register', 'ResponseType', 'Canceled'),
  '400.002.02 Bad Request - Invalid ConfirmationURL: it is not a URL': invalid(
    'register',
    'ConfirmationURL',
    'x',
  ),
  '400.002.02 Bad Request - Invalid ValidationURL: it is not a URL': invalid(
    'register',
    'ValidationURL',
    'x',
  ),
  '400.002.02 Bad Request - Invalid ShortCode: it is not a shortcode': invalid(
    'simulate',
    'ShortCode',
    'x',
  ),
  '400.002.02 Bad Request - Invalid CommandID: the operation does not have it; B2B has all': async (
    momo,
  ) => {
    const errorMessage = 'Bad Request - Invalid CommandID';
    for (const name of ['simulate', 'balance', 'status', 'reversal'] as const) {
      expect((await call(momo, name, { CommandID: 'Pay' })).json).toMatchObject({ errorMessage });
    }
    return await invalid('b2c', 'CommandID', 'AccountBalance')(momo);
  },
  '400.002.02 Bad Request - Invalid Msisdn: it is not a phone number': invalid(
    'simulate',
    'Msisdn',
    '07',
  ),
  '400.002.02 Bad Request - Invalid OriginatorConversationID: B2C v3: it is missing': missing(
    'b2c3',
    'OriginatorConversationID',
  ),
  '400.002.02 Bad Request - Invalid InitiatorName: B2C: it is missing': missing(
    'b2c',
    'InitiatorName',
  ),
  '400.002.02 Bad Request - Invalid Initiator: it is missing': missing('balance', 'Initiator'),
  '400.002.02 Bad Request - Invalid SecurityCredential: it is not base64': invalid(
    'b2c',
    'SecurityCredential',
    'Password!',
  ),
  '400.002.02 Bad Request - Invalid SenderIdentifierType: B2B: it is not 1, 2 or 4': invalid(
    'b2b',
    'SenderIdentifierType',
    3,
  ),
  '400.002.02 Bad Request - Invalid RecieverIdentifierType: it is missing, or spelled right':
    async (momo) => {
      const right = { RecieverIdentifierType: undefined, ReceiverIdentifierType: '11' };
      const response = await call(momo, 'reversal', right);
      const [entry] = await momo.requests({ limit: 1 });
      expect(entry?.hint).toContain('Daraja calls it RecieverIdentifierType');
      for (const value of ['', ' ', null, [], {}, true]) {
        await call(momo, 'reversal', { RecieverIdentifierType: value });
        const hint = (await momo.requests()).at(-1)?.hint;
        expect(hint).toContain('RecieverIdentifierType is empty, or neither text nor a number.');
      }
      return response;
    },
  '400.002.02 Bad Request - Invalid IdentifierType: it is not 1, 2 or 4': invalid(
    'balance',
    'IdentifierType',
    3,
  ),
  '400.002.02 Bad Request - Invalid ReceiverParty: reversal: it is not a shortcode': invalid(
    'reversal',
    'ReceiverParty',
    PHONE,
  ),
  '400.002.02 Bad Request - Invalid TransactionID: reversal: it is missing': missing(
    'reversal',
    'TransactionID',
  ),
  '400.002.02 Bad Request - Invalid QueueTimeOutURL: it is missing': missing(
    'b2c',
    'QueueTimeOutURL',
  ),
  '400.002.02 Bad Request - Invalid ResultURL: it is missing': missing('b2b', 'ResultURL'),
  '500.001.1001 Wrong credentials: Password does not fit BusinessShortCode and Timestamp': async (
    momo,
  ) => {
    for (const [Password, hint] of [
      [passwordOf('600000'), 'begin with the BusinessShortCode'],
      [passwordOf(SHORTCODE, '20240706224853'), 'end with the Timestamp'],
      [passwordOf(SHORTCODE, undefined, ''), 'no passkey'],
      [`${SHORTCODE}${PASSKEY}20240706224852`, 'begin with the BusinessShortCode'],
    ] as const) {
      const { json } = await call(momo, 'push', { Password });
      expect(json).toMatchObject({ errorMessage: 'Wrong credentials' });
      expect((await momo.requests({ limit: 1 }))[0]?.hint).toContain(hint);
    }
    return await invalid('query', 'Password', passwordOf('600000'))(momo);
  },
  '500.001.1001 Merchant does not exist: passkeys does not have the shortcode': async (momo) => {
    await momo.state.set('passkeys', { '600000': 'another' });
    return await call(momo, 'push');
  },
  '500.001.1001 Unable to lock subscriber, a transaction is already in process for the current subscriber: the phone has an open push (lockSubscriber)':
    async (momo) => {
      await momo.state.set('lockSubscriber', true);
      await push(momo);
      return await call(momo, 'push');
    },
  '500.001.1001 The transaction does not Exist: query: there is no such push': async (momo) => {
    const CheckoutRequestID = await push(momo);
    const other = { BusinessShortCode: '600000', Password: passwordOf('600000') };
    const { json } = await call(momo, 'query', { ...other, CheckoutRequestID });
    expect(json).toMatchObject({ errorMessage: 'The transaction does not Exist' });
    return await call(momo, 'query');
  },
  '500.001.1001 The transaction is being processed: query: the push has not ended (pending)':
    async (momo) => {
      await momo.state.set('pending', '500.001.1001');
      return await call(momo, 'query', { CheckoutRequestID: await push(momo) });
    },
  '500.002.1001 Duplicate OriginatorConversationID.: B2C v3: it was used before': async (momo) => {
    await call(momo, 'b2c3');
    return await call(momo, 'b2c3');
  },
  '500.003.1001 Urls are already registered: C2B: a second registration (registerOnce)': async (
    momo,
  ) => {
    await momo.state.set('registerOnce', true);
    await call(momo, 'register');
    return await call(momo, 'register');
  },
  '500.003.1001 Internal Server Error: a test scripts the status 500': async (momo) => {
    await momo.respondWith({ status: 500, operation: `POST ${PATH}` });
    return await call(momo, 'push');
  },
  '500.003.02 Error Occurred: Spike Arrest Violation: too many requests (--rate-limit 10/1s)':
    async (momo) => {
      await tokenOf(momo);
      await momo.setRateLimit({ limit: 1, window: 1000 });
      await call(momo, 'push');
      return await call(momo, 'push');
    },
  '500.003.03 Quota Violation: the account has some thousand transactions': async (momo) => {
    await tokenOf(momo);
    await momo.state.transaction((draft) => {
      for (let n = 0; n < 9_990; n++) draft.set(`transactions/${n}`, {});
    });
    for (let n = 0; n < 5; n++) await call(momo, 'push');
    return await call(momo, 'push');
  },
  'none HTML with "Incapsula incident": a test scripts the status 503': async (momo) => {
    await momo.respondWith({ status: 503, operation: `POST ${PATH}` });
    const response = await call(momo, 'push');
    expect(response.text).toContain('Incapsula incident');
    expect(response.headers['content-type']).toBe('text/html');
    return response;
  },
};

describe('the README', () => {
  /** By operation, a call that it accepts. */
  const OPERATIONS: Record<string, (momo: MomoAccount) => Promise<ReceivedResponse>> = {
    'GET /oauth/v1/generate': (momo) => generate(momo),
    ...Object.fromEntries(
      Object.values(CALLS).map(([path, body]) => [
        `POST ${path}`,
        (momo: MomoAccount) => post(momo, path, body),
      ]),
    ),
    [`POST ${CALLS.query[0]}`]: async (momo) =>
      await call(momo, 'query', { CheckoutRequestID: await push(momo) }),
    ...Object.fromEntries(
      (['register', 'simulate'] as const).map((name) => {
        const path = CALLS[name][0].replace('v1', 'v2');
        return [`POST ${path}`, (momo: MomoAccount) => post(momo, path, CALLS[name][1])];
      }),
    ),
  };

  it('lists the operations that the preset has', async () => {
    const mock = await startMock({}, { preset: 'mpesa-daraja', control: true });
    const { json } = await control(mock, 'GET /operations');
    const operations = (json as { operations: { name: string }[] }).operations.map(
      ({ name }) => name,
    );
    const listed = rowsBelow(README, 'Operations').map(([operation]) => codeIn(operation));
    expect(listed.sort()).toEqual(operations.sort());
    expect(listed).toEqual(Object.keys(OPERATIONS).sort());
  });

  it.each(rowsBelow(README, 'Operations'))('%s: %s', async (operation) => {
    const momo = await startAccount();
    expect(await OPERATIONS[codeIn(operation)]?.(momo)).toMatchObject({ status: 200 });
  });

  it.each(rowsBelow(README, 'Numbers'))(
    'the number %s ends as a payer with %s, as a receiver with %s',
    async (number, paying = '', receiving = '') => {
      const momo = await startAccount();
      const phone = codeIn(number);
      const paid = await callback(momo, { PhoneNumber: phone, PartyA: phone });
      expect(paid.ResultCode).toBe(Number.parseInt(paying, 10));
      const sent = await result(momo, 'b2c', { PartyB: phone });
      expect(sent.ResultCode).toBe(Number.parseInt(receiving, 10));
    },
  );

  it('lists the values of state.json, as they are at first', () => {
    const { $schema: _, ...values } = JSON.parse(readFileSync(`${FOLDER}/state.json`, 'utf8'));
    const rows = rowsBelow(README, 'State').map(([name, value]) => [
      codeIn(name),
      JSON.parse(codeIn(value)),
    ]);
    expect(Object.fromEntries(rows)).toEqual(values);
    expect(rows.map(([name]) => name).sort()).toEqual(Object.keys(STATE_WALKS).sort());
  });

  it.each(rowsBelow(README, 'State').map(([name]) => codeIn(name)))(
    'the value %s of the state does what it says',
    async (name) => {
      await STATE_WALKS[name]?.();
    },
  );

  it.each(rowsBelow(README, 'Result codes of a push'))(
    'the push with the result code %s has the text %s, and in the query %s',
    async (cell, text, other) => {
      const code = codeIn(cell);
      const momo = await startAccount({ outcomes: { [PHONE]: resultCode(code) } });
      const app = await startWebhook();
      const id = await push(momo, { CallBackURL: app.url });
      const [called] = (await received(momo, app)) as { Body: { stkCallback: Body } }[];
      const ended = called?.Body.stkCallback;
      if (code === '4999') expect(called).toBeUndefined();
      else expect(ended).toMatchObject({ ResultCode: resultCode(code), ResultDesc: text });
      const state = { ResultCode: code, ResultDesc: other === 'the same' ? text : other };
      expect(await query(momo, id)).toMatchObject({ ResponseCode: '0', ...state });
      expect(ended?.CallbackMetadata !== undefined).toBe(code === '0');
    },
  );

  const wordings = new Map<string, string[]>();
  for (const [cell, text = ''] of rowsBelow(README, 'Wordings'))
    wordings.set(codeIn(cell), [...(wordings.get(codeIn(cell)) ?? []), text]);

  it.each([...wordings])(
    'the pushes with the result code %s have the wordings in turn, and then the usual one: %j',
    async (code, texts) => {
      const outcomes = { '*': resultCode(code) };
      const momo = await startAccount({ texts: 'varied', outcomes });
      const inQueries = [];
      const inWebhooks = [];
      for (const _ of [...texts, 'usual']) {
        const app = await startWebhook();
        const id = await push(momo, { CallBackURL: app.url });
        const [called] = (await received(momo, app)) as { Body: { stkCallback: Body } }[];
        inWebhooks.push(called?.Body.stkCallback.ResultDesc);
        inQueries.push((await query(momo, id)).ResultDesc);
      }
      const rows = rowsBelow(README, 'Result codes of a push');
      const [, usual, other] = rows.find(([cell]) => codeIn(cell) === code) ?? [];
      expect(inQueries).toEqual([...texts, other === 'the same' ? usual : other]);
      if (code !== '4999') expect(inWebhooks).toEqual([...texts, usual]);
    },
  );

  it('has wordings that contradict the code, each the first of its account', () => {
    const contradicts = ([code, [first = '']]: [string, string[]]) =>
      /success/i.test(first) !== (code === '0');
    expect([...wordings].map(contradicts)).not.toContain(false);
    expect([...wordings.keys()]).toEqual(expect.arrayContaining(['0', '1', '1032', '1037']));
  });

  it.each(
    rowsBelow(README, 'Result codes at ResultURL').flatMap(([code = '', operations = '', text]) =>
      operations.split(', ').map((name) => [name as Call, codeIn(code), text] as const),
    ),
  )('the result of %s with the code %s has the text %s', async (name, code, text) => {
    const momo = await startAccount({ results: { [name]: resultCode(code) } });
    const changes =
      code !== '0' || (name !== 'status' && name !== 'reversal')
        ? {}
        : { TransactionID: (await paid(momo)).receipt };
    const ended = await result(momo, name, changes);
    const sent = name === 'b2b' ? code : resultCode(code);
    expect(ended).toMatchObject({ ResultCode: sent, ResultDesc: text });
  });

  it('has an error for each case, and a case for each error', () => {
    const rows = rowsBelow(README, 'Error codes').map(([code, text, , when]) =>
      keyOf(code, text, when),
    );
    expect(Object.keys(ERRORS).sort()).toEqual(rows.sort());
  });

  it.each(rowsBelow(README, 'Error codes'))(
    'the error %s %s has the status %s: %s, with the reason %s',
    async (cell, text = '', status = '', when = '', reason = '') => {
      const momo = await startAccount();
      const response = await ERRORS[keyOf(cell, text, when)]?.(momo);
      expect(response).toMatchObject({ status: Number(status) });
      const { requestId, errorCode, errorMessage } = (response?.json ?? {}) as Body;
      const code = codeIn(cell);
      if (code === 'none') expect(errorCode).toBeUndefined();
      else expect({ errorCode, errorMessage }).toEqual({ errorCode: code, errorMessage: text });
      if (code !== 'none') expect(requestId).toMatch(/^[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]+$/);
      const [entry] = (await lastRequests.get(momo)?.()) ?? (await momo.requests({ limit: 1 }));
      expect(entry?.reason ?? null).toBe(reason.startsWith('none') ? null : codeIn(reason));
      if (!reason.startsWith('none')) expect(entry?.hint).toMatch(/^[A-Z].+\.$/);
    },
  );
});

describe('a push', () => {
  it('is accepted first, and calls back once when it has ended', async () => {
    const momo = await startAccount();
    const app = await startWebhook(500);
    const { json } = await call(momo, 'push', { CallBackURL: app.url, Amount: '1500' });
    const id = textOf(json, 'CheckoutRequestID');
    expect(json).toEqual({
      MerchantRequestID: expect.stringMatching(
        /^[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\d{6}$/,
      ),
      CheckoutRequestID: expect.stringMatching(/^ws_CO_\d{14}\d{1,3}712345678$/),
      ResponseCode: '0',
      ResponseDescription: 'Success. Request accepted for processing',
      CustomerMessage: 'Success. Request accepted for processing',
    });
    expect(app.calls).toEqual([]);
    const [body] = await received(momo, app);
    const { receipt } = await momo.state.get(`pushes/${id}`);
    const date = Number((app.calls[0]?.body.match(/"TransactionDate","Value":(\d{14})/) ?? [])[1]);
    const Item = [
      { Name: 'Amount', Value: 1500 },
      { Name: 'MpesaReceiptNumber', Value: receipt },
      { Name: 'TransactionDate', Value: date },
      { Name: 'PhoneNumber', Value: Number(PHONE) },
    ];
    expect(body).toEqual({
      Body: {
        stkCallback: {
          MerchantRequestID: textOf(json, 'MerchantRequestID'),
          CheckoutRequestID: id,
          ResultCode: 0,
          ResultDesc: 'The service request is processed successfully.',
          CallbackMetadata: { Item },
        },
      },
    });
    expect(receipt).toMatch(/^[A-Z][A-L][1-9A-V][A-Z\d]{7}$/);
    expect(app.calls[0]?.body).toContain('"Name":"Amount","Value":1500.00}');
    expect(app.calls[0]).toMatchObject({
      method: 'POST',
      target: '/hook',
      headers: {
        'content-type': 'application/json;charset=UTF-8',
        businessshortcode: SHORTCODE,
      },
    });
    await momo.advance(3_600_000);
    expect(app.calls).toHaveLength(1);
  });

  it('has the time in Nairobi', async () => {
    const momo = await startAccount();
    const { now } = await momo.freeze();
    const nairobi = new Date(now + 3 * 3_600_000).toISOString().replace(/\D/g, '').slice(0, 14);
    const id = await push(momo);
    const [year, month, day, time] = [0, 4, 6, 8].map((from, at) =>
      nairobi.slice(from, [4, 6, 8, 14][at]),
    );
    expect(id.startsWith(`ws_CO_${day}${month}${year}${time}`)).toBe(true);
  });

  it('has another CheckoutRequestID each time, also in two accounts with a frozen clock', async () => {
    const [one, other] = [await startAccount(), await startAccount()];
    const pushes = Array.from({ length: 40 }, (_, n) => push(n % 2 === 0 ? one : other));
    expect(new Set(await Promise.all(pushes)).size).toBe(40);
  });

  it('is not idempotent: the same AccountReference twice is paid twice', async () => {
    const momo = await startAccount();
    const app = await startWebhook();
    for (const _ of [1, 2]) await push(momo, { CallBackURL: app.url, Amount: 100 });
    expect(await received(momo, app)).toHaveLength(2);
    expect(await balance(momo, SHORTCODE)).toMatchObject({ utility: '200200.00' });
  });

  it.each([
    { choice: 'approve', code: 0 },
    { choice: 'wrong-pin', code: 2001 },
    { choice: 'no-funds', code: 1 },
    { choice: 'cancel', code: 1032 },
    { choice: undefined, code: 1037 },
  ])('asks the payer if outcomes says so: $choice ends it with $code', async ({ choice, code }) => {
    const momo = await startAccount({ outcomes: { '*': 'ask' } });
    const app = await startWebhook();
    const id = await push(momo, { CallBackURL: app.url, Amount: 1000 });
    const [prompt] = await momo.prompts({ waitFor: 1 });
    expect(prompt).toMatchObject({
      title: expect.stringMatching(/^M-PESA 254\d{9}$/),
      text: 'Pay 1,000 KES to 174379 for A1',
      choices: ['approve', 'wrong-pin', 'no-funds', 'cancel'],
    });
    await momo.advance('idle');
    expect(await query(momo, id)).toMatchObject({ ResultCode: '4999' });
    if (choice === undefined) await momo.advance(60_000);
    else await momo.answerPrompt(prompt?.id ?? 0, choice);
    expect(await query(momo, id)).toMatchObject({ ResultCode: `${code}` });
    const [called] = await received(momo, app);
    expect(called).toMatchObject({ Body: { stkCallback: { ResultCode: code } } });
  });

  it('accepts numbers and texts, and a TransactionType with a blank at its end', async () => {
    const momo = await startAccount();
    const numbers = { BusinessShortCode: 174379, PartyA: Number(PHONE), PartyB: 174379 };
    const more = { PhoneNumber: 254100000001, Amount: '1', Timestamp: 20240706224852 };
    const TransactionType = 'CustomerPayBillOnline ';
    const response = await call(momo, 'push', { ...numbers, ...more, TransactionType });
    expect(response).toMatchObject({ status: 200 });
  });

  it('to a till is paid to the till, and to another paybill ends with 2028', async () => {
    const momo = await startAccount();
    const till = { TransactionType: 'CustomerBuyGoodsOnline', PartyB: '5123456' };
    expect(await callback(momo, till)).toMatchObject({ ResultCode: 0 });
    expect(await balance(momo, '5123456')).toMatchObject({ utility: '200001.00' });
    expect(await callback(momo, { PartyB: '600000' })).toMatchObject({ ResultCode: 2028 });
  });

  it('survives a reset and a deleted value without a callback', async () => {
    const momo = await startAccount();
    const app = await startWebhook();
    const id = await push(momo, { CallBackURL: app.url });
    await momo.state.delete(`pushes/${id}`);
    await push(momo, { CallBackURL: app.url });
    await momo.reset();
    expect(await received(momo, app)).toEqual([]);
  });
});

describe('a C2B payment', () => {
  it('is confirmed with texts only, after the money has arrived', async () => {
    const momo = await startAccount();
    const app = await startWebhook();
    const { json } = await call(momo, 'register', { ConfirmationURL: app.url });
    expect(json).toEqual({
      OriginatorCoversationID: expect.stringMatching(/./),
      ResponseCode: '0',
      ResponseDescription: 'Success',
    });
    await call(momo, 'simulate', { BillRefNumber: 12, Amount: 5 });
    const [notice] = await received(momo, app);
    expect(notice).toEqual({
      TransactionType: 'Pay Bill',
      TransID: expect.stringMatching(/^[A-Z\d]{10}$/),
      TransTime: expect.stringMatching(/^\d{14}$/),
      TransAmount: '5.00',
      BusinessShortCode: '600984',
      BillRefNumber: '12',
      InvoiceNumber: '',
      OrgAccountBalance: '200005.00',
      ThirdPartyTransID: '',
      MSISDN: PHONE,
      FirstName: 'JOHN',
      MiddleName: '',
      LastName: 'DOE',
    });
  });

  it('has a masked phone number if the URLs were registered with version 2', async () => {
    const momo = await startAccount();
    const app = await startWebhook();
    await post(momo, '/mpesa/c2b/v2/registerurl', {
      ...CALLS.register[1],
      ConfirmationURL: app.url,
    });
    const till = { CommandID: 'CustomerBuyGoodsOnline', BillRefNumber: null };
    await call(momo, 'simulate', till);
    expect(await received(momo, app)).toMatchObject([
      { MSISDN: '2547 ***** 678', TransactionType: 'Buy Goods', BillRefNumber: '' },
    ]);
  });

  it('has no notice if no URLs are registered for its shortcode', async () => {
    const momo = await startAccount();
    expect(await call(momo, 'simulate')).toMatchObject({ status: 200 });
    await momo.advance('idle');
    expect(await momo.webhooks()).toEqual([]);
    expect(await balance(momo, '600984')).toMatchObject({ utility: '200005.00' });
  });
});

describe('a result', () => {
  it('is in the journal as it is sent, and can be verified', async () => {
    const momo = await startAccount();
    const sent = await result(momo, 'b2c');
    const [webhook] = await momo.webhooks();
    expect(JSON.parse(`${webhook?.body}`)).toEqual({ Result: sent });
    const Result = {
      ConversationID: sent.ConversationID,
      ReferenceData: { ReferenceItem: { Key: 'QueueTimeoutURL' } },
    };
    await momo.verifyWebhooks({ body: { Result }, times: 1 });
    const other = { ...Result, ReferenceData: { ReferenceItem: { Key: 'Other' } } };
    await expect(momo.verifyWebhooks({ body: { Result: other } })).rejects.toThrow(
      '  body.Result.ReferenceData.ReferenceItem.Key: expected "Other", received "QueueTimeoutURL"',
    );
  });

  it('of B2C has the members that the portal shows, and the money has left', async () => {
    const momo = await startAccount({ openingBalance: { working: '1.00', utility: '15.25' } });
    const app = await startWebhook();
    const { json } = await call(momo, 'b2c', { ResultURL: app.url });
    expect(json).toMatchObject({
      OriginatorConversationID: expect.stringMatching(/./),
      ConversationID: expect.stringMatching(/^AG_\d{8}_[\da-f]{20}$/),
      ResponseCode: '0',
      ResponseDescription: 'Accept the service request successfully.',
    });
    const [{ Result }] = (await received(momo, app)) as [{ Result: Body }];
    const { ResultParameters, ...rest } = Result;
    expect(rest).toEqual({
      ResultType: 0,
      ResultCode: 0,
      ResultDesc: 'The service request is processed successfully.',
      OriginatorConversationID: textOf(json, 'OriginatorConversationID'),
      ConversationID: textOf(json, 'ConversationID'),
      TransactionID: expect.stringMatching(/^[A-Z\d]{10}$/),
      ReferenceData: {
        ReferenceItem: {
          Key: 'QueueTimeoutURL',
          Value: 'https://internalsandbox.safaricom.co.ke/mpesa/b2cresults/v1/submit',
        },
      },
    });
    expect(parametersOf(ResultParameters)).toEqual({
      TransactionAmount: 10,
      TransactionReceipt: Result.TransactionID,
      ReceiverPartyPublicName: `${PHONE} - JOHN DOE`,
      TransactionCompletedDateTime: expect.stringMatching(/^\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d$/),
      B2CUtilityAccountAvailableFunds: 5.25,
      B2CWorkingAccountAvailableFunds: 1,
      B2CRecipientIsRegisteredCustomer: 'Y',
      B2CChargesPaidAccountAvailableFunds: 0,
    });
    expect(app.calls[0]?.body).toContain('"B2CWorkingAccountAvailableFunds","Value":1.00}');
    const failed = await result(momo, 'b2c');
    expect(failed).toMatchObject({ ResultCode: 1, TransactionID: expect.any(String) });
    expect(failed).not.toHaveProperty('ResultParameters');
  });

  it('of many B2C payments at once does not overdraw the balance', async () => {
    const momo = await startAccount({ openingBalance: { working: '0.00', utility: '25.00' } });
    await Promise.all([1, 2, 3, 4].map(() => call(momo, 'b2c')));
    await momo.advance('idle');
    expect(await balance(momo, '600996')).toMatchObject({ utility: '5.00' });
  });

  it('of B2B has texts, a list in ReferenceData, and one object when it fails', async () => {
    const momo = await startAccount();
    const { ResultParameters, ...rest } = await result(momo, 'b2b', { AccountReference: null });
    expect(rest).toMatchObject({
      ResultType: '0',
      ResultCode: '0',
      ReferenceData: {
        ReferenceItem: [
          { Key: 'BillReferenceNumber', Value: '' },
          { Key: 'QueueTimeoutURL', Value: expect.stringContaining('b2bresults') },
        ],
      },
    });
    expect(parametersOf(ResultParameters)).toMatchObject({
      DebitAccountBalance:
        '{Amount={CurrencyCode=KES, MinimumAmount=69976100, BasicAmount=699761.00}}',
      Amount: '239.00',
      Currency: 'KES',
    });
    expect(await balance(momo, '600000')).toMatchObject({ working: '700239.00' });
    const failed = await result(momo, 'b2b', { Amount: '9000000' });
    expect(failed).toMatchObject({
      ResultCode: '1',
      ResultParameters: { ResultParameter: { Key: 'BOCompletedTime', Value: expect.any(Number) } },
    });
  });

  it('of the balance has all accounts in one text', async () => {
    const momo = await startAccount();
    await paid(momo, { Amount: '12' });
    const { ResultParameters } = await result(momo, 'balance', { PartyA: SHORTCODE });
    expect(parametersOf(ResultParameters).AccountBalance).toBe(
      'Working Account|KES|700000.00|700000.00|0.00|0.00&Utility Account|KES|200012.00|200012.00|0.00|0.00&Charges Paid Account|KES|0.00|0.00|0.00|0.00',
    );
  });

  it('of the status finds a transaction by its receipt, or by its conversation', async () => {
    const momo = await startAccount();
    const { receipt } = await paid(momo, { Amount: 7 });
    const found = await result(momo, 'status', { TransactionID: receipt });
    const { ResultParameter } = found.ResultParameters as { ResultParameter: Body[] };
    expect(ResultParameter.filter(({ Key }) => Key === 'DebitPartyName')).toHaveLength(2);
    expect(ResultParameter).toContainEqual({ Key: 'TransactionReason' });
    expect(parametersOf(found.ResultParameters)).toMatchObject({
      TransactionStatus: 'Completed',
      Amount: 7,
      ReceiptNo: receipt,
    });
    expect(found.ReferenceData).toEqual({ ReferenceItem: { Key: 'Occasion' } });
    await call(momo, 'b2c3');
    const byId = {
      TransactionID: undefined,
      OriginalConversationID: 'refund-1',
      Occasion: 'Party',
    };
    const pending = await result(momo, 'status', byId);
    expect(parametersOf(pending.ResultParameters)).toMatchObject({
      TransactionStatus: 'Completed',
    });
    expect(pending.ReferenceData).toEqual({
      ReferenceItem: { Key: 'Occasion', Value: 'Party' },
    });
  });

  it('of a reversal returns the money once, and never of a payment that failed', async () => {
    const momo = await startAccount();
    const { receipt } = await paid(momo, { Amount: 7 });
    const reversed = await result(momo, 'reversal', { TransactionID: receipt, Amount: 7 });
    expect(reversed).toMatchObject({ ResultCode: 0 });
    expect(parametersOf(reversed.ResultParameters)).toMatchObject({
      Amount: 7,
      OriginalTransactionID: receipt,
      CreditPartyPublicName: `${PHONE} - JOHN DOE`,
    });
    expect(await balance(momo, SHORTCODE)).toMatchObject({ utility: '200000.00' });
    const again = await result(momo, 'reversal', { TransactionID: receipt, Amount: 7 });
    expect(again).toMatchObject({ ResultCode: 'R000001' });
    await momo.state.set('outcomes', { [PHONE]: 1032 });
    const failed = await paid(momo);
    const refused = await result(momo, 'reversal', { TransactionID: failed.receipt });
    expect(refused).toMatchObject({ ResultCode: 'R000002' });
  });

  it('of a reversal of more than its payment is R000002, and that of a payment by the shortcode', async () => {
    const momo = await startAccount();
    const { receipt } = await paid(momo, { Amount: 7 });
    const tooMuch = await result(momo, 'reversal', { TransactionID: receipt, Amount: 8 });
    expect(tooMuch).toMatchObject({ ResultCode: 'R000002' });
    expect(await balance(momo, SHORTCODE)).toMatchObject({ utility: '200007.00' });
    for (const name of ['b2c', 'b2b'] as const) {
      const { TransactionID } = await result(momo, name);
      const ReceiverParty = CALLS[name][1].PartyA;
      const before = await balance(momo, `${ReceiverParty}`);
      const reversed = await result(momo, 'reversal', { TransactionID, ReceiverParty, Amount: 1 });
      expect([name, reversed]).toMatchObject([name, { ResultCode: 'R000002' }]);
      expect(await balance(momo, `${ReceiverParty}`)).toEqual(before);
    }
  });

  it('of a B2C payment that was asked for is the same with "ask", because nobody asks a receiver', async () => {
    const momo = await startAccount({ outcomes: { '*': 'ask' } });
    expect(await result(momo, 'b2c')).toMatchObject({ ResultCode: 0 });
    expect(await momo.prompts()).toEqual([]);
  });
});

const parametersOf = (given: unknown): Body => {
  const { ResultParameter } = given as { ResultParameter: { Key: string; Value: unknown }[] };
  return Object.fromEntries(ResultParameter.map(({ Key, Value }) => [Key, Value]));
};

it('a refused OriginatorConversationID can be sent again', async () => {
  const momo = await startAccount();
  expect(await call(momo, 'b2c3', { Amount: 0 })).toMatchObject({ status: 400 });
  const both = await Promise.all([call(momo, 'b2c3'), call(momo, 'b2c3')]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 500]);
  expect(await call(momo, 'b2c')).toMatchObject({ status: 200 });
});

it('the ledger lists pushes by their CheckoutRequestID, and all others by their receipt', async () => {
  const momo = await startAccount({ outcomes: { [TEST_PHONE]: 1037 } });
  const { id } = await paid(momo, { Amount: 20 });
  const silent = await push(momo, { PhoneNumber: TEST_PHONE });
  await call(momo, 'simulate');
  await call(momo, 'b2c');
  await momo.advance('idle');
  await call(momo, 'b2b');
  const receipt = expect.stringMatching(/^[A-Z0-9]{10}$/);
  const common = {
    ...{ of: null, currency: 'KES', party: PHONE, order: 'A1', time: expect.any(String) },
  };
  const entries = [
    { ...common, id, kind: 'payment', amount: 20, state: 'success' },
    { ...common, id: silent, kind: 'payment', amount: 1, state: 'failed', party: TEST_PHONE },
    { ...common, id: receipt, kind: 'payment', amount: 5, state: 'success' },
    { ...common, id: receipt, kind: 'payout', amount: 10, state: 'success', order: null },
    {
      ...common,
      id: receipt,
      kind: 'payout',
      amount: 239,
      state: 'pending',
      party: '600000',
      order: null,
    },
  ];
  const ledger = await momo.ledger();
  expect(ledger).toHaveLength(entries.length);
  expect(ledger).toEqual(expect.arrayContaining(entries));
});

describe('hostile values', () => {
  const VALUES: readonly unknown[] = [
    ...[null, true, false, -0, 1e300, -1, 0.001, '', ' ', '\u0000', '\ud800', '\u202e'],
    ...[[], [[]], {}, { toString: 1 }, ['1'], '__proto__', 'constructor', '../../x', '%00'],
    ...['9'.repeat(400), 'x'.repeat(9000), 'x'.repeat(900_000), 'http://', 'ftp://localhost'],
    ...['http://u:%zz@localhost/', `http://localhost:1/${'x'.repeat(9000)}`, '<script>', '{"a":1}'],
  ];

  it.each(Object.keys(CALLS) as Call[])('no value of a field makes %s fail', async (name) => {
    const mock = await startLogged({}, { PRESET: 'mpesa-daraja' });
    const momo = await mock.createAccount();
    await momo.freeze();
    const failed: unknown[] = [];
    for (const field of [...Object.keys(CALLS[name][1]), '__proto__', 'Occasion']) {
      for (const value of VALUES) {
        const [path, body] = CALLS[name];
        // Not an object, in which __proto__ would not be a field.
        const json = JSON.stringify({ ...body, [field]: undefined });
        const sent = `${json.slice(0, -1)},${JSON.stringify(field)}:${JSON.stringify(value)}}`;
        const { status, json: said } = await post(momo, path, sent);
        const { errorCode } = (said ?? {}) as Body;
        const isDeliberate = `${status}` < '500' || /^500\.00[12]\.1001$/.test(`${errorCode}`);
        if (!isDeliberate) failed.push([field, value, status, errorCode]);
      }
      await momo.advance('idle').catch((error) => failed.push([field, error.message]));
    }
    expect(failed).toEqual([]);
    expect(mock.records.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});

it('a snapshot of an account restores its pushes, its money and its token', async () => {
  const momo = await startAccount();
  const { id } = await paid(momo, { Amount: 100 });
  const snapshot = await momo.snapshot();
  await momo.reset();
  expect(await balance(momo, SHORTCODE)).toBeUndefined();
  await momo.restore(snapshot);
  expect(await query(momo, id)).toMatchObject({ ResultCode: '0' });
  expect(await balance(momo, SHORTCODE)).toMatchObject({ utility: '200100.00' });
});
