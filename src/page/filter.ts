/** What the user wants to see of the requests. */
export interface RequestFilter {
  /** Text in the path, the operation or the reason, in any letter case. */
  readonly text: string;
  /** The id of an account; empty for all. */
  readonly account: string;
  /** A status such as `404`, `2xx`, or `none`; empty for all. */
  readonly status: string;
}

/** What a filter looks at. */
interface Filtered {
  readonly account: string | null;
  readonly method: string | null;
  readonly path: string | null;
  readonly operation: string | null;
  readonly reason: string | null;
  readonly status: number | null;
}

/** A function that tells whether a request matches a filter. */
export function matcherOf({ text, account, status }: RequestFilter): (entry: Filtered) => boolean {
  const words = text.trim().toLowerCase();
  const wanted = status.trim().toLowerCase();
  return (entry) =>
    (account === '' || entry.account === account) &&
    (wanted === '' || statusesOf(entry).includes(wanted)) &&
    (words === '' || textOf(entry).includes(words));
}

/** What a status is found by. */
function statusesOf({ status }: Filtered): string[] {
  return status === null ? ['none'] : [`${status}`, `${Math.floor(status / 100)}xx`];
}

function textOf({ method, path, operation, reason }: Filtered): string {
  return `${method ?? ''} ${path ?? ''}\n${operation ?? ''}\n${reason ?? ''}`.toLowerCase();
}
