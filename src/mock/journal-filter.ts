import type { Draft } from './draft.ts';
import { fieldsOf, invalid, numberIn } from './invalid.ts';
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

const FIELDS = ['status', 'reason', 'path', 'since', 'limit', 'waitFor', 'timeout'];
const LONGEST_WAIT = 600_000;
const MOST = Number.MAX_SAFE_INTEGER;

/**
 * Checks what is asked of the journal.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function readRequestsOptions(
  options: unknown,
): Required<Pick<RequestsOptions, 'waitFor' | 'timeout'>> & { filter: Filter } {
  const { status, reason, path, since, limit, waitFor, timeout } = fieldsOf(
    options,
    'the filter',
    FIELDS,
  );
  if (reason !== undefined && !(typeof reason === 'string' && Object.hasOwn(HINTS, reason))) {
    throw invalid('reason', `one of ${Object.keys(HINTS).join(', ')}`);
  }
  if (path !== undefined && typeof path !== 'string') throw invalid('path', 'a path');
  const whole = (value: unknown, field: string, min: number, max: number) =>
    numberIn(value, field, min, max, { whole: true });
  return {
    filter: {
      ...(status !== undefined && { status: whole(status, 'status', 100, 599) }),
      ...(reason !== undefined && { reason: reason as Reason }),
      ...(path !== undefined && { path }),
      ...(since !== undefined && { since: whole(since, 'since', 0, MOST) }),
      ...(limit !== undefined && { limit: whole(limit, 'limit', 0, MOST) }),
    },
    waitFor: waitFor === undefined ? 0 : whole(waitFor, 'waitFor', 0, MOST),
    timeout: timeout === undefined ? 5000 : whole(timeout, 'timeout', 0, LONGEST_WAIT),
  };
}

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
