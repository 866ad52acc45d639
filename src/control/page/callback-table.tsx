import { CallbackDetails } from './callback-details.tsx';
import { CallbackRow } from './callback-row.tsx';
import type { ShownAttempts } from './kept-attempts.ts';

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
    <table
      class="entries"
      onPointerEnter={(event) => event.pointerType === 'mouse' && onRead(true)}
      onPointerLeave={({ currentTarget }) => {
        onRead(currentTarget.contains(document.activeElement));
      }}
      onFocusIn={() => onRead(true)}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const stays = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        onRead(stays || currentTarget.matches(':hover'));
      }}
    >
      <caption class="hidden">Attempts of callbacks, the newest first</caption>
      <thead>
        <tr class="entry">
          <th scope="col">Time</th>
          <th scope="col">Account</th>
          <th scope="col">Callback</th>
          <th scope="col">Attempt</th>
          <th scope="col">Status</th>
          <th scope="col">Why</th>
          <th scope="col">Duration</th>
        </tr>
      </thead>
      <tbody>
        {rows.flatMap((attempt) => [
          <CallbackRow
            key={attempt.id}
            attempt={attempt}
            isOpen={attempt.id === openId}
            onToggle={onToggle}
          />,
          attempt.id === openId && (
            <tr key={`details-${attempt.id}`} class="details" id={`callback-${attempt.id}`}>
              <td colSpan={7}>
                <CallbackDetails attempt={attempt} onSent={onSent} />
              </td>
            </tr>
          ),
        ])}
      </tbody>
    </table>
  );
}
