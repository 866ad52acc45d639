import type { Draft } from '../mock/draft.ts';
import type { Mock, Outcome } from '../mock/mock.ts';

/**
 * Writes into a request's entry of the journal what the mock decided, and remembers the keys
 * that came with the request.
 *
 * @param url the target as it came over the wire
 * @param body what was kept of it; `null` where there was none
 */
export function writeOutcome(
  { journal, secrets }: Mock,
  entry: Draft,
  outcome: Outcome,
  url: string,
  body: Buffer | null,
): void {
  const { target } = outcome;
  if (target !== undefined) {
    // A refused key is a wrong one, but it is still a secret.
    secrets.rememberQuery(target.query, outcome.account !== undefined);
    entry.target = url;
  }
  if (body !== null) secrets.rememberText(body.toString());
  entry.account = outcome.account?.id ?? null;
  entry.path = outcome.path ?? null;
  entry.operation = outcome.operation?.name ?? null;
  entry.body = body;
  entry.source = outcome.source;
  entry.file = outcome.file ?? null;
  entry.variant = outcome.variant ?? null;
  entry.fault = outcome.fault?.type ?? null;
  entry.reason = outcome.reason ?? null;
  journal.changed();
}
