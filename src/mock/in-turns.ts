import { nextTurn } from '../timers.ts';

/** How much is read per turn of the event loop, in bytes. */
const MAX_TURN_BYTES = 65_536;

/** Reads items, and gives requests a turn after each 64 KiB, because redacting a long list takes seconds. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  read: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    bytes += size;
    if (bytes > MAX_TURN_BYTES) {
      await nextTurn();
      bytes = size;
    }
    results.push(read(item));
  }
  return results;
}
