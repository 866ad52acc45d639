import { usePage } from './action.ts';
import { ALL, type RowFilter } from './shown-requests.ts';

/** The choices of the filter by status. */
const STATUSES = ['2xx', '4xx', '5xx', '200', '401', '404', '503', 'none'];

interface FilterProps {
  readonly filter: RowFilter;
  readonly onChange: (filter: RowFilter) => void;
}

/** Chooses which requests are shown. */
export function RequestFilter({ filter, onChange }: FilterProps) {
  const { state } = usePage();
  const change = (change: Partial<RowFilter>) => {
    const changed = { ...filter, ...change };
    const isAll = Object.values(changed).every((value) => value === '');
    onChange(isAll ? ALL : changed);
  };
  return (
    <search class="filter">
      <input
        type="search"
        aria-label="Filter by path, operation or reason"
        placeholder="path or reason"
        value={filter.text}
        onInput={(event) => change({ text: event.currentTarget.value })}
      />
      <select
        aria-label="Filter by account"
        value={filter.account}
        onChange={(event) => change({ account: event.currentTarget.value })}
      >
        <option value="">any account</option>
        {state.accounts.map(({ id }) => (
          <option key={id}>{id}</option>
        ))}
      </select>
      <input
        type="text"
        class="status-filter"
        list="statuses"
        aria-label="Filter by status"
        placeholder="status"
        value={filter.status}
        onInput={(event) => change({ status: event.currentTarget.value.trim() })}
      />
      <datalist id="statuses">
        {STATUSES.map((status) => (
          <option key={status} value={status} />
        ))}
      </datalist>
    </search>
  );
}
