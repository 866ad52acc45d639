import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Arena, openArena } from './arena.ts';
import { type Input, input } from './inputs.ts';

/** What to try. */
export interface Campaign {
  /** How many inputs, at least. */
  readonly count: number;
  /** How many are let loose together. */
  readonly atOnce: number;
  /** The first round's; the next one has the next. The same seed gives the same inputs again. */
  readonly seed: number;
  /** Told after each round how many inputs there were, and what seed the next round has. */
  readonly progress?: (count: number, seed: number) => void;
  /** The mock that is attacked, where it is not one of this process as it is. */
  readonly open?: (certsDir: string) => Promise<Arena>;
}

/**
 * Lets hostile inputs loose on a mock, and holds all that comes of it against the oracle.
 *
 * @returns how many inputs there were of each stage
 * @throws where the oracle says no, with the seed that gives the failing round as its first
 */
export async function attackWith({ count, atOnce, seed, progress, open = openArena }: Campaign) {
  const certs = await mkdtemp(join(tmpdir(), 'momo-hostile-'));
  const arena = await open(certs);
  const tried: Record<string, number> = {};
  try {
    for (let round = 0; round * atOnce < count; round++) {
      const inputs = fc.sample(input, { seed: seed + round, numRuns: atOnce });
      for (const { stage } of inputs) tried[stage] = (tried[stage] ?? 0) + 1;
      await roundOf(arena, inputs, seed + round);
      progress?.((round + 1) * atOnce, seed + round + 1);
    }
  } finally {
    await arena.close();
    await rm(certs, { recursive: true, force: true });
  }
  return tried;
}

async function roundOf(arena: Arena, inputs: readonly Input[], seed: number): Promise<void> {
  try {
    await arena.round(inputs);
  } catch (error) {
    throw new Error(`With TORTURE_SEED=${seed}: ${error instanceof Error ? error.message : error}`);
  }
}
