import { CallbackDetails } from './callback-details.tsx';
import { CallbackRow } from './callback-row.tsx';
import { EntriesTable } from './entries-table.tsx';
import type { ShownAttempts } from './kept-attempts.ts';

const COLUMNS = ['Time', 'Account', 'Callback', 'Attempt', 'Status', 'Why', 'Duration'];

interface TableProps {
  readonly rows: ShownAttempts['rows'];
  /** The id of the attempt that is open. */
  readonly openId: number | null;
  readonly onToggle: (id: number) => void;
  /** Tells whether the user reads the rows: the pointer or the focus is on them. */
  readonly onRead: (isRead: boolean) => void;
  /** Called when a callback has been sent once more. */
  readonly onSent: () => void;
}

/** The attempts of callbacks, the newest first. */
export function CallbackTable({ rows, openId, onToggle, onRead, onSent }: TableProps) {
  return (
    <EntriesTable
      caption="Attempts of callbacks, the newest first"
      columns={COLUMNS}
      onRead={onRead}
    >
      {rows.flatMap((attempt) => [
        <CallbackRow
          key={attempt.id}
          entry={attempt}
          isOpen={attempt.id === openId}
          onToggle={onToggle}
        />,
        attempt.id === openId && (
          <tr key={`details-${attempt.id}`} class="details" id={`callback-${attempt.id}`}>
            <td colSpan={COLUMNS.length}>
              <CallbackDetails attempt={attempt} onSent={onSent} />
            </td>
          </tr>
        ),
      ])}
    </EntriesTable>
  );
}
