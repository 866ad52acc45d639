import { MomoMockError } from '../../errors.ts';
import { MAX_SNAPSHOT_BYTES } from '../limits.ts';
import type { Mock } from '../mock.ts';
import { savedValues } from '../state/state-values.ts';
import type { Account, SavedAccount } from './account.ts';
import { HiddenKeys, hashOf } from './hidden-keys.ts';

/** The version of the format. A snapshot of another version is refused. */
export const SNAPSHOT_VERSION = 1;

/**
 * What a mock or an account remembers, apart from the journal, as JSON for `restore`. JSON that tests
 * gave is in it as text, so no number changes. Keys from the settings are not in it.
 */
export interface MomoSnapshot {
  readonly version: number;
  /** The mock that took it, in which its accounts keep their ids. An account's snapshot lacks it. */
  readonly mock?: string;
  /** How many timers and prompts of handlers were pending. They are functions, so they are not in it. */
  readonly timers: number;
  /** The snapshot of a mock does not have it. */
  readonly account?: SavedAccount;
  /** What concerns all accounts; missing in the snapshot of an account. */
  readonly all?: SavedAccount;
  /** Missing in the snapshot of an account. */
  readonly accounts?: readonly SavedAccountOfMock[];
}

export interface SavedAccountOfMock {
  readonly id: string;
  /** It is missing for an account from the settings. */
  readonly key?: string;
  /** Of an account from the settings: the SHA-256 of its key, in hex. */
  readonly keyHash?: string;
  /** The day on which it was last used, ISO 8601. */
  readonly lastUsed: string;
  /** What a reset restores, if a test created the account. */
  readonly initial?: SavedAccount;
  readonly saved: SavedAccount;
}

/**
 * A snapshot of an account, or with `mock.all`, of everything.
 *
 * @throws MomoMockError `MOMO_MOCK_TOO_LARGE` if it is too long to be restored
 */
export function snapshotOf(mock: Mock, account: Account): MomoSnapshot {
  const isOfAll = account === mock.all;
  const accounts = isOfAll ? [mock.all, ...mock.accounts] : [account];
  const timers = accounts.reduce((sum, { clock }) => sum + clock.ofHandlers, 0);
  const head = { version: SNAPSHOT_VERSION, timers };
  const keys = new HiddenKeys(mock.configuredKeys);
  const saved = keys.hide(account.save());
  let bytes = 0;
  /** Before the next part, because together they may be longer than any text can be. */
  const limited = <Part>(part: Part): Part => {
    // With the commas, and the line feed at the end of a file.
    bytes += jsonBytes(part) + 1;
    if (bytes > MAX_SNAPSHOT_BYTES) throw snapshotTooLarge();
    return part;
  };
  if (!isOfAll) return limited({ ...head, account: saved });
  const configured = new Set(mock.configuredKeys);
  const withoutAccounts = limited({ ...head, mock: mock.id, all: saved, accounts: [] });
  return {
    ...withoutAccounts,
    accounts: mock.accounts.map((each) => {
      const { key = '', variant, balance, state } = each.initial ?? {};
      const initial = {
        variant,
        balance: balance?.body.toString(),
        state: state && savedValues(state),
      };
      return limited({
        id: each.id ?? '',
        ...(configured.has(key) ? { keyHash: hashOf(key) } : { key, initial: keys.hide(initial) }),
        lastUsed: new Date(each.lastUsed).toISOString().slice(0, 10),
        saved: keys.hide(each.save()),
      });
    }),
  };
}

function jsonBytes(json: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(json));
  } catch {
    // Longer than any text can be.
    return Infinity;
  }
}

export function snapshotTooLarge(most = `${MAX_SNAPSHOT_BYTES / 1_048_576} MiB`): MomoMockError {
  const text = `Failed to take the snapshot: it would have more than ${most}, the limit of a snapshot. Reset the mock, or remove accounts and state that nobody needs.`;
  return new MomoMockError('MOMO_MOCK_TOO_LARGE', text);
}
