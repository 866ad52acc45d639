import { MomoMockError } from '../../errors.ts';
import { within } from '../../timers.ts';
import type { Account } from '../account/account.ts';
import type { TimerOptions } from '../clock/timer-queue.ts';
import { findProblem } from '../json/check.ts';
import { MAX_LEDGER_ENTRIES } from '../limits.ts';
import type { FixtureTree } from '../operations/operation.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { LEDGER } from './drill-definition.ts';
import { drillIn, type LedgerEntry } from './momo-drill.ts';

interface LedgerContext {
  readonly tree: FixtureTree;
  readonly redactor: Redactor;
  readonly timerOptions: Pick<TimerOptions, 'maxTimerMs'>;
}

const MAX_THROWN_LENGTH = 1000;

/**
 * The payments, payouts and refunds of an account, the oldest first, with their secrets: what the drill
 * judges. A key that is a word, such as an id, must not change a verdict.
 *
 * @throws MomoMockError `MOMO_MOCK_FIXTURE_INVALID`
 */
export async function rawLedgerOf(
  { state }: Pick<Account, 'state'>,
  { tree, redactor, timerOptions: { maxTimerMs } }: LedgerContext,
): Promise<LedgerEntry[]> {
  const { ledger } = await drillIn(tree, 'read the ledger');
  // Read before another promise has it, because that would look for a method then.
  const read = Promise.resolve(state)
    .then(ledger)
    .then(
      (returned) => plainEntries(returned, redactor),
      (error: unknown) => {
        throw unreadable(`its function ledger throws${thrownText(error, redactor)}`);
      },
    );
  const late = `its function ledger did not settle within ${maxTimerMs} ms, which is MOMO_MOCK_CLIENT_TIMEOUT`;
  const entries = await within(read, maxTimerMs, () => unreadable(late));
  const found = findProblem(LEDGER, entries, (name) => redactor.isSecret(name));
  if (found !== undefined) {
    const { path, place } = found;
    // The two names have few letters in common.
    const problem =
      path.at(-1) === 'payer'
        ? `unknown field "ledger[${path[0]}].payer". Did you mean "party"`
        : found.problem;
    throw unreadable([place, problem].filter(Boolean).join(' '));
  }
  return (entries as LedgerEntry[]).toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

/**
 * What `ledger` returned, as JSON has it. It is read once, because the list or an item may be a proxy or
 * have getters, so nothing that was checked can change.
 */
function plainEntries(returned: unknown, redactor: Redactor): unknown[] {
  const read = <Value>(place: string, get: () => Value): Value => {
    try {
      return get();
    } catch (error) {
      throw unreadable(`${place} cannot be read${thrownText(error, redactor)}`);
    }
  };
  const list = read('ledger', () => (Array.isArray(returned) ? returned : undefined));
  if (list === undefined)
    throw unreadable('ledger must be a list of payments, payouts and refunds');
  const length = read('ledger', () => list.length);
  if (length > MAX_LEDGER_ENTRIES) {
    const most = MAX_LEDGER_ENTRIES.toLocaleString('en');
    throw unreadable(`ledger must be a list of at most ${most}`);
  }
  // A hole is null.
  return Array.from({ length }, (_, index) =>
    read(`ledger[${index}]`, () => JSON.parse(JSON.stringify(list[index]) ?? 'null')),
  );
}

/** What was thrown, after a colon. Nothing about it can be trusted: it may be a proxy, or have getters. */
function thrownText(thrown: unknown, redactor: Redactor): string {
  let text = '';
  try {
    text = String(thrown);
  } catch {}
  const redacted = redactor.redact(text).slice(0, MAX_THROWN_LENGTH);
  return redacted === '' ? ' a value without a text' : `: ${redacted}`;
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
    text === null ? text : JSON.parse(redactor.redactJson(JSON.stringify(text)));
  const { id, of, order, party } = entry;
  return {
    ...entry,
    ...{ id: redacted(id), of: redacted(of), order: redacted(order), party: redacted(party) },
  };
}

function unreadable(problem: string): MomoMockError {
  const sentence = problem.replace(/[.?!]+$/, '');
  const text = `Failed to read the ledger with drill.js: ${sentence}. Correct the function ledger in it.`;
  return new MomoMockError('MOMO_MOCK_FIXTURE_INVALID', text);
}
