import { describe, expect, it, vi } from 'vitest';
import type { DrillOrder } from '../support/momo-mock.ts';
import { drillShop } from './faults.ts';
import { openMpesaShop } from './mpesa-shop.ts';
import { openMtnShop } from './mtn-shop.ts';
import { IDS, PHONES, USUAL, wrongOf } from './right-shops.ts';

// A drill waits in real time: half a minute and more, and many at once.
vi.setConfig({ testTimeout: 180_000, maxConcurrency: 12 });

/** Shorter than usual, in ms, and long enough for a right application on a busy machine. */
const limit = 12_000;
/** What goes wrong with phone numbers and ids goes wrong here. All failures run in the night. */
const FEW = ['success', 'declined', 'lost-response'];

describe.concurrent('a shop that is right survives', () => {
  // right-applications.test.ts has those of chipdeals with other ids.
  const withIds = IDS.filter(({ preset }) => preset !== 'chipdeals');
  it.each([...withIds, ...PHONES])('at $preset what concerns it, if it $what', async (shop) => {
    expect(await wrongOf(shop, { limit, only: FEW })).toEqual({});
  });

  it('timeout and status-broken, with a timeout of 15 s for each request', async () => {
    const only = ['timeout', 'status-broken'];
    expect(await wrongOf(USUAL['mtn-momo'], { timeout: 15_000, only })).toEqual({});
  });

  // drill.test.ts has one of chipdeals.
  it.each([USUAL['mtn-momo'], USUAL['mpesa-daraja']])(
    'what $preset can have, if it $what',
    async (shop) => {
      expect(await wrongOf(shop, { limit })).toEqual({});
    },
  );

  it.each([
    ['mtn-momo', () => openMtnShop({ believesWebhooks: true }, { renewsToken: true })],
    ['mpesa-daraja', () => openMpesaShop({ believesWebhooks: true }, { renewsToken: true })],
  ] as const)(
    'token-expired of %s, if it renews its token in time and trusts the webhook',
    async (preset, open) => {
      const { reconcile: _, ...shop } = await open();
      const only = ['token-expired'];
      expect(await drillShop(shop, { preset, limit, only })).toEqual({
        'token-expired': 'survived',
      });
    },
  );
});

it('a shop whose timeout is too short for a busy machine is not called wrong', async () => {
  const shop = await openMpesaShop();
  const hasty = await openMpesaShop({}, { timeout: 1 });
  let orders = 0;
  const pay = async (order: DrillOrder) => await (orders++ === 0 ? shop : hasty).pay(order);
  const options = { preset: 'mpesa-daraja', limit: 2000, only: ['declined'] } as const;
  const { declined } = await drillShop({ ...shop, pay }, options);
  await hasty.close();
  expect(declined).toMatch(
    /^The failure did not happen: the application did not ask for [\d,]+ KES\.\n/,
  );
});
