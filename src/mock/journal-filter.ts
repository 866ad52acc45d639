import * as Type from 'typebox';
import { define } from './check.ts';
import type { Definition } from './definition.ts';
import { type JournalRecord, pathOf } from './journal-record.ts';
import { HINTS, type Reason } from './reason.ts';

/** Which records of the journal are wanted: those that match every field given. */
export interface Filter {
  /** The account's id. Tests do not give it: the key they send decides it. */
  readonly account?: string;
  readonly status?: number;
  readonly reason?: Reason;
  /** The path, such as `/momo/balance`: as it was requested, or as the operation has it. */
  readonly path?: string;
  /** Records after the one with this id. */
  readonly since?: number;
  /**
   * At most this many, the newest.
   *
   * @default 1000, or `waitFor` where that is more
   */
  readonly limit?: number;
}

/** A filter, and how many records to wait for. */
export interface RequestsOptions extends Omit<Filter, 'account'> {
  /**
   * Wait until this many have arrived.
   *
   * @default 0
   */
  readonly waitFor?: number;
  /**
   * How long to wait at most, in ms; then the list has what has arrived.
   *
   * @default 5000
   */
  readonly timeout?: number;
}

/** How long `waitFor` waits where nothing else is said, in ms. */
export const DEFAULT_TIMEOUT = 5000;

/** How many entries are given where no `limit` is given. */
export const DEFAULT_LIMIT = 1000;

const count = (description: string, options: object = {}) =>
  Type.Optional(
    Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...options }),
  );

/** The definition of a filter. */
export const REQUESTS_OPTIONS: Definition<RequestsOptions> = define(
  Type.Object(
    {
      status: count('With this status of the answer.', { minimum: 100, maximum: 599 }),
      reason: Type.Optional(
        Type.Enum(Object.keys(HINTS) as Reason[], { description: 'Refused for this reason.' }),
      ),
      path: Type.Optional(
        Type.String({ description: 'At this path, as asked for or as the operation has it.' }),
      ),
      since: count('After the one with this id.'),
      limit: count('At most so many, the newest; without it 1000, or waitFor where that is more.'),
      waitFor: count('Wait until so many have arrived.', { default: 0 }),
      timeout: count('Wait no longer, in ms.', { maximum: 600_000, default: DEFAULT_TIMEOUT }),
    },
    { $id: 'Filter', additionalProperties: false },
  ),
);

/** Whether a record matches a filter. `limit` is of a list, not of a record. */
export function matches(record: JournalRecord, filter: Filter): boolean {
  const { account, status, reason, path, since = 0 } = filter;
  return (
    record.id > since &&
    (account === undefined || record.account === account) &&
    (status === undefined || record.status === status) &&
    (reason === undefined || record.reason === reason) &&
    (path === undefined ||
      pathOf(record) === path ||
      record.operation?.endsWith(` ${path}`) === true)
  );
}

/** What looking whether a record matches a filter costs, as bytes of requests to work on. */
export function costOf({ requested, target }: JournalRecord, { path }: Filter): number {
  const isParsed = path !== undefined && requested === undefined;
  return 16 + (isParsed ? (target?.length ?? 0) : 0);
}
