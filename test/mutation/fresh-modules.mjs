// Loads the modules of src and test again for each mutant, since warm-thread.ts keeps the thread.
import { inject, vi } from 'vitest';

const stryker = globalThis[inject('globalNamespace')];
const mutant = inject('mode') === 'mutant' ? inject('activeMutant') : undefined;

// While modules are loaded, no mutant is active but one that acts then.
if (mutant !== undefined && inject('mutantActivation') === 'runtime')
  stryker.activeMutant = undefined;
if (stryker.loadedFor !== mutant) vi.resetModules();
stryker.loadedFor = mutant;

// What runs while a module is loaded belongs to no test, whichever test would load it first.
for (const path of inject('mutated')) await import(`/${path}`);
