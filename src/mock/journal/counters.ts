import { ANY_OPERATION } from '../responses/source-words.ts';
import type { AttemptRecord, JournalRecord, RequestRecord } from './record.ts';

export interface Counter {
  count: number;
  /** The total duration, in ms. */
  ms: number;
}

/** A handler might give each request another reason. Further reasons count as {@link OTHER}. */
const MAX_OUTCOMES = 1000;
const OTHER = 'other';

export interface Outcome extends Counter {
  readonly status: number | null;
  /** Why a request was refused, or the fault of its response. */
  readonly reason: string | null;
  /** How to fix the first of them; for connections, each way to fix one of them. */
  readonly hints: Set<string>;
}

/**
 * Counts requests and webhook attempts by outcome. The journal cannot do this, because it is
 * limited and tests clear it.
 */
export class Counters {
  /**
   * The outcomes of requests, and of connections without a request, such as `401 key-unknown`, `200` or
   * `reset`.
   */
  readonly outcomes = new Map<string | number, Outcome>();

  /** Webhook attempts by status, or by reason if they have no status. */
  readonly attempts = new Map<string | number | null, Counter>();

  /** The number of requests, without connections that sent none. */
  requests = 0;

  refusedByProxy = 0;

  /** Scripted responses that were removed, or left at the end, before requests used them. */
  readonly unused = new Map<string, number>();

  countUnused(scripts: readonly { readonly operation: string | undefined }[]): void {
    for (const { operation = ANY_OPERATION } of scripts) {
      this.unused.set(operation, (this.unused.get(operation) ?? 0) + 1);
    }
  }

  count(record: JournalRecord): void {
    const counter = record.kind === 'requests' ? this.#outcomeOf(record) : this.#attemptOf(record);
    counter.count++;
    counter.ms += record.durationMs ?? 0;
  }

  #outcomeOf(record: RequestRecord): Outcome {
    const { status, loggedReason: reason, fault } = record;
    const isRequest = record.method !== null;
    if (isRequest) this.requests++;
    const outcome = this.#outcome(status, reason ?? fault);
    const takesHint = reason !== null && (outcome.hints.size === 0 || !isRequest);
    if (takesHint && record.hint !== null) outcome.hints.add(record.hint);
    return outcome;
  }

  #outcome(status: number | null, reason: string | null): Outcome {
    // Most have only a status. Joining texts for each request took 3 % of the CPU.
    const name = reason === null ? (status ?? 'no response') : nameOf(status, reason);
    const known = this.outcomes.get(name);
    if (known !== undefined) return known;
    if (reason !== null && reason !== OTHER && this.outcomes.size >= MAX_OUTCOMES)
      return this.#outcome(status, OTHER);
    const outcome = { status, reason, hints: new Set<string>(), count: 0, ms: 0 };
    this.outcomes.set(name, outcome);
    return outcome;
  }

  #attemptOf({ status, reason }: AttemptRecord): Counter {
    const name = status ?? reason;
    const counter = this.attempts.get(name) ?? { count: 0, ms: 0 };
    this.attempts.set(name, counter);
    return counter;
  }
}

function nameOf(status: number | null, reason: string): string {
  return status === null ? reason : `${status} ${reason}`;
}
