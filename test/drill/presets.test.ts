import { describe, expect, it, vi } from 'vitest';
import { notSurvived } from './faults.ts';
import { openMpesaShop } from './mpesa-shop.ts';
import { drillPreset, drillShop, PRESET_FAULTS, PRESET_LACKS } from './preset-faults.ts';

// A drill waits in real time: seconds for each failure, and several at once.
vi.setConfig({ testTimeout: 180_000 });

/** Shorter than usual, in ms: all times of the drill are shorter in proportion. */
const LIMIT = 8000;

const others = (said: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(said).filter(([, text]) => text !== 'survived'));

it.each(['mtn-momo', 'mpesa-daraja'] as const)(
  'a shop of %s without a fault survives what the preset can have',
  async (preset) => {
    const said = await drillPreset({ preset }, { limit: LIMIT });
    expect(others(said)).toEqual(PRESET_LACKS[preset]);
  },
);

describe.concurrent('the drill of a shop', () => {
  it('of mpesa-daraja says that it is right to stay pending where nobody can know', async () => {
    const only = ['lost-response', 'timeout', 'half-response', 'server-error', 'garbage'];
    const shop = await openMpesaShop({}, { hasOwnUrls: false });
    const said = await drillShop(shop, { preset: 'mpesa-daraja', limit: LIMIT, only });
    expect(notSurvived(said)).toEqual({});
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
