import type { JournalEntry, RequestDetails } from '../journal/entry.ts';
import type { ScopeId } from '../store/store.ts';
import type { ScopeContext } from './context.ts';
import { ScopeJournal } from './journal.ts';

export class ScopeRequests extends ScopeJournal<JournalEntry> {
  constructor(context: ScopeContext, id: ScopeId) {
    super(context, id, 'requests');
  }

  /** A request and its response; `undefined` if the journal does not have it. */
  async get(id: number): Promise<RequestDetails | undefined> {
    await this.context.store.synced();
    const record = this.journal.get(id, this.id);
    return record && (record.details(this.context.redactor) as RequestDetails);
  }
}
