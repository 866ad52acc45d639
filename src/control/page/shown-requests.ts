import type { RequestEvent } from '../../mock/controller/journal-events.ts';
import type { KeptRequests } from './kept-requests.ts';

/** The number of rows that are shown at most. */
export const MOST_SHOWN = 300;

/** What the user wants to see. */
export interface RowFilter {
  /** Text in the path, the operation or the reason, in any letter case. */
  readonly text: string;
  /** The id of an account; empty for all. */
  readonly account: string;
  /** A status such as `404`, `2xx`, or `none`; empty for all. */
  readonly status: string;
}

/** The filter that leaves out nothing. */
export const ALL: RowFilter = { text: '', account: '', status: '' };

/** The rows that are shown, the newest first. */
export interface ShownRequests {
  readonly rows: readonly RequestEvent[];
  /** The number of requests that match the filter. */
  readonly matching: number;
  /** The number of matching requests that came since the rows were frozen. */
  readonly fresh: number;
  /** The id of the newest request when the rows were chosen. */
  readonly newest: number;
  /** How often requests had been removed by then. */
  readonly cleared: number;
}

/** Chooses the rows to show. */
export function chooseRows(
  kept: KeptRequests,
  filter: RowFilter,
  most = MOST_SHOWN,
): ShownRequests {
  const matching = kept.list.filter(matcherOf(filter));
  return {
    rows: matching.slice(-most).reverse(),
    matching: matching.length,
    fresh: 0,
    newest: kept.newest,
    cleared: kept.cleared,
  };
}

/** The same rows with their newest states, so that nothing moves while the user reads. */
export function frozenRows(
  shown: ShownRequests,
  kept: KeptRequests,
  filter: RowFilter,
): ShownRequests {
  const matches = matcherOf(filter);
  let matching = 0;
  let fresh = 0;
  for (const entry of kept.list) {
    if (!matches(entry)) continue;
    matching++;
    if (entry.id > shown.newest) fresh++;
  }
  const rows = shown.rows.map((row) => kept.find(row.id) ?? row);
  return { ...shown, rows, matching, fresh };
}

/** A function that tells whether a request matches the filter. */
export function matcherOf({ text, account, status }: RowFilter): (entry: RequestEvent) => boolean {
  const words = text.trim().toLowerCase();
  return (entry) =>
    (account === '' || entry.account === account) &&
    (status === '' || hasStatus(entry, status.toLowerCase())) &&
    (words === '' || textOf(entry).includes(words));
}

function hasStatus(entry: RequestEvent, wanted: string): boolean {
  if (entry.status === null) return wanted === 'none';
  const status = String(entry.status);
  return status === wanted || (wanted.endsWith('xx') && status[0] === wanted[0]);
}

function textOf({ method, path, operation, reason }: RequestEvent): string {
  return `${method ?? ''} ${path ?? ''}\n${operation ?? ''}\n${reason ?? ''}`.toLowerCase();
}
