/**
 * Ids of what is scripted. Who removes one entry of a list names it by its id, because its place may be
 * that of another entry by then.
 */
export class EntryIds {
  readonly #ids = new WeakMap<object, number>();
  #newest = 0;

  /** The ids of entries, which they keep. No other entry of the mock ever has them. */
  of(entries: readonly object[]): number[] {
    return entries.map((entry) => {
      const id = this.#ids.get(entry) ?? ++this.#newest;
      this.#ids.set(entry, id);
      return id;
    });
  }
}
