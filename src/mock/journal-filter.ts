import { fieldsOf, invalid, numberIn } from './invalid.ts';
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
  /** At most this many, the newest. */
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
