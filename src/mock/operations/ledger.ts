import { MomoMockError } from '../../errors.ts';
import type { Account } from '../account/account.ts';
import { findProblem } from '../json/check.ts';
import { LEDGER } from './drill-definition.ts';
import { drillIn, type LedgerEntry } from './drill-file.ts';
import type { FixtureTree } from './operation.ts';

/**
 * The payments and payouts of an account, the oldest first.
 *
 * @throws MomoMockError `MOMO_MOCK_FIXTURE_INVALID`
 */
export async function ledgerOf(
  { redactedState }: Pick<Account, 'redactedState'>,
  tree: FixtureTree,
): Promise<LedgerEntry[]> {
  const { ledger } = await drillIn(tree, 'read the ledger');
  const entries = await Promise.resolve(ledger(redactedState)).catch((error: unknown) => {
    throw unreadable(`its function ledger throws: ${String(error)}`);
  });
  const found = findProblem(LEDGER, entries, () => false);
  if (found !== undefined) {
    throw unreadable([found.place, found.problem].filter(Boolean).join(' ').replace(/[.?]$/, ''));
  }
  return entries.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

function unreadable(problem: string): MomoMockError {
  const text = `Failed to read the ledger with drill.js: ${problem}. Correct the function ledger in it.`;
  return new MomoMockError('MOMO_MOCK_FIXTURE_INVALID', text);
}
