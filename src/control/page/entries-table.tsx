import type { ComponentChildren } from 'preact';

interface EntriesTableProps {
  /** What a screen reader calls the table. */
  readonly caption: string;
  readonly columns: readonly string[];
  /** Tells whether the user reads the rows: the pointer or the focus is on them. */
  readonly onRead: (isRead: boolean) => void;
  readonly children: ComponentChildren;
}

/** A table of entries, the newest first, that knows whether somebody reads it. */
export function EntriesTable({ caption, columns, onRead, children }: EntriesTableProps) {
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
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr class="entry">
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
