import { expect, test, vi } from 'vitest';
import { endBy } from '../../src/cli/signals.ts';

test('process 1, which its own signal does not end, exits with the code that shells give', () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  endBy('SIGTERM');
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGTERM']]);
  expect(exit.mock.calls).toEqual([[143]]);
  vi.restoreAllMocks();
});
