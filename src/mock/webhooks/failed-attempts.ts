import type { AttemptRecord } from '../journal/record.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { isHttpUrl } from './webhook-url.ts';

/** A handler might take each URL from a request. */
const MAX_KINDS = 100;
const OTHERS = 'other URLs or outcomes';

/** Attempts with the same URL and the same outcome. */
export interface FailedAttempts {
  /** Such as `403 from http://localhost:3000/hook`. The URL is as the log shows it. */
  readonly kind: string;
  /** How to fix the first of them. */
  readonly hint: string | null;
  count: number;
}

/**
 * Counts the attempts that did not get through, by URL and status or reason. The journal cannot do
 * this, because it is limited and tests clear it.
 */
export class FailedAttemptCounter {
  readonly #kinds = new Map<string, FailedAttempts>();

  get kinds(): readonly FailedAttempts[] {
    return [...this.#kinds.values()].sort((a, b) => b.count - a.count);
  }

  add(attempt: AttemptRecord, redactor: Redactor): FailedAttempts {
    const { status, reason, hint } = attempt;
    const url = loggableUrl(attempt, redactor);
    const own = status === null ? `${reason} at ${url}` : `${status} from ${url}`;
    const kind = this.#kinds.has(own) || this.#kinds.size < MAX_KINDS ? own : OTHERS;
    const failed = this.#kinds.get(kind) ?? { kind, hint: kind === own ? hint : null, count: 0 };
    failed.count++;
    this.#kinds.set(kind, failed);
    return failed;
  }
}

/**
 * The URL without user, password and query, and with only the words of its path that are no secret of
 * the attempt, such as its password.
 */
function loggableUrl({ url, parts }: AttemptRecord, redactor: Redactor): string {
  if (!isHttpUrl(url)) return 'an invalid URL';
  const { path } = redactor.redactRequest(parts);
  const [scheme, , host = '', ...names] = `${path}`.split('/');
  return `${scheme}//${host}${redactor.loggablePath(names)}`;
}
