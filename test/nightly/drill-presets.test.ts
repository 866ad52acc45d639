import { describe, expect, it, vi } from 'vitest';
import { notSurvived } from '../drill/faults.ts';
import { drillPreset, PRESET_FAULTS } from '../drill/preset-faults.ts';
import { failing } from './failing.ts';

// A whole drill takes a minute in real time, and longer if others run beside it.
vi.setConfig({ testTimeout: 900_000, maxConcurrency: 4 });

/** Longer than the timeout of a shop, in ms, and shorter than usual, because many orders stay pending. */
const patience = 20_000;

describe.concurrent('the whole drill of a shop', () => {
  it.each(PRESET_FAULTS)(
    'of $preset with $faults fails in the failures that it concerns, and in no other',
    async ({ fails, also, isEverywhere, ...row }) => {
      const said = await drillPreset(row, { patience });
      expect(notSurvived(said)).toEqual(failing({ ...also, ...fails }, isEverywhere));
    },
  );
});
