import { closest, distance } from 'fastest-levenshtein';
import { MomoMockError } from '../../errors.ts';
import { type Operation, pathForm } from './operation.ts';

/**
 * @param place of the name, for the error
 * @throws MomoMockError `MOMO_MOCK_OPERATION_UNKNOWN`
 */
export function findOperation(
  operations: readonly Operation[],
  name: string,
  place = 'the operation',
): Operation {
  const match = operations.find((operation) => operation.name === name);
  if (match !== undefined) return match;
  const names = operations.map((operation) => operation.name);
  const guess = nearestName(name, names);
  const advice =
    guess === undefined ? `Use one of: ${names.join(', ')}.` : `Did you mean "${guess}"?`;
  const text = `Failed to find ${place}: it has no fixture file. ${advice}`;
  throw new MomoMockError('MOMO_MOCK_OPERATION_UNKNOWN', text);
}

const MAX_COMPARED_LENGTH = 200;

function nearestName(name: string, names: readonly string[]): string | undefined {
  if (name.length > MAX_COMPARED_LENGTH || names.length === 0) return undefined;
  const form = pathForm(name);
  const forms = names.map(pathForm);
  const nearest = closest(form, forms);
  if (distance(form, nearest) > form.length * 0.2) return undefined;
  return names[forms.indexOf(nearest)];
}
