export type { Draft as JournalRecord } from './draft.ts';
