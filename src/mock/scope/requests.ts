import type { JournalEntry, RequestDetails } from '../journal/entry.ts';
import type { ScopeId } from '../store/store.ts';
import type { ScopeContext } from './context.ts';
import { ScopeJournal } from './journal.ts';

/** The received requests. */
export class ScopeRequests extends ScopeJournal<JournalEntry> {
  constructor(context: ScopeContext, id: ScopeId) {
    super(context, id, 'requests');
  }

  /** The request with an id, and the response to it; `undefined` if the journal has none. */
  async get(id: number): Promise<RequestDetails | undefined> {
    await this.context.store.synced();
    const record = this.journal.get(id, this.id);
    return record && (record.details(this.context.redactor) as RequestDetails);
  }
}
