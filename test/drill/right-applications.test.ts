import { describe, expect, it, vi } from 'vitest';
import { openApplication, type Times } from './application.ts';
import type { Habits } from './application-traits.ts';
import { resultsOf } from './faults.ts';

// They wait in real time, for up to a minute, and several at once.
vi.setConfig({ testTimeout: 300_000, maxConcurrency: 9 });

/** What a busy machine needs for a handshake, in ms. */
const TIMEOUT = { timeout: 5000 };

interface Row {
  readonly what: string;
  readonly traits?: Habits;
  readonly times?: Partial<Times>;
  readonly limit?: number;
  readonly patience?: number;
  /** The failures that it concerns. */
  readonly only: readonly string[];
}

const LOST = ['lost-response', 'timeout', 'half-response', 'server-error', 'garbage'];
const NOT_TAKEN = ['lost-request', 'unavailable', 'down', 'rate-limited'];
const SENT = ['webhook-forged', 'webhook-other-order'];

const ROWS: readonly Row[] = [
  {
    what: 'comes back from pay when the payer has paid, or after longer than the limit',
    traits: { waitsForPayer: 5000 },
    limit: 4000,
    patience: 40_000,
    only: ['pending-forever', 'down', 'wrong-certificate'],
  },
  {
    what: 'has a timeout of 15 s for each request',
    times: { timeout: 15_000 },
    patience: 40_000,
    only: ['timeout', 'status-broken'],
  },
  {
    what: 'asks only about orders that are older than 10 s',
    traits: { asksAfter: 10_000 },
    patience: 30_000,
    only: ['status-broken', 'no-webhook'],
  },
  {
    what: 'acknowledges webhooks late',
    traits: { acknowledgesAfter: 2000 },
    limit: 5000,
    only: ['webhook-twice', 'webhook-first', 'webhook-forged'],
  },
  {
    what: 'handles webhooks late',
    traits: { handlesAfter: 2000 },
    limit: 5000,
    only: ['webhook-twice', 'webhook-first'],
  },
  {
    what: 'has a URL of its own for the webhooks of each order',
    traits: { hasUrlForEachOrder: true },
    only: [...SENT, 'webhook-twice', 'webhook-first'],
  },
  {
    what: 'sends an id of its own with each order',
    traits: { id: 'own' },
    only: [...LOST, ...SENT, 'lost-request', 'webhook-first', 'double-click'],
  },
  {
    what: 'sends no id, and never pays again after a lost response',
    traits: { id: 'none' },
    only: [...LOST, ...SENT, 'lost-request', 'webhook-first', 'double-click'],
  },
  {
    what: 'has one worker, which handles a webhook after its own request',
    traits: { hasOneWorker: true },
    only: ['timeout', 'webhook-first', 'webhook-twice', 'status-broken', 'double-click'],
  },
  {
    what: 'leaves the next attempt to its cron job',
    traits: { retriesFromCron: true },
    only: [...LOST, ...NOT_TAKEN],
  },
];

async function drillRow({ traits = {}, times, limit = 8000, patience, only }: Row) {
  const options = { preset: 'chipdeals', limit, only, ...(patience && { patience }) } as const;
  return await resultsOf(await openApplication(traits, { ...TIMEOUT, ...times }), options);
}

describe.concurrent('an application that is right', () => {
  it.each(ROWS)('survives what concerns it if it $what', async (row) => {
    const said = await drillRow(row);
    const expected = row.only.map((name) => [name, expect.stringMatching(/^survived: /)]);
    expect(said).toEqual(Object.fromEntries(expected));
  });

  it('survives broken questions if it only listens to webhooks', async () => {
    const application = await openApplication({ neverAsks: true }, TIMEOUT);
    const only = ['timeout', 'status-broken', 'webhook-twice'];
    const said = await resultsOf(application, { preset: 'chipdeals', limit: 8000, only });
    expect(said).toEqual({
      timeout: expect.stringMatching(/^survived: .* It never asked\.$/),
      'status-broken': 'survived: Charged once, and paid. It never asked.',
      'webhook-twice': expect.stringMatching(/^survived: .* It never asked\.$/),
    });
  });
});

describe.concurrent('an application with one worker', () => {
  it('is told that it handled an early webhook after the response', async () => {
    const application = await openApplication({ hasOneWorker: true }, TIMEOUT);
    const only = ['webhook-first'];
    expect(await resultsOf(application, { preset: 'chipdeals', limit: 8000, only })).toEqual({
      'webhook-first':
        'survived: Charged once, and paid. It handled the webhook after the response.',
    });
  });
});

// It finds out with its cron job, so nothing else shows that no webhook gets through.
describe.concurrent('an application whose webhook URL refuses everything', () => {
  it.each([403, 404])('is told where webhooks went, and that they got %i', async (status) => {
    const application = await openApplication({ refusesWebhooks: status }, TIMEOUT);
    const only = [
      ...['webhook-twice', 'webhook-order', 'webhook-first'],
      ...['webhook-forged', 'webhook-other-order', 'no-webhook'],
    ];
    const said = await resultsOf(application, { preset: 'chipdeals', limit: 8000, only });
    const text = `The failure did not happen: webhooks do not get through: ${application.webhook} responds with ${status}, in success as well.\n`;
    const expected = only.map((name) => [name, expect.stringContaining(text)]);
    expect(said).toEqual({
      ...Object.fromEntries(expected),
      'no-webhook': 'survived: Charged once, and paid.',
    });
  });
});
