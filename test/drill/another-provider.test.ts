import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import type { DrillOrder, DrillOutcome } from '../support/momo-mock.ts';
import { type Call, call } from './call.ts';
import { drillShop, notSurvived } from './faults.ts';
import { openWebhookServer } from './webhook-server.ts';

vi.setConfig({ testTimeout: 300_000, maxConcurrency: 6 });

/**
 * A provider as others are: 202 and then questions, tokens that end, an id that the client chooses, and
 * callbacks without a signature, and only at the end.
 */
const TREE = {
  'state.json': '{ "tokenSeconds": 3600, "end": "SUCCESSFUL", "seconds": 5 }',
  '_token.js': `export const isValid = async ({ headers }, { state, now }) => {
  const expiry = await state.get('tokens/' + headers.authorization);
  return expiry !== undefined && expiry > now();
};`,
  'token.post.js': `export default async (_request, { state, now, uuid }) => {
  const token = uuid();
  await state.set('tokens/Bearer ' + token, now() + 1000 * (await state.get('tokenSeconds')));
  return { body: { token } };
};`,
  'pay.post.js': `import { isValid } from './_token.js';
export default async (request, context) => {
  const { state, after, now, webhook } = context;
  if (!(await isValid(request, context))) return { status: 401, body: {} };
  const { headers, body } = request;
  const name = 'payments/' + headers['x-reference-id'];
  if (await state.get(name)) return { status: 409, body: {} };
  const url = headers['x-callback-url'];
  await state.set(name, { ...body, url, status: 'PENDING', time: now() });
  const status = await state.get('end');
  if (status !== 'PENDING') after(1000 * (await state.get('seconds')), async () => {
    const { url, ...payment } = await state.update(name, (before) => ({ ...before, status }));
    webhook({ url, body: payment });
  });
  return { status: 202 };
};`,
  'pay/[id].get.js': `import { isValid } from '../_token.js';
export default async (request, context) => {
  if (!(await isValid(request, context))) return { status: 401, body: {} };
  const { url, ...payment } = (await context.state.get('payments/' + request.params.id)) ?? {};
  return url ? { body: payment } : { status: 404, body: {} };
};`,
  'drill.js': `const end = (end) => ({ phone: (order) => '2547' + (10000001 + order), state: { end } });
export default {
  flows: {
    payment: {
      start: ['POST /pay'], status: ['GET /pay/:id'],
      amounts: { KES: [500, 19.99, 7, 25.5, 120000] },
      ends: { success: end('SUCCESSFUL'), declined: end('FAILED'), never: end('PENDING') },
      settle: (ms) => ({ seconds: ms / 1000 }),
      lost: 'status',
      unknown: { 'GET /pay/:id': { status: 404, body: {} } },
      webhooks: {
        success: { status: 'SUCCESSFUL' },
        of: async ({ state, payment }, end) => {
          const { url, ...body } = await state.get('payments/' + payment.id);
          return { url, body: { ...body, status: end === 'success' ? 'SUCCESSFUL' : 'FAILED' } };
        },
      },
      addPaidOrder: async ({ state, payment }) => {
        const before = await state.get('payments/' + payment.id);
        await state.set('payments/other', { ...before, order: 'other', status: 'SUCCESSFUL' });
        return 'other';
      },
    },
  },
  state: { tokenSeconds: 100000000 },
  credentials: ['user'],
  prepare: async ({ state }) => { await state.set('user', 'u1'); return { user: 'u1' }; },
  ledger: async (state) => Object.entries(await state.list('payments/')).map(([name, payment]) => ({
    id: name.slice(9), kind: 'payment', of: null, amount: payment.amount, currency: payment.currency,
    party: payment.phone, order: payment.order, time: new Date(payment.time).toISOString(),
    state: { PENDING: 'pending', SUCCESSFUL: 'success', FAILED: 'failed' }[payment.status],
  })),
  tokens: { operations: ['POST /token'], seconds: 3600, state: { tokenSeconds: 3600 } },
  cannot: { 'webhook-amount': 'The payer confirms the amount.' },
};`,
};

interface Faults {
  readonly takesNewId?: boolean;
  /** Knows no payment whose response it did not get, and does not pay again. */
  readonly knowsOnlyResponses?: boolean;
}

interface Order extends DrillOrder {
  state: DrillOutcome['state'];
  id: string;
}

/** A shop that asks the provider after each callback, and from a cron job. */
async function openShop(faults: Faults) {
  const orders = new Map<string, Order>();
  const tokens = new Map<string, string>();
  const send = ({ provider }: Order, { path, ...given }: Call) =>
    call(provider, { ...given, path: `${path}?apikey=${provider.apiKey}` }, TIMEOUT);
  const tokenOf = async (order: Order) => {
    const { json } = await send(order, { method: 'POST', path: '/token' });
    tokens.set(order.provider.apiKey, `Bearer ${json.token}`);
    return `Bearer ${json.token}`;
  };
  const authorized = async (order: Order, { headers, ...given }: Call) => {
    const authorization = tokens.get(order.provider.apiKey) ?? (await tokenOf(order));
    const reply = await send(order, { ...given, headers: { authorization, ...headers } });
    if (reply.status !== 401) return reply;
    const renewed = { ...headers, authorization: await tokenOf(order) };
    return await send(order, { ...given, headers: renewed });
  };
  const check = async (order: Order | undefined): Promise<void> => {
    if (order?.state !== 'pending') return;
    const { status, json } = await authorized(order, { method: 'GET', path: `/pay/${order.id}` });
    if (status === 200 && json.status === 'SUCCESSFUL') order.state = 'paid';
    if (status === 200 && json.status === 'FAILED') order.state = 'failed';
  };
  const { webhook, close } = await openWebhookServer(({ order }) => check(orders.get(order)));
  return {
    webhook,
    pay: async (given: DrillOrder) => {
      if (orders.has(given.order)) return;
      const order: Order = { ...given, state: 'pending', id: `${given.order}-1` };
      orders.set(given.order, order);
      for (let attempt = 1; attempt <= 3; attempt++) {
        if (faults.takesNewId) order.id = `${given.order}-${attempt}`;
        const headers = { 'x-reference-id': order.id, 'x-callback-url': webhook };
        const { amount, currency, phone } = order;
        const body = { order: given.order, amount, currency, phone };
        const sent = authorized(order, { method: 'POST', path: '/pay', headers, body });
        const { status, text } = await sent.catch(() => ({ status: 0, text: '' }));
        if (faults.knowsOnlyResponses && status !== 202) {
          order.id = 'unknown';
          return;
        }
        if ((status === 202 && text === '') || status === 409) return;
        await new Promise((done) => setTimeout(done, status === 429 ? 3000 : 100));
      }
    },
    outcome: async ({ order }: DrillOrder) => orders.get(order)?.state ?? 'pending',
    reconcile: async ({ order }: DrillOrder) => await check(orders.get(order)),
    close,
  };
}

/** In ms. It limits the handshake, too, and the machine may be busy. */
const TIMEOUT = 5000;
const parent = temporaryFolder(afterAll);
let folders = 0;

async function drillProvider(faults: Faults, only?: readonly string[], lost = 'status') {
  // Shorter for those that do not survive.
  const limit = only === undefined ? 12_000 : 8000;
  const fixturesDir = join(parent, `${++folders}`);
  const drill = TREE['drill.js'].replace("lost: 'status'", `lost: '${lost}'`);
  writeFiles(fixturesDir, { ...TREE, 'drill.js': drill });
  return await drillShop(await openShop(faults), { fixturesDir, limit, ...(only && { only }) });
}

it.concurrent('an application of a provider with tokens and unsigned webhooks survives what its drill.js allows', async () => {
  const said = await drillProvider({});
  expect(notSurvived(said)).toEqual({});
  const others = Object.entries(said).filter(([, text]) => text !== 'survived');
  expect(Object.fromEntries(others)).toEqual({
    'no-funds': 'not-applicable: drill.js says no phone number for the end no-funds.',
    expired: 'not-applicable: drill.js says no phone number for the end expired.',
    'webhook-twice':
      'not-applicable: The application does not tell how often it fulfilled the order.',
    'webhook-order': 'not-applicable: The provider sends no webhook while a payment is pending.',
    'webhook-amount': 'not-applicable: The payer confirms the amount.',
  });
});

it.concurrent.each([
  ['status', /the customer paid [\d.]+ KES, but the application still says pending/i],
  ['webhook', /the customer paid [\d.]+ KES, but the application still says pending/i],
  ['unknown', /^survived$/],
])(
  'staying pending after a lost response is right only where a provider has no way to find out: %s',
  async (lost, sentence) => {
    const said = await drillProvider({ knowsOnlyResponses: true }, ['lost-response'], lost);
    expect(said).toEqual({ 'lost-response': expect.stringMatching(sentence) });
  },
);

it.concurrent('paying again is wrong where a provider has no way to find out, too', async () => {
  const said = await drillProvider({ takesNewId: true }, ['timeout'], 'unknown');
  expect(said).toEqual({ timeout: expect.stringMatching(/the customer was charged twice/i) });
});
