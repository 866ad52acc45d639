import type { Logger } from '../../logger.ts';

/** What of a log record counts. */
interface Counted {
  readonly method?: string;
  readonly status?: number;
  readonly fault?: string;
  readonly reason?: string;
}

/**
 * Counts the requests that the log is told of. The journal would not do: it is bounded, and tests
 * empty it.
 */
export class Tally {
  readonly #counts = new Map<string, number>();
  #requests = 0;

  /** How many requests arrived: connections that never became one do not count. */
  get requests(): number {
    return this.#requests;
  }

  /** A logger that is counted. */
  counting(logger: Logger): Logger {
    const info: Logger['info'] = (...args: unknown[]) => {
      const [record, message] = args;
      if (message === 'request') this.#count(record as Counted);
      (logger.info as (...args: unknown[]) => void)(...args);
    };
    return {
      debug: logger.debug.bind(logger),
      info,
      warn: logger.warn.bind(logger),
      error: logger.error.bind(logger),
    } as never;
  }

  /** One line: how many requests there were, by status and reason, the most first. */
  line(): string {
    const counts = [...this.#counts].sort(
      ([a, many], [b, more]) => more - many || (a < b ? -1 : 1),
    );
    const total = this.#requests === 1 ? '1 request' : `${this.#requests || 'no'} requests`;
    return [total, counts.map(([kind, count]) => `${count} × ${kind}`).join(', ')]
      .filter((part) => part !== '')
      .join(': ');
  }

  #count({ method, status, fault, reason }: Counted): void {
    if (method !== undefined) this.#requests++;
    const outcome = fault ?? (status === undefined ? 'no answer' : undefined);
    const facts = [status, reason ?? outcome].filter((fact) => fact !== undefined);
    const kind = facts.join(' ');
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }
}
