import type { RequestEvent } from '../../mock/controller/journal-events.ts';
import { EntriesTable } from './entries-table.tsx';
import { RequestDetailsView } from './request-details.tsx';
import { RequestRow } from './request-row.tsx';

const COLUMNS = ['Time', 'Account', 'Request', 'Status', 'Why', 'Duration'];

interface TableProps {
  readonly rows: readonly RequestEvent[];
  /** The id of the request that is open. */
  readonly openId: number | null;
  readonly onToggle: (id: number) => void;
  /** Tells whether the user reads the rows: the pointer or the focus is on them. */
  readonly onRead: (isRead: boolean) => void;
}

/** The requests, the newest first. */
export function RequestTable({ rows, openId, onToggle, onRead }: TableProps) {
  return (
    <EntriesTable caption="Requests, the newest first" columns={COLUMNS} onRead={onRead}>
      {/* Rows are keyed by their places, which change text faster than elements can be moved. While
            the user reads, each keeps its place. */}
      {rows.flatMap((entry, place) => [
        <RequestRow key={place} entry={entry} isOpen={entry.id === openId} onToggle={onToggle} />,
        entry.id === openId && (
          <tr key={`details-${entry.id}`} class="details" id={`details-${entry.id}`}>
            <td colSpan={COLUMNS.length}>
              <RequestDetailsView entry={entry} />
            </td>
          </tr>
        ),
      ])}
    </EntriesTable>
  );
}
