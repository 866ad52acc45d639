import * as Type from 'typebox';
import { MomoMockError } from '../../errors.ts';
import { check, unnamedField } from '../json/check.ts';
import { closedObject } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { MAX_QUEUED, MAX_QUEUED_BYTES, MAX_RESTORED_ACCOUNTS } from '../limits.ts';
import { type Mock, numberIn } from '../mock.ts';
import { readScripts } from '../responses/read-scripts.ts';
import { prepareWebhook } from '../webhooks/webhook.ts';
import { Account, type SavedAccount } from './account.ts';
import { KEY } from './account-options.ts';
import { HiddenKeys, hashOf } from './hidden-keys.ts';
import * as Forms from './saved-forms.ts';
import { type MomoSnapshot, type SavedAccountOfMock, SNAPSHOT_VERSION } from './snapshot.ts';

const REMEMBERED = Type.Record(Type.String(), Type.Unknown(), { title: 'an object' });

/** The parts of a snapshot. {@link savedForms} has the forms of what its accounts remember. */
const snapshotWith = (maxAccounts?: number) =>
  closedObject(
    {
      version: Type.Integer({ description: 'The version of the format.' }),
      mock: Type.Optional(
        Type.String({
          description: 'The mock that took it, in which its accounts keep their ids.',
        }),
      ),
      timers: Type.Integer({
        description:
          'How many timers and prompts of handlers were pending. They are functions, so they are not in it.',
        minimum: 0,
      }),
      account: Type.Optional(REMEMBERED),
      all: Type.Optional(REMEMBERED),
      accounts: Type.Optional(
        Type.Array(
          closedObject({
            id: Type.String({
              title: 'an id such as account-2',
              pattern: '^account-[1-9]\\d{0,14}$',
            }),
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
        account.remembered[name]?.load(value, { part, readScripts, prepareWebhook });
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

/** What a restore could not restore. */
export interface Restored {
  /** The ids in the snapshot of the accounts whose keys are not in the settings. */
  readonly leftOut: readonly string[];
  /** Lines for the log. */
  readonly dropped: readonly string[];
}

/**
 * Replaces everything that an account remembers, or with `mock.all`, that the whole mock remembers.
 * It changes nothing if anything is wrong.
 *
 * @param given a {@link SNAPSHOT}, or what a file has
 * @param file if the snapshot comes from one. What no longer fits the fixtures is left out then, and
 *   not refused
 * @throws MomoMockError `MOMO_MOCK_SNAPSHOT_INVALID`, whose message has each problem with its place
 */
export function restore(
  mock: Mock,
  account: Account,
  given: unknown,
  file?: SnapshotSource,
): Restored {
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
  const created = new Map(isOfAll ? mock.initialAccounts() : []);
  let leftOut: LeftOut = { withoutKey: [], unused: [] };
  try {
    if (isOfAll) leftOut = addAll(fit, created, snapshot, file?.usedSince);
    else addOne(fit, created, account, snapshot.account ?? {});
    checkQueued(fit, created);
    const problems = [...fit.problems, ...(file === undefined ? fit.misfits : [])];
    if (problems.length > 0) throw snapshotInvalid(problems);
  } catch (error) {
    // They have begun nothing yet.
    for (const { secrets } of created.values()) secrets.forget();
    throw error;
  }
  mock.replace(created);
  const source = file?.path ?? 'the snapshot';
  const misfits = fit.misfits.map((misfit) => `Dropped a part of ${source}. ${misfit}`);
  return {
    leftOut: leftOut.withoutKey,
    dropped: [...misfits, ...leftOutLines(leftOut, source, file), ...timersLine(snapshot)],
  };
}

function leftOutLines(
  { withoutKey, unused }: LeftOut,
  source: string,
  file?: SnapshotSource,
): string[] {
  const line = (ids: readonly string[], why: string) =>
    ids.length === 0 ? [] : [`Left out ${listed(ids, ', ')} of ${source}: ${why}.`];
  return [
    ...line(withoutKey, 'no setting has this key (MOMO_MOCK_API_KEYS)'),
    ...line(unused, `not used since ${file?.usedSince}`),
  ];
}

function timersLine({ timers }: MomoSnapshot): string[] {
  if (timers === 0) return [];
  const were = timers === 1 ? 'timer or prompt was' : 'timers or prompts were';
  return [
    `${timers} ${were} pending in the snapshot and will not run: each is a function of a handler, which no snapshot has.`,
  ];
}

const OF_ACCOUNT =
  'it is the snapshot of one account. Send the key of an account in the header apikey, or call restore of an account';
const OF_ALL =
  'it is not the snapshot of one account. Leave out the header apikey, or call restore of the mock';

/** Accounts that a restore leaves out, by their ids in the snapshot. */
interface LeftOut {
  readonly withoutKey: string[];
  readonly unused: string[];
}

type Created = Map<string | undefined, Account>;

function addOne(fit: Fit, created: Created, account: Account, saved: SavedAccount): void {
  const { id = '', initial, tokens } = account;
  if (initial === undefined) return;
  const { mock } = fit;
  const replacement = new Account(mock, { id, all: mock.all, initial });
  created.set(initial.key, replacement);
  // Its own initial values come back with a reset only.
  fit.load(replacement, { balance: null, state: [], ...saved }, 'account');
  const kept = tokens.save();
  if (kept !== undefined) replacement.tokens.load(kept);
}

function addAll(fit: Fit, created: Created, snapshot: MomoSnapshot, usedSince = ''): LeftOut {
  const { mock } = fit;
  const leftOut: LeftOut = { withoutKey: [], unused: [] };
  const all = created.get(undefined) ?? mock.all;
  fit.load(all, snapshot.all ?? {}, 'all');
  const accounts = snapshot.accounts ?? [];
  const idOf = idsIn(mock, created, snapshot);
  const seen = new Set<string>();
  const keys = new Map(mock.configuredKeys.map((key) => [hashOf(key), key]));
  for (const [index, saved] of accounts.entries()) {
    const place = `accounts[${index}]`;
    const key = saved.key ?? keys.get(saved.keyHash ?? '');
    const configured = created.get(key);
    const isUnnamed = saved.key === undefined && saved.keyHash === undefined;
    if (isUnnamed) fit.problems.push(`${place}: must have key or keyHash`);
    // A key that was removed from the settings does not come back.
    else if (key === undefined) leftOut.withoutKey.push(saved.id);
    else if (seen.has(key)) fit.problems.push(`${place}: another account has the same key`);
    else if (configured === undefined && saved.lastUsed < usedSince) leftOut.unused.push(saved.id);
    else {
      seen.add(key);
      const create = () => {
        const initial = { ...initialOf(fit, saved.initial ?? {}, `${place}.initial`), key };
        const lastUsed = Date.parse(saved.lastUsed);
        return new Account(mock, { id: idOf(saved), all, initial, lastUsed });
      };
      const account = configured ?? fit.try('problems', `${place}.key`, create);
      if (account === undefined) continue;
      created.set(key, account);
      fit.load(account, saved.saved, `${place}.saved`);
    }
  }
  return leftOut;
}

/**
 * An account keeps its id, unless another account of this mock may have had it: journals would show
 * the requests of both as one.
 */
function idsIn(mock: Mock, created: Created, { mock: origin, accounts = [] }: MomoSnapshot) {
  const taken = new Set([...created.values()].map(({ id }) => id));
  const current = new Map(mock.accounts.map(({ id, initial }) => [initial?.key, id]));
  const isNew = (number: number) => number > mock.newestAccount && number <= MAX_NUMBER;
  const numbers = accounts.map(({ id }) => numberIn(id)).filter(isNew);
  let newest = numbers.reduce((most, number) => Math.max(most, number), mock.newestAccount);
  return ({ id, key }: SavedAccountOfMock): string => {
    const number = numberIn(id);
    const isOwn = origin === mock.id && number <= mock.newestAccount;
    const wanted = isOwn || isNew(number) ? id : current.get(key);
    const free = wanted === undefined || taken.has(wanted) ? `account-${++newest}` : wanted;
    taken.add(free);
    return free;
  };
}

/** No mock gives a greater number. One from a snapshot would leave none for newer accounts. */
const MAX_NUMBER = 1e9;

/** What is queued must fit beside what other accounts have queued. */
function checkQueued({ mock, problems }: Fit, created: Created): void {
  const others = created.has(undefined) ? [] : [mock.all, ...mock.accounts];
  const kept = others.filter(({ initial }) => !created.has(initial?.key));
  const sizes = [...kept, ...created.values()].map(({ webhookQueue }) => webhookQueue.size);
  const count = sizes.reduce((sum, size) => sum + size.count, 0);
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
  if (count > MAX_QUEUED || bytes > MAX_QUEUED_BYTES) {
    const mib = MAX_QUEUED_BYTES / 1_048_576;
    problems.push(`at most ${MAX_QUEUED} webhooks, with ${mib} MiB of bodies, can be queued`);
  }
}

/** What a reset restores. An account without a key has the same checks. */
function initialOf(fit: Fit, saved: SavedAccount, place: string) {
  const { balanceSet, variantSet, values } = fit.load(new Account(fit.mock), saved, place);
  const state = saved.state === undefined ? undefined : values.layers[0];
  return { variant: variantSet.value, balance: balanceSet.value, state };
}

function snapshotInvalid(problems: readonly string[]): MomoMockError {
  const text = `Failed to restore the snapshot: ${listed(problems, '\n')}`;
  return new MomoMockError('MOMO_MOCK_SNAPSHOT_INVALID', text);
}

function listed(texts: readonly string[], separator: string): string {
  const more = texts.length - MAX_SHOWN;
  const shown = [...texts.slice(0, MAX_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])];
  return shown.join(separator);
}

const MAX_SHOWN = 20;
