import type { RecordEvent, StoreEvent } from '../mock/store/event.ts';

/**
 * The fields of an event in the stream: `e` and the epoch, `d` and JSON, and `t` and the entry of
 * each record.
 */
export function fieldsOf(epoch: string, event: StoreEvent): string[] {
  if (event.do !== 'records') return ['e', epoch, 'd', JSON.stringify(event)];
  // Entries are not in the JSON, so that each is parsed only on demand.
  const heads = event.records.map((record) => record.slice(0, -1));
  const entries = event.records.flatMap((record) => ['t', `${record.at(-1)}`]);
  return ['e', epoch, 'd', JSON.stringify({ ...event, records: heads }), ...entries];
}

/** Reads an event; `undefined` if it has another epoch. */
export function readEvent(epoch: string, fields: readonly string[]): StoreEvent | undefined {
  const [, of, , json = '', ...entries] = fields;
  if (of !== epoch) return undefined;
  const event = JSON.parse(json) as StoreEvent;
  if (event.do !== 'records') return event;
  const records = event.records.map(([number, kind, ended, bytes, account], at): RecordEvent => {
    return [number, kind, ended, bytes, account, entries[2 * at + 1] ?? ''];
  });
  return { ...event, records };
}

/** Whether one stream id precedes another. */
export function isBefore(a: string, b: string): boolean {
  const [time = 0, place = 0] = a.split('-').map(Number);
  const [otherTime = 0, otherPlace = 0] = b.split('-').map(Number);
  return time < otherTime || (time === otherTime && place < otherPlace);
}
