import { expect, it } from 'vitest';
import { Secrets } from '../../src/mock/secrets.ts';
import { isLong } from '../endurance/scale.ts';

// By npm run torture -- linear alone: it compares times, which a busy machine spoils.
it.skipIf(!isLong)(
  'a thousand wrong keys cost who asks the journal hardly more than ten do',
  () => {
    const cost = (count: number): number => {
      const secrets = new Secrets(() => []);
      for (let at = 0; at < count; at++) secrets.remember(`${at}-wrong-key`);
      const redact = secrets.redactor();
      const began = performance.now();
      for (let at = 0; at < 3000; at++) redact(`application/json; charset=utf-8; ${at}`);
      return performance.now() - began;
    };
    cost(10);
    // It was a hundred times as much when every key was looked for in every text.
    expect(cost(1000) / cost(10)).toBeLessThan(20);
  },
);
