import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useAction, useModel, usePage } from './action.ts';
import { EmptyState } from './empty-state.tsx';
import { Problem } from './problem.tsx';
import { RateChart } from './rate-chart.tsx';
import { RequestFilter } from './request-filter.tsx';
import { RequestTable } from './request-table.tsx';
import { ALL, type ShownRequests } from './shown-requests.ts';
import { useShownRequests } from './use-shown-requests.ts';

/** The requests as they happen. */
export function RequestsPanel() {
  const model = useModel();
  const clearing = useAction();
  const [filter, setFilter] = useState(ALL);
  const [isPaused, setPaused] = useState(false);
  const [isRead, setRead] = useState(false);
  const [openId, setOpenId] = useState<number | null>(null);
  const pause = useRef<HTMLButtonElement>(null);
  const isFrozen = isPaused || isRead || openId !== null;
  const [shown, renew] = useShownRequests(model, filter, isFrozen);
  const isEmpty = shown.rows.length === 0;
  const isOpenShown = shown.rows.some(({ id }) => id === openId);
  useEffect(() => {
    // What is gone is not read any more.
    if (isEmpty) setRead(false);
    if (!isOpenShown) setOpenId(null);
  }, [isEmpty, isOpenShown]);
  const toggle = useCallback((id: number) => setOpenId((open) => (open === id ? null : id)), []);
  const goOn = () => {
    setPaused(false);
    setOpenId(null);
    renew();
    // The button that was pressed is hidden now.
    pause.current?.focus();
  };
  const clear = () => {
    setOpenId(null);
    void clearing.run({ method: 'DELETE', path: '/requests' }, 'Cleared the requests.');
  };
  return (
    <section class="requests" aria-labelledby="requests-title">
      <div class="toolbar">
        <h2 id="requests-title">Requests</h2>
        <RateChart />
        <RequestFilter filter={filter} onChange={setFilter} />
        <div class="buttons">
          {/* It has its place also while it is hidden, so that no row moves when it appears. */}
          <button
            type="button"
            class={`primary fresh${shown.fresh > 0 ? '' : ' is-idle'}`}
            onClick={goOn}
          >
            {shown.fresh.toLocaleString('en')} new
          </button>
          <button
            type="button"
            ref={pause}
            aria-pressed={isPaused}
            onClick={() => setPaused(!isPaused)}
          >
            Pause
          </button>
          <button type="button" onClick={clear}>
            Clear
          </button>
        </div>
      </div>
      <Problem text={clearing.problem} />
      {!isEmpty ? (
        <RequestTable rows={shown.rows} openId={openId} onToggle={toggle} onRead={setRead} />
      ) : (
        <EmptyState isFiltered={filter !== ALL && model.kept.list.length > 0} />
      )}
      <Remarks shown={shown} isPaused={isPaused} />
    </section>
  );
}

/** Which requests are not in the table, and why. */
function Remarks({ shown, isPaused }: { shown: ShownRequests; isPaused: boolean }) {
  const { state } = usePage();
  const { rows, matching } = shown;
  return (
    <p class="quiet remarks">
      {isPaused && 'Paused. '}
      {matching > rows.length &&
        rows.length > 0 &&
        `${rows.length} of ${matching.toLocaleString('en')} are shown. Filter to find others. `}
      {state.missed > 0 &&
        `${state.missed.toLocaleString('en')} requests came too fast to be shown. GET /requests has those that are kept.`}
    </p>
  );
}
