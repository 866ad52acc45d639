import { LONGEST_BODY } from '../limits.ts';
import { type JournalEntry, type RequestDetails, shown, shownDetails } from './journal-entry.ts';
import { costOf, type Filter, matches } from './journal-filter.ts';
import { type Arrived, bytesOf, type JournalRecord, newRecord } from './journal-record.ts';
import { type Found, type JournalOptions, RecordJournal } from './record-journal.ts';
import { Tally } from './tally.ts';

/** The result of a filter for requests. */
export type Received = Found<JournalEntry>;

/** The newest requests that were received, in order of arrival, up to a limit. */
export class Journal extends RecordJournal<JournalRecord, Filter, JournalEntry> {
  /** Counts the outcomes of all records, including removed ones. */
  readonly tally = new Tally();

  constructor(options: JournalOptions) {
    super({ change: 'requests', bytesOf, costOf, matches, shown }, options);
  }

  /** Opens the record of a request. The response is added later. */
  open(arrived: Arrived): JournalRecord {
    return this.add((id) => newRecord(id, arrived));
  }

  /** Ends a record that is complete, and counts its outcome. */
  ended(record: JournalRecord): void {
    record.ended = true;
    this.changed(record);
    this.tally.count(record);
  }

  /** The request with an id; `undefined` if there is no record of it. */
  find(id: number, account?: string): RequestDetails | undefined {
    const record = this.get(id, account);
    return record && shownDetails(record, this.redactor, LONGEST_BODY);
  }
}
