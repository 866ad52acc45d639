import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useModel, usePage } from './action.ts';
import { CallbackTable } from './callback-table.tsx';
import { ClockLine } from './clock-line.tsx';
import { type ShownAttempts, shownAttempts } from './kept-attempts.ts';
import { useStore } from './store.ts';

/** The callbacks of handlers and their clock, once there is a handler or a callback. */
export function CallbacksPanel() {
  const { model, state } = usePage();
  const { attempts } = useStore(model.callbacks.store);
  // Only a handler has no status of its own.
  const hasHandler = state.operations.some(({ fixtures }) =>
    fixtures.some(({ status }) => status === null),
  );
  if (!hasHandler && attempts.length === 0) return null;
  return (
    <section class="requests callbacks" aria-labelledby="callbacks-title">
      <Attempts />
    </section>
  );
}

function Attempts() {
  const [openId, setOpenId] = useState<number | null>(null);
  const [isRead, setRead] = useState(false);
  const [{ rows, fresh }, renew] = useShownAttempts(isRead || openId !== null);
  const isEmpty = rows.length === 0;
  const isOpenShown = rows.some(({ id }) => id === openId);
  useEffect(() => {
    // What is gone is not read any more.
    if (isEmpty) setRead(false);
    if (!isOpenShown) setOpenId(null);
  }, [isEmpty, isOpenShown]);
  const toggle = useCallback((id: number) => setOpenId((open) => (open === id ? null : id)), []);
  return (
    <>
      <div class="toolbar">
        <h2 id="callbacks-title">Callbacks</h2>
        <ClockLine />
        {/* It has its place also while it is hidden, so that no row moves when it appears. */}
        <button type="button" class={`primary fresh${fresh > 0 ? '' : ' is-idle'}`} onClick={renew}>
          {fresh} new
        </button>
      </div>
      {isEmpty ? (
        <p class="quiet remarks">No callback has been sent yet.</p>
      ) : (
        <div class="attempts">
          <CallbackTable {...{ rows, openId }} onToggle={toggle} onRead={setRead} onSent={renew} />
        </div>
      )}
    </>
  );
}

/** The attempts to show, and a function that shows the new ones although the rows are frozen. */
function useShownAttempts(isFrozen: boolean): [shown: ShownAttempts, renew: () => void] {
  const { callbacks } = useModel();
  const { attempts } = useStore(callbacks.store);
  const [, update] = useState(0);
  const last = useRef<ShownAttempts['rows']>(undefined);
  const shown = shownAttempts(attempts, isFrozen ? last.current : undefined);
  last.current = shown.rows;
  const renew = () => {
    last.current = undefined;
    update((count) => count + 1);
  };
  return [shown, renew];
}
