import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { DrillOrder } from '../support/momo-mock.ts';
import { drillShop, notSurvived } from './faults.ts';
import { openMpesaShop } from './mpesa-shop.ts';
import { drillPreset, PRESET_FAULTS, PRESET_LACKS } from './preset-faults.ts';

// A drill waits in real time: seconds for each failure, and several at once.
vi.setConfig({ testTimeout: 180_000 });

/** Shorter than usual, in ms: all times of the drill are shorter in proportion. */
const LIMIT = 8000;
/** Long enough for a right application on a busy machine. */
const ENOUGH = 12_000;

const others = (said: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(said).filter(([, text]) => text !== 'survived'));

it.each(['mtn-momo', 'mpesa-daraja'] as const)(
  'a shop of %s without a fault survives what the preset can have',
  async (preset) => {
    const said = await drillPreset({ preset }, { limit: ENOUGH });
    expect(others(said)).toEqual(PRESET_LACKS[preset]);
  },
);

describe.concurrent('the drill of a shop', () => {
  it('of mpesa-daraja says that it is right to stay pending where nobody can know', async () => {
    const only = ['lost-response', 'timeout', 'half-response', 'server-error', 'garbage'];
    const shop = await openMpesaShop({}, { hasOwnUrls: false });
    const said = await drillShop(shop, { preset: 'mpesa-daraja', limit: ENOUGH, only });
    expect(notSurvived(said)).toEqual({});
  });

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

  it.each(PRESET_FAULTS)('of $preset says what $fault leads to', async ({ fails, ...row }) => {
    const said = await drillPreset(row, { limit: LIMIT, only: Object.keys(fails) });
    expect(said).toEqual(
      Object.fromEntries(
        Object.entries(fails).map(([name, sentence]) => [name, expect.stringMatching(sentence)]),
      ),
    );
  });
});
