import { MomoMockError } from '../errors.ts';

/** The error for whoever tells or asks something of a mock after `close`. */
export function closed(): MomoMockError {
  const text = 'Failed to reach the mock: it was closed. Start or connect to another.';
  return new MomoMockError('MOMO_MOCK_CLOSED', text);
}
