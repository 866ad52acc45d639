import { type JournalOptions, RecordJournal } from '../journal/record-journal.ts';
import type { CallbackOutcome } from './callback-attempt.ts';
import type { CallbackEntry } from './callback-entry.ts';
import type { CallbackFilter } from './callback-filter.ts';
import { matchesCallback } from './callback-match.ts';
import { type CallbackRecord, callbackBytes, shownCallback } from './callback-record.ts';

/** The newest attempts of callbacks, in order, up to a limit. */
export class CallbackJournal extends RecordJournal<CallbackRecord, CallbackFilter, CallbackEntry> {
  constructor(options: JournalOptions) {
    const kind = {
      change: 'callbacks',
      bytesOf: callbackBytes,
      costOf: () => 16,
      matches: matchesCallback,
      shown: shownCallback,
    } as const;
    super(kind, options);
  }

  /** Opens the record of an attempt that begins. */
  open(
    began: Pick<CallbackRecord, 'time' | 'account' | 'callback' | 'timers' | 'attempt'>,
  ): CallbackRecord {
    const record = {
      id: this.records.nextId(),
      ...began,
      status: null,
      reason: null,
      durationMs: null,
      bytes: 0,
      position: 0,
    };
    this.records.add(record);
    this.note(record, {});
    return record;
  }

  /** Notes how an attempt has ended. */
  ended(record: CallbackRecord, outcome: CallbackOutcome, durationMs: number): void {
    Object.assign(record, outcome, { durationMs: Math.round(durationMs * 10) / 10 });
    this.changed(record);
  }

  /** The entry for a record, without secrets. */
  shown(record: CallbackRecord): CallbackEntry {
    return shownCallback(record, this.redactor);
  }
}
