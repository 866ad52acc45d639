import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { DrillOrder } from '../support/momo-mock.ts';
import { drillShop } from './faults.ts';
import { openMpesaShop } from './mpesa-shop.ts';
import { drillPreset, PRESET_FAULTS } from './preset-faults.ts';

// A drill waits in real time: seconds for each failure, and several at once.
vi.setConfig({ testTimeout: 180_000, maxConcurrency: 12 });

/** Shorter than usual, in ms: all times of the drill are shorter in proportion. */
const LIMIT = 8000;
/** Longer than the timeout of a shop, and shorter than usual for orders that stay pending. */
const PATIENCE = 8000;

describe.concurrent('the drill of a shop', () => {
  it('meets a pending payment with reconcile, however slowly the application tells its outcome', async () => {
    const shop = await openMpesaShop({ pendingMeansFailed: true });
    const outcome = async (order: DrillOrder) => {
      await sleep(500);
      return await shop.outcome(order);
    };
    const only = ['success'];
    const said = await drillShop({ ...shop, outcome }, { preset: 'mpesa-daraja', only });
    expect(said.success).toMatch(/^The application says failed, but the customer may still pay/);
  });

  it.each(PRESET_FAULTS)('of $preset says what $faults leads to', async ({ fails, ...row }) => {
    const only = Object.keys(fails);
    const said = await drillPreset(row, { limit: LIMIT, patience: PATIENCE, only });
    expect(said).toEqual(
      Object.fromEntries(
        Object.entries(fails).map(([name, sentence]) => [name, expect.stringMatching(sentence)]),
      ),
    );
  });
});
