import type { RequestEvent } from '../../mock/journal-events.ts';
import { RequestDetailsView } from './request-details.tsx';
import { RequestRow } from './request-row.tsx';

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
  const holdsFocus = (table: Element) => table.contains(document.activeElement);
  return (
    <table
      class="entries"
      onPointerEnter={(event) => event.pointerType === 'mouse' && onRead(true)}
      onPointerLeave={(event) => onRead(holdsFocus(event.currentTarget))}
      onFocusIn={() => onRead(true)}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const stays = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        onRead(stays || currentTarget.matches(':hover'));
      }}
    >
      <caption class="hidden">Requests, the newest first</caption>
      <thead>
        <tr class="entry">
          <th scope="col">Time</th>
          <th scope="col">Account</th>
          <th scope="col">Request</th>
          <th scope="col">Status</th>
          <th scope="col">Why</th>
          <th scope="col">Duration</th>
        </tr>
      </thead>
      <tbody>
        {/* Rows are keyed by their places, which change text faster than elements can be moved. While
            the user reads, each keeps its place. */}
        {rows.flatMap((entry, place) => [
          <RequestRow key={place} entry={entry} isOpen={entry.id === openId} onToggle={onToggle} />,
          entry.id === openId && (
            <tr key={`details-${entry.id}`} class="details" id={`details-${entry.id}`}>
              <td colSpan={6}>
                <RequestDetailsView entry={entry} />
              </td>
            </tr>
          ),
        ])}
      </tbody>
    </table>
  );
}
