import { createHash } from 'node:crypto';
import type { Mock } from '../mock.ts';
import { type SavedValue, savedValues } from '../state/state-values.ts';
import type { Account, SavedAccount } from './account.ts';

/** The version of the format. A snapshot of another version is refused. */
export const SNAPSHOT_VERSION = 1;

/**
 * What a mock or an account remembers, apart from the journal, as JSON for `restore`. JSON that tests
 * gave is in it as text, so no number changes. Keys from the settings are not in it.
 */
export interface MomoSnapshot {
  readonly version: number;
  /** How many timers of handlers were pending. They are functions, so they are not in it. */
  readonly timers: number;
  /** Of one account; missing in the snapshot of a mock. */
  readonly account?: SavedAccount;
  /** What concerns all accounts; missing in the snapshot of an account. */
  readonly all?: SavedAccount;
  /** Missing in the snapshot of an account. */
  readonly accounts?: readonly SavedAccountOfMock[];
}

export interface SavedAccountOfMock {
  readonly id: string;
  /** Of an account that a test created. */
  readonly key?: string;
  /** Of an account from the settings: the SHA-256 of its key, in hex. */
  readonly keyHash?: string;
  /** The day on which it was last used, ISO 8601. */
  readonly used: string;
  /** What a reset restores, if a test created the account. */
  readonly initial?: SavedInitial;
  readonly saved: SavedAccount;
}

export interface SavedInitial {
  readonly variant?: string | undefined;
  /** JSON. */
  readonly balance?: string | undefined;
  readonly state?: readonly SavedValue<string>[] | undefined;
}

/** A snapshot of an account, or with `mock.all`, of everything. */
export function snapshotOf(mock: Mock, account: Account): MomoSnapshot {
  const isOfAll = account === mock.all;
  const accounts = isOfAll ? [mock.all, ...mock.accounts] : [account];
  const timers = accounts.reduce((sum, { clock }) => sum + clock.handlerTimers, 0);
  const head = { version: SNAPSHOT_VERSION, timers };
  const hidden = withoutKeys(mock.configuredKeys);
  if (!isOfAll) return { ...head, account: hidden(account.save()) };
  const configured = new Set(mock.configuredKeys);
  return {
    ...head,
    all: hidden(account.save()),
    accounts: mock.accounts.map((each) => {
      const { key = '', variant, balance, state } = each.initial ?? {};
      const initial = {
        variant,
        balance: balance?.body.toString(),
        state: state && savedValues(state),
      };
      return {
        id: each.id ?? '',
        ...(configured.has(key) ? { keyHash: hashOf(key) } : { key, initial: hidden(initial) }),
        used: new Date(each.used).toISOString().slice(0, 10),
        saved: hidden(each.save()),
      };
    }),
  };
}

export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Replaces the keys from the settings, which tests may have put anywhere, with marks. */
function withoutKeys(keys: readonly string[]): <Json>(json: Json) => Json {
  const marks = marksOf(keys);
  if (marks.size === 0) return (json) => json;
  // Longer ones first, because a key may contain another one.
  const forms = [...marks.keys()].sort((a, b) => b.length - a.length).map(escaped);
  const any = new RegExp(forms.join('|'), 'g');
  return (json) => mapTexts(json, (text) => text.replace(any, (form) => `${marks.get(form)}`));
}

/** Puts the keys from the settings back. The mark of a key that was removed from them stays. */
export function withKeys<Value>(snapshot: Value, { configuredKeys }: Mock): Value {
  const forms = new Map(Array.from(marksOf(configuredKeys), ([form, mark]) => [mark, form]));
  return mapTexts(snapshot, (text) => text.replace(MARK, (mark) => forms.get(mark) ?? mark));
}

const MARK = /\[key [\da-f]{16} [01]\]/g;

/** The mark for each key: as it is, and as it is in JSON. */
function marksOf(keys: readonly string[]): Map<string, string> {
  const marks = keys.flatMap((key) => {
    const hash = hashOf(key).slice(0, 16);
    return [JSON.stringify(key).slice(1, -1), key].map((form, at) => [form, `[key ${hash} ${at}]`]);
  });
  return new Map(marks as [string, string][]);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** A copy of JSON with changed texts, but the same names. */
function mapTexts<Value>(json: Value, change: (text: string) => string): Value {
  return JSON.parse(
    JSON.stringify(json, (_name, value) => (typeof value === 'string' ? change(value) : value)),
  );
}
