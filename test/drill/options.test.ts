import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { ask } from '../support/client.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import {
  type DrillOrder,
  drills,
  type MomoDrillOptions,
  MomoMockError,
} from '../support/momo-mock.ts';
import { openApplication } from './application.ts';
import { drillShop } from './faults.ts';
import { openWebhookServer } from './webhook-server.ts';

// Some drills take half a minute, in real time.
vi.setConfig({ testTimeout: 180_000, maxConcurrency: 14 });

const APPLICATION = { pay: async () => {}, outcome: async () => 'pending' as const };

const AMOUNTS = 'an object of lists of amounts by currency, such as { "XOF": [1000, 730] }';

function problemWith(options: object): string {
  try {
    drills({ preset: 'chipdeals', ...APPLICATION, ...options } as MomoDrillOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(MomoMockError);
    return (error as MomoMockError).message;
  }
  return 'no problem';
}

it.each([
  {
    what: 'an unknown option',
    options: { outcom: () => {} },
    problem: 'unknown option "outcom". Did you mean "outcome"?',
  },
  {
    what: 'a mistyped option of the mock',
    options: { presett: 'x' },
    problem: 'unknown option "presett". Did you mean "preset"?',
  },
  { what: 'no pay', options: { pay: undefined }, problem: 'pay: must be a function.' },
  {
    what: 'a text as outcome',
    options: { outcome: 'paid' },
    problem: 'outcome: must be a function.',
  },
  {
    what: 'a text as reconcile',
    options: { reconcile: 'x' },
    problem: 'reconcile: must be a function.',
  },
  {
    what: 'a path as webhook',
    options: { webhook: '/webhooks' },
    problem: 'webhook: must be a URL such as http://127.0.0.1:3000/webhooks.',
  },
  {
    what: 'an unknown failure',
    options: { only: ['lost-respons'] },
    problem: 'only: Unknown failure "lost-respons". Did you mean "lost-response"?',
  },
  {
    what: 'an empty list',
    options: { only: [] },
    problem: 'only: must be a list of names of failures.',
  },
  {
    what: 'a limit that is too short',
    options: { limit: 10 },
    problem: 'limit: must be a whole number from 1000 to 600000.',
  },
  {
    what: 'a patience that is too long',
    options: { patience: 3_600_001 },
    problem: 'patience: must be a whole number from 1000 to 3600000.',
  },
  {
    what: 'a text as amount',
    options: { amounts: { XOF: ['1000'] } },
    problem: `amounts: must be ${AMOUNTS}.`,
  },
  {
    what: 'no amount at all',
    options: { amounts: { XOF: [] } },
    problem: `amounts: must be ${AMOUNTS}.`,
  },
  {
    what: 'no concurrency at all',
    options: { concurrency: 0 },
    problem: 'concurrency: must be a whole number from 1 to 100.',
  },
])('$what is an error of the drill', ({ options, problem }) => {
  expect(problemWith(options)).toBe(`Failed to read the options of the drill: ${problem}`);
});

type Given = Partial<Omit<MomoDrillOptions, 'preset'>> & { readonly preset?: undefined };

/** What the first failure says of an application. */
async function said(options: Given): Promise<string> {
  const failures = drills({
    ...{ preset: 'chipdeals', only: ['success'], limit: 2000, patience: 1000 },
    ...APPLICATION,
    ...(options as object),
  });
  const [first] = [...failures];
  const text = await first?.run().then(
    ({ verdict, sentence }) => `${verdict}: ${sentence}`,
    ({ message }) => message,
  );
  await failures.close();
  return `${text}`;
}

it.concurrent.each<[string, Given, string]>([
  [
    'whose pay throws',
    {
      pay: async ({ provider }) => {
        throw new Error(`no route to ${provider.apiKey} and ${provider.webhookSecret}`);
      },
    },
    'Failed to pay, although nothing went wrong: no route to [redacted] and [redacted].',
  ],
  [
    'whose outcome throws',
    {
      outcome: async () => {
        throw new Error('no database');
      },
    },
    'Failed to read the outcome of an order: no database.',
  ],
  [
    'whose outcome is another word',
    { outcome: async () => 'PAID' as 'paid' },
    "Failed to read the outcome of an order: it is not 'paid', 'pending' or 'failed', nor { state, fulfilled }.",
  ],
  [
    'whose fulfilled is not a number',
    { outcome: async () => ({ state: 'paid' as const, fulfilled: '1' as unknown as number }) },
    'Failed to read the outcome of an order: its fulfilled is not a whole number from 0.',
  ],
  [
    'that does nothing',
    {},
    'The customer was not charged: the application says pending, and no payment was taken within 1 s. Set patience',
  ],
  [
    'that sends nothing',
    {},
    ' No request reached the provider. Send requests to provider.url, or redirect the host',
  ],
  [
    'that takes every order for paid',
    { outcome: async () => 'paid' as const },
    'The application says paid, but the customer was not charged.',
  ],
  [
    'of a provider without a drill.js',
    { preset: undefined },
    'Failed to run the drill: the fixtures have no drill.js',
  ],
])('the drill of an application %s says so', async (_what, options, sentence) => {
  expect(await said(options)).toContain(sentence);
});

it.concurrent('no other failure runs if success is not survived', async () => {
  const orders: DrillOrder[] = [];
  const pay = async (order: DrillOrder) => void orders.push(order);
  const failures = drills({ preset: 'chipdeals', ...APPLICATION, pay, limit: 1000 });
  const all = await Promise.allSettled([...failures].map(({ run }) => run()));
  await failures.close();
  expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(all.length);
  expect(orders).toHaveLength(1);
});

it.concurrent('an application with a built-in host is drilled with the option redirect', async () => {
  const states = new Map<string, string>();
  const references = new Map<string, string>();
  const at = ({ apiKey, ca }: DrillOrder['provider']) => ({
    ...{ apiKey, ca },
    url: 'https://apis.chipdeals.me',
  });
  const failures = drills({
    preset: 'chipdeals',
    redirect: 'apis.chipdeals.me',
    only: ['success', 'declined'],
    limit: 6000,
    pay: async ({ order, phone, amount, currency, provider }) => {
      const body = { senderPhoneNumber: phone, amount, currency, merchantOrderId: order };
      const { json } = await ask(at(provider), '/momo/requestPayment', {
        method: 'POST',
        body,
      });
      references.set(order, (json as { payment: { reference: string } }).payment.reference);
    },
    outcome: async ({ order, provider }) => {
      const path = `/momo/status/${references.get(order)}`;
      const { json } = await ask(at(provider), path);
      const { status } = (json as { transaction: { status: string } }).transaction;
      states.set(order, status);
      return status === 'success' ? 'paid' : status === 'error' ? 'failed' : 'pending';
    },
  });
  const results = await Promise.all([...failures].map(({ run }) => run()));
  await failures.close();
  expect(results.map(({ verdict }) => verdict)).toEqual(['survived', 'survived']);
  expect([...states.values()].sort()).toEqual(['error', 'success']);
});

it.concurrent('each order has one of the given amounts', async () => {
  const { pay, close, ...shop } = await openApplication();
  const paid = new Map<string, string>();
  const failures = drills({
    ...{ preset: 'chipdeals', only: ['success', 'declined'], limit: 4000 },
    ...{ ...shop, amounts: { XAF: [1200], XOF: [5000] } },
    pay: async (order) => {
      paid.set(order.phone, `${order.amount} ${order.currency}`);
      await pay(order);
    },
  });
  await Promise.all([...failures].map(({ run }) => run()));
  await failures.close();
  await close();
  expect([...paid.values()]).toEqual(['1200 XAF', '5000 XOF']);
});

describe.concurrent('a webhook that the drill sends', () => {
  const only = ['webhook-forged'];
  const limit = 6000;

  it('goes to where the application asks for it, also if webhook is another URL', async () => {
    const { webhook, ...shop } = await openApplication();
    const other = `${webhook}`.replace('/webhooks', '/other');
    const said = await drillShop({ ...shop, webhook: other }, { preset: 'chipdeals', limit, only });
    expect(said).toEqual({ 'webhook-forged': 'survived' });
  });

  it('is inconclusive where the provider sends it elsewhere', async ({ onTestFinished }) => {
    const elsewhere = await openWebhookServer(async () => {});
    onTestFinished(elsewhere.close);
    const fixturesDir = temporaryFolder(onTestFinished);
    const preset = pathToFileURL('presets/chipdeals/fixtures/drill.js');
    writeFiles(fixturesDir, {
      'drill.js': `import preset from '${preset}';
const { payment } = preset.flows;
const of = async (given, end) => ({ ...(await payment.webhooks.of(given, end)), url: given.webhook });
export default { ...preset, flows: { payment: { ...payment, webhooks: { ...payment.webhooks, of } } } };`,
    });
    const shop = { ...(await openApplication()), webhook: elsewhere.webhook };
    const said = await drillShop(shop, { preset: 'chipdeals', fixturesDir, limit, only });
    expect(said['webhook-forged']).toMatch(
      /^The failure did not happen: the application asks for webhooks at \S+, but webhook is \S+\.\n/,
    );
  });
});
