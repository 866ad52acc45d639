import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openArena } from './arena.ts';
import { input } from './inputs.ts';

/** What was tried. */
export interface Tried {
  readonly seed: number;
  readonly inputs: Readonly<Record<string, number>>;
}

/**
 * Lets hostile inputs loose on a double, and holds all that comes of it against the oracle.
 *
 * @param count how many inputs, at least
 * @param atOnce how many are let loose together
 * @param seed the same inputs again; a failure prints it, with the smallest inputs that fail
 */
export async function attackWith(count: number, seed: number, atOnce = 200): Promise<Tried> {
  const certs = await mkdtemp(join(tmpdir(), 'momo-hostile-'));
  const arena = await openArena(certs);
  const inputs: Record<string, number> = {};
  const rounds = fc.asyncProperty(
    fc.array(input, { minLength: atOnce, maxLength: atOnce }),
    async (all) => {
      for (const { stage } of all) inputs[stage] = (inputs[stage] ?? 0) + 1;
      await arena.round(all);
    },
  );
  try {
    const numRuns = Math.ceil(count / atOnce);
    await fc.assert(rounds, { seed, numRuns, interruptAfterTimeLimit: 3_600_000 });
  } finally {
    await arena.close();
    await rm(certs, { recursive: true, force: true });
  }
  return { seed, inputs };
}
