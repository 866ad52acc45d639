import { MomoMockError } from '../../errors.ts';
import { advice } from '../closest-name.ts';
import type { Operation } from './operation.ts';

/** @param place of the name, for the error */
export function findOperation(
  operations: readonly Operation[],
  name: string,
  place = 'the operation',
): Operation {
  const match = operations.find((operation) => operation.name === name);
  if (match !== undefined) return match;
  const names = operations.map((operation) => operation.name);
  const others =
    names.length === 0 ? 'The service has no operations.' : `Use one of: ${names.join(', ')}.`;
  const fix = advice(name, names, others);
  const text = `Failed to find ${place}: it has no fixture file. ${fix}`;
  throw new MomoMockError('MOMO_MOCK_OPERATION_UNKNOWN', text);
}
