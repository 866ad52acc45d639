import { describe, expect, test } from 'vitest';
import { FAULTS, type Fault, readFault } from '../../src/mock/fault.ts';

describe('a fault', () => {
  test.each(FAULTS)('%s is given by its name alone, or as an object', (type) => {
    expect(readFault(type)).toEqual({ type, duration: 1000 });
    expect(readFault({ type } as Fault)).toEqual({ type, duration: 1000 });
  });

  test('dribble may have a duration', () => {
    for (const duration of [0, 500, 3_600_000]) {
      expect(readFault({ type: 'dribble', duration })).toEqual({ type: 'dribble', duration });
    }
  });
});
