import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type ReceivedResponse, send } from '../support/client.ts';
import { sharedMock } from '../support/mock.ts';
import type {
  DrillEnd,
  DrillFlow,
  DrillPayment,
  LedgerEntry,
  MomoAccount,
  MomoDrill,
  PaymentEnd,
} from '../support/momo-mock.ts';
import { startWebhook } from '../support/webhook.ts';

/** How an application uses one provider. */
interface Client {
  readonly pay: (one: Order) => Promise<ReceivedResponse>;
  /** @param id of a ledger entry, or of nothing */
  readonly ask: (by: Shop, id: string) => Promise<ReceivedResponse>;
  /** Gives a phone money. */
  readonly send: (one: Order) => Promise<ReceivedResponse>;
  /** The id of no payment. */
  readonly nobody: string;
}

interface Shop {
  readonly momo: MomoAccount;
  readonly credentials: Readonly<Record<string, string>>;
}

interface Order extends Shop {
  readonly order: string;
  readonly amount: number;
  readonly currency: string;
  readonly phone: string;
  readonly url: string;
}

const post = ({ momo }: Shop, path: string, body: object, headers: object = {}) =>
  send(momo, path, { method: 'POST', body, headers: { ...headers } });

const chipdeals: Client = {
  pay: ({ order, phone, url, amount, currency, ...shop }) =>
    post(shop, `/momo/requestPayment?apikey=${shop.momo.apiKey}`, {
      ...{ amount, currency, senderPhoneNumber: phone },
      ...{ merchantOrderId: order, webhookUrl: url },
    }),
  ask: ({ momo }, id) => send(momo, `/momo/status/${id}?apikey=${momo.apiKey}`),
  send: ({ phone, amount, currency, ...shop }) =>
    post(shop, `/momo/deposit?apikey=${shop.momo.apiKey}`, {
      ...{ amount, currency, recipientPhoneNumber: phone },
    }),
  nobody: '11111111-1111-4111-8111-111111111111',
};

async function mtnHeaders({ momo, credentials }: Shop, product: string) {
  const { apiUser, apiUserKey, targetEnvironment } = credentials;
  const key = { 'Ocp-Apim-Subscription-Key': momo.apiKey };
  const basic = Buffer.from(`${apiUser}:${apiUserKey}`).toString('base64');
  const headers = { ...key, authorization: `Basic ${basic}` };
  const { json } = await send(momo, `/${product}/token/`, { method: 'POST', headers });
  const { access_token } = json as { access_token: string };
  const bearer = { ...key, authorization: `Bearer ${access_token}` };
  return { ...bearer, 'X-Target-Environment': `${targetEnvironment}` };
}

const mtn: Client = {
  async pay({ order, phone, url, amount, currency, ...shop }) {
    const payer = { partyIdType: 'MSISDN', partyId: phone };
    const id = { 'X-Reference-Id': crypto.randomUUID(), 'X-Callback-Url': url };
    const headers = { ...(await mtnHeaders(shop, 'collection')), ...id };
    const body = { amount: `${amount}`, currency, externalId: order, payer };
    return await post(shop, '/collection/v1_0/requesttopay', body, headers);
  },
  async ask(shop, id) {
    const headers = await mtnHeaders(shop, 'collection');
    return await send(shop.momo, `/collection/v1_0/requesttopay/${id}`, { headers });
  },
  async send({ phone, amount, currency, ...shop }) {
    const payee = { partyIdType: 'MSISDN', partyId: phone };
    const id = { 'X-Reference-Id': crypto.randomUUID() };
    const headers = { ...(await mtnHeaders(shop, 'disbursement')), ...id };
    const body = { amount: `${amount}`, currency, payee };
    return await post(shop, '/disbursement/v1_0/transfer', body, headers);
  },
  nobody: chipdeals.nobody,
};

async function mpesaPost(shop: Shop, path: string, body: object) {
  const { momo, credentials } = shop;
  const basic = Buffer.from(`${momo.apiKey}:${credentials.consumerSecret}`).toString('base64');
  const { json } = await send(momo, '/oauth/v1/generate?grant_type=client_credentials', {
    headers: { authorization: `Basic ${basic}` },
  });
  const { access_token } = json as { access_token: string };
  return await post(shop, path, body, { authorization: `Bearer ${access_token}` });
}

const signed = ({ credentials: { shortcode, passkey } }: Shop) => ({
  BusinessShortCode: shortcode,
  Password: Buffer.from(`${shortcode}${passkey}20240706224852`).toString('base64'),
  Timestamp: '20240706224852',
});

const mpesa: Client = {
  pay: ({ order, phone, url, amount, ...shop }) =>
    mpesaPost(shop, '/mpesa/stkpush/v1/processrequest', {
      ...signed(shop),
      ...{ TransactionType: 'CustomerPayBillOnline', Amount: amount, TransactionDesc: order },
      ...{ PartyA: phone, PartyB: shop.credentials.shortcode, PhoneNumber: phone },
      ...{ CallBackURL: url, AccountReference: order },
    }),
  ask: (shop, id) =>
    mpesaPost(shop, '/mpesa/stkpushquery/v1/query', { ...signed(shop), CheckoutRequestID: id }),
  send: ({ phone, amount, ...shop }) =>
    mpesaPost(shop, '/mpesa/b2c/v1/paymentrequest', {
      InitiatorName: shop.credentials.initiatorName,
      SecurityCredential: shop.credentials.securityCredential,
      ...{ CommandID: 'BusinessPayment', Amount: amount, PartyB: phone, Remarks: 'OK' },
      ...{ PartyA: shop.credentials.shortcode },
      ...{ QueueTimeOutURL: 'http://127.0.0.1:9/', ResultURL: 'http://127.0.0.1:9/' },
    }),
  nobody: 'ws_CO_1',
};

const PRESETS = [
  { preset: 'chipdeals', client: chipdeals, first: ['XOF', 1000], hasFractions: false },
  { preset: 'mtn-momo', client: mtn, first: ['EUR', 25], hasFractions: true },
  { preset: 'mpesa-daraja', client: mpesa, first: ['KES', 1000], hasFractions: false },
] as const;

const ENDS: readonly PaymentEnd[] = ['success', 'declined', 'no-funds', 'expired', 'never'];
const STATES = {
  success: 'success',
  declined: 'failed',
  'no-funds': 'failed',
  expired: 'failed',
  never: 'pending',
} as const;

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));

/** The names of a value, and the types under them. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.entries(value).map(([name, one]) => [name, shapeOf(one)]);
}

describe.each(PRESETS)('drill.js of $preset', ({ preset, client, first, hasFractions }) => {
  const mock = sharedMock({}, { preset });
  const read = async (): Promise<MomoDrill & { flow: DrillFlow }> => {
    const file = pathToFileURL(`presets/${preset}/fixtures/drill.js`).href;
    const { default: drill }: { default: MomoDrill } = await import(file);
    const flow = drill.flows.payment;
    if (flow === undefined) throw new Error('no payments');
    return { ...drill, flow };
  };
  const phoneOf = ({ phone }: DrillEnd, order: number, currency: string) =>
    typeof phone === 'string' ? phone : phone(order, currency);

  /** An account of a drill, whose clock stands still, and what a drill does in it. */
  async function open() {
    const drill = await read();
    const momo = await mock().createAccount({ state: drill.state ?? {} });
    await momo.freeze();
    const { state, apiKey } = momo;
    const app = await startWebhook();
    const webhookSecret = 'a webhook secret';
    const webhook = { payment: app.url, payout: '', refund: '' };
    const account = { state, apiKey, webhookSecret };
    const credentials = (await drill.prepare?.({ ...account, webhook })) ?? {};
    const shop: Shop = { momo, credentials };
    const endOf = (end: PaymentEnd): DrillEnd => drill.flow.ends[end] ?? drill.flow.ends.success;
    const set = async (values: object = {}) => {
      for (const [name, value] of Object.entries(values)) await state.set(name, value);
    };
    /** What a drill asks an application for. */
    const order = (end: PaymentEnd, number: number): Order => {
      const currencies = Object.keys(drill.flow.amounts);
      const currency = currencies[number % currencies.length] ?? '';
      const amounts = drill.flow.amounts[currency] ?? [];
      const amount = amounts[number % amounts.length] ?? 0;
      const phone = phoneOf(endOf(end), number, currency);
      // Not the configured one, as of an application with a URL for each order.
      return { ...shop, order: `A${number}`, amount, currency, phone, url: `${app.url}/${number}` };
    };
    const ledger = (): Promise<LedgerEntry[]> => momo.ledger();
    /** Starts a payment, and returns its entry. */
    const begin = async (end: PaymentEnd, number: number): Promise<LedgerEntry> => {
      await set(endOf(end).state);
      const before = await ledger();
      const response = await client.pay(order(end, number));
      expect(response.status).toBeLessThan(300);
      const added = (await ledger()).filter(({ id }) => before.every((one) => one.id !== id));
      expect(added).toHaveLength(1);
      return added[0] as LedgerEntry;
    };
    const about = (payment: LedgerEntry): DrillPayment => ({
      ...account,
      payment,
      webhook: app.url,
    });
    const entry = async (id: string) => (await ledger()).find((one) => one.id === id);
    return { drill, momo, app, shop, order, ledger, begin, about, entry, set };
  }

  it('has amounts that show what is built in, rounded or compared as text', async () => {
    const { amounts } = (await read()).flow;
    const all = Object.values(amounts).flat();
    expect(all.length).toBeGreaterThanOrEqual(8);
    expect([Object.keys(amounts)[0], all[0]]).toEqual(first);
    for (const list of Object.values(amounts)) {
      expect(new Set(list).size).toBe(list.length);
      const lengths = list.map((amount) => `${Math.floor(amount)}`.length);
      expect(lengths).toEqual(expect.arrayContaining([1, 2, 3, 4, 6]));
      const isRounded = (amount: number) => amount * 100 !== Math.round(amount * 100);
      expect(list.some(isRounded)).toBe(hasFractions);
      expect(list.some((amount) => !Number.isInteger(amount))).toBe(hasFractions);
      expect(list.some((amount) => /\.\d$/.test(`${amount}`))).toBe(hasFractions);
    }
  });

  it('has phones that differ in their last eight digits, for 100,000 orders', async () => {
    const { amounts, ends } = (await read()).flow;
    const { begin } = await open();
    for (const end of Object.values(ends)) {
      const endings = Object.keys(amounts).flatMap((currency) =>
        Array.from({ length: 100_000 }, (_, order) => phoneOf(end, order, currency).slice(-8)),
      );
      expect(new Set(endings).size).toBe(endings.length);
      expect(endings.every((ending) => /^\d{8}$/.test(ending))).toBe(true);
    }
    // Of each currency.
    for (const number of [0, 1, 5000, 50_001, 99_998, 99_999]) await begin('success', number);
  });

  it('has ends that follow one another in one account, and are in the ledger', async () => {
    const { drill, momo, order, begin, entry } = await open();
    const names = ENDS.map((end) => Object.keys(drill.flow.ends[end]?.state ?? {}).sort());
    expect(new Set(names.map(String)).size).toBe(1);
    for (const [number, end] of [...ENDS, ...ENDS.toReversed()].entries()) {
      const { amount, currency, phone } = order(end, number);
      const begun = { kind: 'payment', of: null, amount, currency, order: `A${number}` };
      const payment = await begin(end, number);
      expect(payment).toMatchObject({ ...begun, party: phone, state: 'pending' });
      await momo.advance('idle');
      expect([end, await entry(payment.id)]).toEqual([end, { ...payment, state: STATES[end] }]);
    }
  });

  it.each(ENDS)('has ends of payments only: after %s, a payout is paid', async (end) => {
    const { momo, order, begin, ledger } = await open();
    await begin(end, 0);
    const { amount, currency, phone, ...more } = order(end, 3);
    await client.send({ amount, currency, phone, ...more });
    await momo.advance('idle');
    const payout = { kind: 'payout', of: null, amount, currency, party: phone, state: 'success' };
    expect(await ledger()).toContainEqual(expect.objectContaining(payout));
  });

  it('says of an unknown payment what the provider says', async () => {
    const { drill, shop, begin } = await open();
    await begin('success', 0);
    const { status, json, headers } = await client.ask(shop, client.nobody);
    const [operation] = Object.keys(drill.flow.unknown ?? {});
    expect([operation]).toEqual(drill.flow.status);
    const said = drill.flow.unknown?.[`${operation}`];
    expect({ status, ...headers }).toMatchObject({ status: said?.status, ...said?.headers });
    expect(shapeOf(json)).toEqual(shapeOf(said?.body));
    const { requestId, ...body } = Object(said?.body);
    expect(json).toMatchObject(body);
  });

  it.each([
    { end: 'success', sent: 'success', other: 'failed' },
    { end: 'declined', sent: 'failed', other: 'success' },
    { end: 'expired', sent: 'failed', other: 'success' },
  ] as const)(
    'has webhooks as the provider sends them, to the URL of a payment that ends with $end',
    async ({ end, sent, other }) => {
      const { drill, momo, app, begin, about, entry } = await open();
      const webhooks = drill.flow.webhooks;
      const payment = await begin(end, 3);
      const of = async (one: 'success' | 'failed') => {
        const webhook = await webhooks?.of(about((await entry(payment.id)) ?? payment), one);
        const { body } = webhook ?? {};
        return { ...webhook, json: JSON.parse(textOf(body)) };
      };
      const early = await of(sent);
      await momo.advance('idle');
      const genuine = app.calls.at(-1);
      expect(early.url).toBe(`${app.url}/3`);
      expect(early.url).toContain(genuine?.target);
      const real = JSON.parse(`${genuine?.body}`);
      expect(shapeOf(early.json)).toEqual(shapeOf(real));
      const late = await of(sent);
      expect(late.json).toEqual(real);
      for (const [name, value] of Object.entries({ ...late.headers, ...late.sign?.headers })) {
        const sign = `${value}`.replace('{secret}', `${late.sign?.secret}`);
        expect(genuine?.headers[name.toLowerCase()]).toBe(sign);
      }
      const both = { [sent]: late.json, [other]: (await of(other)).json };
      expect(both.success).toMatchObject(webhooks?.success as object);
      expect(both.failed).not.toMatchObject(webhooks?.success as object);
    },
  );

  it('adds paid orders that have webhooks of their own', async () => {
    const { drill, momo, begin, about, entry, ledger } = await open();
    const payment = await begin('declined', 3);
    const ids = [];
    for (const _ of [1, 2]) ids.push(`${await drill.flow.addPaidOrder?.(about(payment))}`);
    expect(new Set([payment.id, ...ids]).size).toBe(3);
    for (const id of ids) {
      const added = await entry(id);
      const { amount, party } = payment;
      expect(added).toMatchObject({ amount, party, state: 'success', order: 'another-order' });
      const webhook = await drill.flow.webhooks?.of(about(added as LedgerEntry), 'success');
      expect(webhook?.url).toMatch(/\/3$/);
      expect(JSON.stringify(webhook?.body)).not.toContain(payment.id);
    }
    await momo.advance('idle');
    expect((await ledger()).map(({ state }) => state).sort()).toEqual([
      ...['failed', 'success', 'success'],
    ]);
  });

  if (preset !== 'chipdeals')
    it('lets a payment end after a time, which its webhook tells', async () => {
      const { drill, momo, app, begin, about, entry, set } = await open();
      for (const [number, ms] of [90 * 60_000, 1500, 86_400_000].entries()) {
        await set(drill.flow.settle?.(ms));
        for (const end of ['expired', 'success'] as const) {
          const payment = await begin(end, number);
          await momo.advance(ms - 1);
          expect(await entry(payment.id)).toMatchObject({ state: 'pending' });
          await momo.advance(1);
          const ended = await entry(payment.id);
          expect(ended).toMatchObject({ state: STATES[end] });
          const webhook = await drill.flow.webhooks?.of(about(ended ?? payment), 'success');
          if (end === 'success') expect(app.calls.at(-1)?.body).toBe(textOf(webhook?.body));
        }
      }
    });

  if (preset === 'chipdeals')
    it('lets a payer pay less', async () => {
      const { drill, momo, shop, app, begin, about, entry } = await open();
      const payment = await begin('success', 4);
      await drill.flow.payLess?.(about(payment));
      await momo.advance('idle');
      const amount = Math.floor(payment.amount / 2);
      expect(await entry(payment.id)).toMatchObject({ amount, state: 'success' });
      const less = { amount, originalAmount: amount };
      const { transaction } = (await client.ask(shop, payment.id)).json as { transaction: object };
      expect(transaction).toMatchObject(less);
      expect(JSON.parse(`${app.calls.at(-1)?.body}`).data).toMatchObject(less);
    });

  if (preset === 'chipdeals')
    it('asks for money in the currency of the phone, so that nothing is converted', async () => {
      const { momo, begin } = await open();
      for (const number of [0, 1]) await begin('success', number);
      const transactions = Object.values(await momo.state.list('transactions/'));
      expect(transactions.map(({ currency }) => currency).sort()).toEqual(['XAF', 'XOF']);
    });
});
