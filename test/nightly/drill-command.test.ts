import { expect, it } from 'vitest';
import { drill, PYTHON } from '../drill/drill-command.ts';
import { needs } from '../support/machine.ts';

it.for([1, 4])(
  'a right application in Python survives the whole drill, with %i at once',
  { timeout: 600_000 },
  async (concurrency, context) => {
    needs(context, 'python3');
    const { code, verdicts } = await drill({ ...PYTHON, concurrency }, { only: 'all' });
    const { 'token-expired': withoutTokens, ...others } = verdicts;
    expect(withoutTokens).toBe('not-applicable');
    expect(new Set(Object.values(others))).toEqual(new Set(['survived']));
    expect(Object.keys(others)).toHaveLength(25);
    expect(code).toBe(0);
  },
);
