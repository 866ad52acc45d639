import * as Type from 'typebox';
import { MomoMockError } from '../../errors.ts';
import { check, unnamedField } from '../json/check.ts';
import { closedObject } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { MAX_RESTORED_ACCOUNTS } from '../limits.ts';
import type { Mock } from '../mock.ts';
import { readScripts } from '../responses/read-scripts.ts';
import { Account, type SavedAccount } from './account.ts';
import { KEY } from './account-options.ts';
import { HiddenKeys, hashOf } from './hidden-keys.ts';
import * as Forms from './saved-forms.ts';
import { type MomoSnapshot, SNAPSHOT_VERSION } from './snapshot.ts';

const REMEMBERED = Type.Record(Type.String(), Type.Unknown(), { title: 'an object' });

/** The parts of a snapshot. {@link savedForms} has the forms of what its accounts remember. */
const snapshotWith = (maxAccounts?: number) =>
  closedObject(
    {
      version: Type.Integer({ description: 'The version of the format.' }),
      timers: Type.Integer({
        description:
          'How many timers of handlers were pending. They are functions, so they are not in it.',
      }),
      account: Type.Optional(REMEMBERED),
      all: Type.Optional(REMEMBERED),
      accounts: Type.Optional(
        Type.Array(
          closedObject({
            id: Type.String(),
            key: Type.Optional(Type.String(KEY)),
            keyHash: Type.Optional(Type.String()),
            lastUsed: Type.String({ title: 'a date', pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
            initial: Type.Optional(
              closedObject({
                variant: Type.Optional(Type.Unknown()),
                balance: Type.Optional(Type.Unknown()),
                state: Type.Optional(Type.Unknown()),
              }),
            ),
            saved: REMEMBERED,
          }),
          maxAccounts === undefined ? {} : { maxItems: maxAccounts },
        ),
      ),
    },
    { $id: 'Snapshot', description: 'The snapshot.' },
  ) as unknown as Definition<MomoSnapshot>;

export const SNAPSHOT = snapshotWith(MAX_RESTORED_ACCOUNTS);

/** A mock had all these accounts when it wrote the file, and no request waits at startup. */
const SNAPSHOT_OF_FILE = snapshotWith();

/** The form of each thing that an account remembers, by its name. */
export function savedForms({ remembered }: Account): Record<string, Definition<unknown>> {
  const named = Object.entries(remembered).map(([name, thing]) => {
    return [name, Object.assign(thing.form(Forms), { $id: name })];
  });
  return Object.fromEntries(named);
}

class Fit {
  readonly mock: Mock;
  readonly #keys: HiddenKeys;
  readonly #forms: Readonly<Record<string, Definition<unknown>>>;
  /** What is wrong in itself. */
  readonly problems: string[] = [];
  /** What does not fit the fixtures. */
  readonly misfits: string[] = [];

  constructor(mock: Mock) {
    this.mock = mock;
    this.#keys = new HiddenKeys(mock.configuredKeys);
    this.#forms = savedForms(mock.all);
  }

  try<Result>(list: 'problems' | 'misfits', place: string, act: () => Result): Result | undefined {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof MomoMockError)) throw error;
      this[list].push(`${place}: ${error.message}`);
      return undefined;
    }
  }

  load(account: Account, saved: SavedAccount, place: string): Account {
    const names = Object.keys(this.#forms);
    if (Object.keys(saved).some((name) => !names.includes(name))) {
      this.problems.push(unnamedField(place, names));
    }
    for (const [name, form] of Object.entries(this.#forms)) {
      const at = `${place}.${name}`;
      if (saved[name] === undefined) continue;
      this.try('problems', at, () => {
        const value = check(form, this.#keys.putBack(saved[name]));
        const part = (within: string, load: () => void) =>
          this.try('misfits', `${at}${within}`, load);
        account.remembered[name]?.load(value, { part, readScripts });
      });
    }
    return account;
  }
}

interface SnapshotSource {
  readonly path: string;
  /** Accounts that tests created and that were last used before this day, ISO 8601, are left out. */
  readonly usedSince: string;
}

/**
 * Replaces everything that an account remembers, or with `mock.all`, that the whole mock remembers.
 * It changes nothing if anything is wrong.
 *
 * @param given a {@link SNAPSHOT}, or what a file has
 * @param file if the snapshot comes from one. What no longer fits the fixtures is left out then, and
 *   not refused
 * @returns what was dropped, each a line for the log
 * @throws MomoMockError `MOMO_MOCK_SNAPSHOT_INVALID`, whose message has each problem with its place
 */
export function restore(
  mock: Mock,
  account: Account,
  given: unknown,
  file?: SnapshotSource,
): string[] {
  const version = Object(given).version;
  if (Number.isInteger(version) && version !== SNAPSHOT_VERSION) {
    throw snapshotInvalid([
      `it has version ${version}, and this momo-mock reads version ${SNAPSHOT_VERSION}. Use the momo-mock that wrote it`,
    ]);
  }
  const snapshot =
    file === undefined ? (given as MomoSnapshot) : check(SNAPSHOT_OF_FILE, given, () => false);
  const fit = new Fit(mock);
  const isOfAll = account === mock.all;
  if (isOfAll !== (snapshot.account === undefined)) {
    throw snapshotInvalid([isOfAll ? OF_ACCOUNT : OF_ALL]);
  }
  const created = isOfAll
    ? createAll(fit, snapshot, file?.usedSince)
    : createOne(fit, account, snapshot.account ?? {});
  const problems = [...fit.problems, ...(file === undefined ? fit.misfits : [])];
  if (problems.length > 0) {
    for (const one of created.values()) one.discard();
    throw snapshotInvalid(problems);
  }
  mock.replace(created);
  const dropped = fit.misfits.map((misfit) => `Dropped a part of ${file?.path}. ${misfit}`);
  const { timers } = snapshot;
  if (timers > 0) {
    const count = `${timers} ${timers === 1 ? 'timer' : 'timers'}`;
    dropped.push(
      `${count} of handlers were pending in the snapshot and are dropped: a timer is a function, which no snapshot has.`,
    );
  }
  return dropped;
}

const OF_ACCOUNT =
  'it is the snapshot of one account. Send the key of an account in the header apikey, or call restore of an account';
const OF_ALL =
  'it is not the snapshot of one account. Leave out the header apikey, or call restore of the mock';

/** New accounts by key, and under `undefined` what concerns all accounts. */
type Created = Map<string | undefined, Account>;

function createOne(fit: Fit, { id = '', initial, tokens }: Account, saved: SavedAccount): Created {
  if (initial === undefined) return new Map();
  const { mock } = fit;
  const account = fit.load(new Account(mock, { id, all: mock.all, initial }), saved, 'account');
  const kept = tokens.save();
  if (kept !== undefined) account.tokens.load(kept);
  return new Map([[initial.key, account]]);
}

function createAll(fit: Fit, snapshot: MomoSnapshot, usedSince = ''): Created {
  const { mock } = fit;
  const all = fit.load(new Account(mock), snapshot.all ?? {}, 'all');
  const created: Created = new Map([[undefined, all]]);
  const ids = new Set(
    mock.configured.map((initial, at) => {
      const id = `account-${at + 1}`;
      created.set(initial.key, new Account(mock, { id, all, initial }));
      return id;
    }),
  );
  const keys = new Map(mock.configured.map(({ key }) => [hashOf(key), key]));
  for (const [index, saved] of (snapshot.accounts ?? []).entries()) {
    const place = `accounts[${index}]`;
    const key = saved.key ?? keys.get(saved.keyHash ?? '');
    const configured = created.get(key);
    // A key that was removed from the settings does not come back.
    if (key === undefined || (configured === undefined && saved.lastUsed < usedSince)) continue;
    const create = () =>
      new Account(mock, {
        id: freeId(saved.id, ids),
        all,
        initial: { ...initialOf(fit, saved.initial ?? {}, `${place}.initial`), key },
        lastUsed: Date.parse(saved.lastUsed),
      });
    const account = configured ?? fit.try('problems', `${place}.key`, create);
    if (account === undefined) continue;
    created.set(key, fit.load(account, saved.saved, `${place}.saved`));
  }
  return created;
}

function freeId(wanted: string, taken: Set<string>): string {
  let id = /^account-\d{1,9}$/.test(wanted) ? wanted : 'account-1';
  for (let number = taken.size; taken.has(id); number++) id = `account-${number}`;
  taken.add(id);
  return id;
}

/** What a reset restores. An account without a key has the same checks. */
function initialOf(fit: Fit, saved: SavedAccount, place: string) {
  const { balanceSet, variantSet, values } = fit.load(new Account(fit.mock), saved, place);
  const state = saved.state === undefined ? undefined : values.layers[0];
  return { variant: variantSet.value, balance: balanceSet.value, state };
}

function snapshotInvalid(problems: readonly string[]): MomoMockError {
  const shown = problems.slice(0, MAX_SHOWN);
  const more = problems.length - shown.length;
  const lines = more > 0 ? [...shown, `${more} more problems`] : shown;
  const text = `Failed to restore the snapshot: ${lines.join('\n')}`;
  return new MomoMockError('MOMO_MOCK_SNAPSHOT_INVALID', text);
}

const MAX_SHOWN = 20;
