import * as Type from 'typebox';
import { define } from './check.ts';
import type { Definition } from './definition.ts';
import type { Draft } from './draft.ts';
import { pathOf } from './journal-entry.ts';
import { HINTS, type Reason } from './reason.ts';

/** Which entries of the journal are wanted; those for which all that is given is true. */
export interface Filter {
  /** The account's id. Not for tests to give: whose key asks decides it. */
  readonly account?: string;
  readonly status?: number;
  readonly reason?: Reason;
  /** The path, such as `/momo/balance`, as it was asked for or as the operation has it. */
  readonly path?: string;
  /** Entries after the one with this id. */
  readonly since?: number;
  /** At most so many, the newest. */
  readonly limit?: number;
}

/** A filter, and what to wait for. */
export interface RequestsOptions extends Omit<Filter, 'account'> {
  /**
   * Wait until so many have arrived.
   *
   * @default 0
   */
  readonly waitFor?: number;
  /**
   * Wait no longer, in ms; then what is there counts.
   *
   * @default 5000
   */
  readonly timeout?: number;
}

/** How long `waitFor` waits where nothing else is said, in ms. */
export const DEFAULT_TIMEOUT = 5000;

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
      limit: count('At most so many, the newest.'),
      waitFor: count('Wait until so many have arrived.', { default: 0 }),
      timeout: count('Wait no longer, in ms.', { maximum: 600_000, default: DEFAULT_TIMEOUT }),
    },
    { $id: 'Filter', additionalProperties: false },
  ),
);

/** Whether an entry is wanted. */
export function matches(entry: Draft, filter: Filter): boolean {
  const { account, status, reason, path, since = 0 } = filter;
  return (
    entry.id > since &&
    (account === undefined || entry.account === account) &&
    (status === undefined || entry.status === status) &&
    (reason === undefined || entry.reason === reason) &&
    (path === undefined || pathOf(entry) === path || entry.operation?.endsWith(` ${path}`) === true)
  );
}
