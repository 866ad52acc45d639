import type { PreparedCallback } from '../callbacks/callback.ts';
import type { ScriptedCallback } from '../callbacks/callback-script.ts';
import type { CallbackEntry } from '../journal/entry.ts';
import type { ScopeId } from '../store/store.ts';
import type { ScopeContext } from './context.ts';
import { ScopeJournal } from './journal.ts';

/** Attempts in flight do not count for `waitFor`. */
export class ScopeCallbacks extends ScopeJournal<CallbackEntry> {
  constructor(context: ScopeContext, id: ScopeId) {
    super(context, id, 'callbacks', { ended: true });
  }

  /**
   * Makes the first attempt of a callback now. Retries follow the clock.
   *
   * @returns the attempt after it has ended; `undefined` if it was dropped
   */
  async send(callback: PreparedCallback): Promise<CallbackEntry | undefined> {
    return await this.context.callbacks.send(callback, this.id);
  }

  /**
   * Makes another attempt of a callback, immediately.
   *
   * @param id the id of one of its attempts
   * @returns the new attempt after it has ended; `undefined` if the journal has no attempt with
   *   this id
   */
  async sendAgain(id: number): Promise<CallbackEntry | undefined> {
    const { store, redactor } = this.context;
    await store.synced();
    if (this.journal.get(id, this.id) === undefined) return undefined;
    const newId = await store.sendAgain(id);
    const record = newId === undefined ? undefined : this.journal.get(newId);
    return record && (record.entry(redactor) as CallbackEntry);
  }

  async script(): Promise<readonly ScriptedCallback[]> {
    return (await this.context.store.get(this.id)).callbacks;
  }

  /** Replaces the script for the next callbacks. */
  async setScript(script: readonly ScriptedCallback[]): Promise<void> {
    await this.context.store.change(this.id, { callbacks: script });
  }
}
