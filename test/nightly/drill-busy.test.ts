import { describe, expect, it, vi } from 'vitest';
import { besideBusyLoops } from '../drill/busy-loops.ts';
import { drillWith, FAULTS } from '../drill/faults.ts';
import { drillPreset, PRESET_FAULTS } from '../drill/preset-faults.ts';
import { USUAL, wrongOf } from '../drill/right-shops.ts';
import { failing } from './failing.ts';

// Everything takes several times as long as usual.
vi.setConfig({ testTimeout: 1_800_000, maxConcurrency: 4 });

/** In ms. It limits handshakes, too. */
const timeout = 10_000;
/** Shorter than usual, because many orders stay pending. */
const patience = 40_000;

describe.concurrent('beside four busy loops', () => {
  besideBusyLoops();

  it.each(Object.values(USUAL))('a right shop of $preset survives everything', async (shop) => {
    expect(await wrongOf(shop, { timeout })).toEqual({});
  });

  it.each(FAULTS)('the drill says what $fault leads to', async ({ fault, fails, times = {} }) => {
    const only = Object.keys(fails);
    const said = await drillWith(
      { [fault]: true },
      { times: { ...times, timeout }, patience, only },
    );
    expect(said).toEqual(failing(fails));
  });

  it.each(PRESET_FAULTS)('of $preset it says what $faults leads to', async ({ fails, ...row }) => {
    const only = Object.keys(fails);
    expect(await drillPreset(row, { patience, only })).toEqual(failing(fails));
  });
});
