import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Mpesa as MpesaApi } from 'mpesa-api';
import { describe, expect, it, vi } from 'vitest';
import { ROOT } from '../docs/documents.ts';
import { openNodeProject } from '../docs/node-project.ts';
import { startMock } from '../support/mock.ts';
import type { MomoAccount } from '../support/momo-mock.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';
import { type Body, PHONE, SHORTCODE } from './mpesa-daraja.ts';

// Some start the command and a client library, which takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const require = createRequire(import.meta.url);
/** It has no types. */
const MpesaNode = require('mpesa-node');
const CERTIFICATE = join(ROOT, 'node_modules/mpesa-node/keys/sandbox-cert.cer');
const ACCEPTED = { ResponseCode: '0', ResponseDescription: expect.stringMatching(/./) };

/** The calls that both libraries have, with the body of each response. */
interface Client {
  push(callback: string): Promise<Body>;
  query(id: string): Promise<Body>;
  register(url: string): Promise<Body>;
  simulate(): Promise<Body>;
  payCustomer(url: string): Promise<Body>;
  balance(url: string): Promise<Body>;
  status(url: string, receipt: string): Promise<Body>;
  reverse(url: string, receipt: string): Promise<Body>;
}

interface Credentials {
  readonly key: string;
  readonly isLive?: boolean;
}

function mpesaNode({ key, isLive = false }: Credentials): Client {
  const mpesa = new MpesaNode({
    consumerKey: key,
    consumerSecret: 'secret',
    environment: isLive ? 'production' : 'sandbox',
    shortCode: '600984',
    initiatorName: 'testapi',
    lipaNaMpesaShortCode: SHORTCODE,
    lipaNaMpesaShortPass: 'passkey',
    securityCredential: 'password',
    certPath: CERTIFICATE,
  });
  const dataOf = async (response: Promise<{ data: Body }>) => (await response).data;
  return {
    push: (url) => dataOf(mpesa.lipaNaMpesaOnline(Number(PHONE), 10, url, 'A1')),
    query: (id) => dataOf(mpesa.lipaNaMpesaQuery(id)),
    register: (url) => dataOf(mpesa.c2bRegister(url, url)),
    simulate: () => dataOf(mpesa.c2bSimulate(Number(PHONE), 10, 'A1')),
    payCustomer: (url) => dataOf(mpesa.b2c('600984', PHONE, 10, url, url)),
    balance: (url) => dataOf(mpesa.accountBalance('600984', 4, url, url)),
    status: (url, receipt) => dataOf(mpesa.transactionStatus(receipt, '600984', 4, url, url)),
    reverse: (url, receipt) => dataOf(mpesa.reversal(receipt, 10, url, url, SHORTCODE)),
  };
}

function mpesaApi({ key, isLive = false }: Credentials): Client {
  const credentials = { clientKey: key, clientSecret: 'secret', initiatorPassword: 'x' };
  const mpesa = new MpesaApi(
    { ...credentials, securityCredential: 'c2VjcmV0' },
    isLive ? 'production' : 'sandbox',
  );
  const common = { Initiator: 'testapi', PartyA: '600984', IdentifierType: '4', Remarks: 'OK' };
  const ended = (url: string) => ({ ...common, QueueTimeOutURL: url, ResultURL: url });
  // The types of the library ask for more than it needs, and for less than it sends.
  const call = mpesa as unknown as Record<string, (fields: object) => Promise<Body>>;
  const run = (name: string, fields: object): Promise<Body> =>
    call[name]?.call(mpesa, fields) as never;
  return {
    push: (url) =>
      run('lipaNaMpesaOnline', {
        BusinessShortCode: 174379,
        Amount: 10,
        PartyA: PHONE,
        PartyB: SHORTCODE,
        PhoneNumber: PHONE,
        CallBackURL: url,
        AccountReference: 'A1',
        passKey: 'passkey',
      }),
    query: (CheckoutRequestID) =>
      run('lipaNaMpesaQuery', { BusinessShortCode: 174379, CheckoutRequestID, passKey: 'passkey' }),
    register: (url) =>
      run('c2bRegister', {
        ShortCode: '600984',
        ConfirmationURL: url,
        ValidationURL: url,
        ResponseType: 'Completed',
      }),
    simulate: () =>
      run('c2bSimulate', {
        CommandID: 'CustomerPayBillOnline',
        Amount: 10,
        Msisdn: Number(PHONE),
        ShortCode: 600984,
      }),
    payCustomer: (url) =>
      run('b2c', { ...ended(url), CommandID: 'BusinessPayment', Amount: 10, PartyB: PHONE }),
    balance: (url) => run('accountBalance', { ...ended(url), CommandID: 'AccountBalance' }),
    status: (url, TransactionID) => run('transactionStatus', { ...ended(url), TransactionID }),
    reverse: (url, TransactionID) =>
      run('reversal', {
        ...ended(url),
        TransactionID,
        Amount: 10,
        ReceiverParty: SHORTCODE,
        RecieverIdentifierType: '4',
      }),
  };
}

async function startFor(open: (credentials: Credentials) => Client, isLive = false) {
  const mock = await startMock(
    {},
    {
      preset: 'mpesa-daraja',
      redirect: ['sandbox.safaricom.co.ke', 'api.safaricom.co.ke'],
    },
  );
  const account = await mock.createAccount();
  await account.freeze();
  return {
    account,
    client: open({ key: account.apiKey, isLive }),
    app: await startWebhook(),
    open,
  };
}

/** What the application has received last, after everything has ended. */
async function last(account: MomoAccount, app: Webhook): Promise<Body> {
  await account.advance('idle');
  return JSON.parse(`${app.calls.at(-1)?.body}`);
}

describe.each([
  { name: 'mpesa-node', open: mpesaNode },
  { name: 'mpesa-api', open: mpesaApi },
])('the npm package $name, unmodified,', ({ open }) => {
  it('asks a customer to pay, queries the push, and receives the callback', async () => {
    const { account, client, app } = await startFor(open);
    const pushed = await client.push(app.url);
    expect(pushed).toMatchObject(ACCEPTED);
    const id = `${pushed.CheckoutRequestID}`;
    expect(await client.query(id)).toMatchObject({ ResultCode: '4999' });
    const called = await last(account, app);
    const ended = { CheckoutRequestID: id, ResultCode: 0 };
    expect(called).toMatchObject({ Body: { stkCallback: ended } });
    expect(await client.query(id)).toMatchObject({ ResultCode: '0' });
  });

  it('uses the live host in production', async () => {
    const { client, app } = await startFor(open, true);
    expect(await client.push(app.url)).toMatchObject(ACCEPTED);
  });

  it('registers C2B URLs, and receives the notice of a simulated payment', async () => {
    const { account, client, app } = await startFor(open);
    expect(await client.register(app.url)).toMatchObject(ACCEPTED);
    expect(await client.simulate()).toMatchObject(ACCEPTED);
    expect(await last(account, app)).toMatchObject({ TransAmount: '10.00', MSISDN: PHONE });
  });

  it('pays a customer, and receives the results of balance, status and reversal', async () => {
    const { account, client, app } = await startFor(open);
    expect(await client.payCustomer(app.url)).toMatchObject(ACCEPTED);
    expect(await last(account, app)).toMatchObject({ Result: { ResultCode: 0 } });
    expect(await client.balance(app.url)).toMatchObject(ACCEPTED);
    expect(await last(account, app)).toMatchObject({ Result: { ResultCode: 0 } });
    await client.push(app.url);
    await account.advance('idle');
    const [paid] = Object.entries(await account.state.list('transactions/')).filter(
      ([, { shortcode }]) => shortcode === SHORTCODE,
    );
    const receipt = `${paid?.[0].split('/')[1]}`;
    expect(await client.status(app.url, receipt)).toMatchObject(ACCEPTED);
    expect(await last(account, app)).toMatchObject({ Result: { ResultCode: 0 } });
    expect(await client.reverse(app.url, receipt)).toMatchObject(ACCEPTED);
    expect(await last(account, app)).toMatchObject({ Result: { ResultCode: 0 } });
    expect(await client.reverse(app.url, 'LKXXXX1234')).toMatchObject(ACCEPTED);
    expect(await last(account, app)).toMatchObject({ Result: { ResultCode: 'R000002' } });
  });

  it('gets the errors of a wrong key, a pending push and an incorrect URL', async () => {
    const { account, client, app } = await startFor(open);
    const statusOf = (error: { statusCode?: number; response?: { status: number } }) =>
      error.statusCode ?? error.response?.status;
    const status = (calling: Promise<unknown>) => calling.then(() => 200, statusOf);
    expect(await status(open({ key: 'wrong' }).push(app.url))).toBe(400);
    await account.state.set('pending', '500.001.1001');
    const { CheckoutRequestID } = await client.push(app.url);
    expect(await status(client.query(`${CheckoutRequestID}`))).toBe(500);
    expect(await status(client.push('no URL'))).toBe(400);
  });
});

it('mpesa-node pays a business, with a null AccountReference', async () => {
  const { account, app } = await startFor(mpesaNode);
  const mpesa = new MpesaNode({
    consumerKey: account.apiKey,
    consumerSecret: 'secret',
    initiatorName: 'testapi',
    securityCredential: 'password',
    certPath: CERTIFICATE,
  });
  const { data } = await mpesa.b2b('600984', '600000', 100, app.url, app.url);
  expect(data).toMatchObject(ACCEPTED);
  expect(await last(account, app)).toMatchObject({ Result: { ResultCode: '0' } });
});

it('mpesa-api sends a body with é too short, which is an error as from the real service', async () => {
  const { account, app } = await startFor(mpesaApi);
  const mpesa = new MpesaApi(
    {
      clientKey: account.apiKey,
      clientSecret: 'x',
      initiatorPassword: 'x',
      securityCredential: 'eA==',
    },
    'sandbox',
  );
  const fields = {
    BusinessShortCode: 174379,
    Amount: 10,
    PartyA: PHONE,
    PartyB: SHORTCODE,
    PhoneNumber: PHONE,
    CallBackURL: app.url,
    AccountReference: 'A1',
    TransactionDesc: 'Café',
    passKey: 'passkey',
  };
  await expect(mpesa.lipaNaMpesaOnline(fields as never)).rejects.toMatchObject({ statusCode: 400 });
});

const PROGRAMS = {
  'mpesa-node': `import Mpesa from 'mpesa-node';
    const mpesa = new Mpesa({ consumerKey: process.env.MOMO_MOCK_APIKEY, consumerSecret: 's',
      lipaNaMpesaShortCode: '${SHORTCODE}', lipaNaMpesaShortPass: 'p' });
    const push = () => mpesa.lipaNaMpesaOnline(${PHONE}, 10, 'http://127.0.0.1:9/', 'A1');
    const query = (id) => mpesa.lipaNaMpesaQuery(id);
    const dataOf = ({ data }) => data;`,
  'mpesa-api': `import { Mpesa } from 'mpesa-api';
    const mpesa = new Mpesa({ clientKey: process.env.MOMO_MOCK_APIKEY, clientSecret: 's',
      securityCredential: 'eA==' }, 'sandbox');
    const common = { BusinessShortCode: ${SHORTCODE}, passKey: 'p' };
    const push = () => mpesa.lipaNaMpesaOnline({ ...common, Amount: 10, PartyA: '${PHONE}',
      PartyB: '${SHORTCODE}', PhoneNumber: '${PHONE}', CallBackURL: 'http://127.0.0.1:9/',
      AccountReference: 'A1' });
    const query = (CheckoutRequestID) => mpesa.lipaNaMpesaQuery({ ...common, CheckoutRequestID });
    const dataOf = (data) => data;`,
};

it.each(Object.entries(PROGRAMS))(
  'the npm package %s works unmodified with momo-mock run --preset mpesa-daraja',
  (name, program) => {
    const project = openNodeProject();
    project.link(name);
    project.write(
      'main.js',
      `${program}
      const { CheckoutRequestID } = dataOf(await push());
      console.log(dataOf(await query(CheckoutRequestID)).ResultCode);
      await fetch(process.env.MOMO_MOCK_CONTROL_URL + '/finish', { method: 'POST' });
      console.log(dataOf(await query(CheckoutRequestID)).ResultCode);`,
    );
    const said = project.run('momo-mock run --preset mpesa-daraja -- node main.js');
    expect(said).toMatch(/4999\n0\n/);
  },
);
