import { recordOf } from './entry.ts';
import { type JournalRecord, newRequest, type RecordKind } from './record.ts';

/** A record of another process, or of an earlier one. Its entry is parsed when somebody asks for it. */
export class StoredRecord {
  readonly kind: RecordKind;
  account: string | null;
  /** The size that its process has counted, in bytes. */
  readonly size: number;
  id = 0;
  bytes = 0;
  position = 0;
  ended = false;
  #entry: string;
  #whole: JournalRecord | undefined;

  /** @param entry the JSON of its entry, without secrets */
  constructor(kind: RecordKind, account: string | null, size: number, entry: string) {
    this.kind = kind;
    this.account = account;
    this.size = size;
    this.#entry = entry;
  }

  /** Ends it, with the account and the entry that it has then. */
  end(account: string | null, entry: string): void {
    this.account = account;
    this.#entry = entry;
    this.#whole = undefined;
    this.ended = true;
  }

  /** All of it. */
  get whole(): JournalRecord {
    this.#whole ??= recordOf(this.kind, JSON.parse(this.#entry));
    return this.#whole;
  }

  /** It as what it stands for. */
  get record(): JournalRecord {
    return this as unknown as JournalRecord;
  }
}

const OWN = ['kind', 'account', 'id', 'bytes', 'position', 'ended'];
const OF_ATTEMPTS = ['callback', 'timers', 'attempt'];
const OF_REQUESTS = Object.keys(newRequest({ method: null, headers: {} }));
for (const field of [...OF_REQUESTS, ...OF_ATTEMPTS, 'entry']) {
  if (OWN.includes(field)) continue;
  Object.defineProperty(StoredRecord.prototype, field, {
    get(this: StoredRecord) {
      return this.whole[field as keyof JournalRecord];
    },
  });
}
