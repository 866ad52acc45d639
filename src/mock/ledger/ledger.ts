import { MomoMockError } from '../../errors.ts';
import type { Account } from '../account/account.ts';
import { findProblem } from '../json/check.ts';
import type { FixtureTree } from '../operations/operation.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { LEDGER } from './drill-definition.ts';
import { drillIn, type LedgerEntry } from './momo-drill.ts';

interface LedgerContext {
  readonly tree: FixtureTree;
  readonly redactor: Redactor;
}

/**
 * The payments, payouts and refunds of an account, the oldest first, with their secrets: what the drill
 * judges. A key that is a word, such as an id, must not change a verdict.
 *
 * @throws MomoMockError `MOMO_MOCK_FIXTURE_INVALID`
 */
export async function rawLedgerOf(
  { state }: Pick<Account, 'state'>,
  { tree, redactor }: LedgerContext,
): Promise<LedgerEntry[]> {
  const { ledger } = await drillIn(tree, 'read the ledger');
  const entries = await Promise.resolve(state)
    .then(ledger)
    .catch((error: unknown) => {
      throw unreadable(`its function ledger throws: ${redactor.redact(String(error))}`);
    });
  const found = findProblem(LEDGER, entries, (name) => redactor.isSecret(name));
  if (found !== undefined) {
    const { path, place } = found;
    // The two names have few letters in common.
    const problem =
      path.at(-1) === 'payer'
        ? `unknown field "ledger[${path[0]}].payer". Did you mean "party"`
        : found.problem;
    throw unreadable([place, problem].filter(Boolean).join(' ').replace(/[.?]$/, ''));
  }
  return entries.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

/** The same, as everybody may see it. */
export async function ledgerOf(
  account: Pick<Account, 'state'>,
  context: LedgerContext,
): Promise<LedgerEntry[]> {
  const entries = await rawLedgerOf(account, context);
  return entries.map((entry) => redactedEntry(entry, context.redactor));
}

/** Redacts what a client wrote. The rest is no text of a client, and must stay what the schema says. */
export function redactedEntry(
  entry: LedgerEntry,
  redactor: Pick<Redactor, 'redactJson'>,
): LedgerEntry {
  // Also finds a key that is too short to search for in a sentence.
  const redacted = <Text extends string | null>(text: Text): Text =>
    JSON.parse(redactor.redactJson(JSON.stringify(text)));
  const { id, of, order, party } = entry;
  return {
    ...entry,
    ...{ id: redacted(id), of: redacted(of), order: redacted(order), party: redacted(party) },
  };
}

function unreadable(problem: string): MomoMockError {
  const text = `Failed to read the ledger with drill.js: ${problem}. Correct the function ledger in it.`;
  return new MomoMockError('MOMO_MOCK_FIXTURE_INVALID', text);
}
