import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageModel } from './page-model.ts';
import { chooseRows, frozenRows, type RowFilter, type ShownRequests } from './shown-requests.ts';

/** The shortest time between two updates of the rows, in ms. */
const SHORTEST = 250;
/** At most one fifth of the time goes into updating the rows. */
const SHARE = 5;

/**
 * The rows to show, for a component, which is rendered again when requests come.
 *
 * @returns the rows, and a function that chooses them anew although they are frozen
 */
export function useShownRequests(
  model: PageModel,
  filter: RowFilter,
  isFrozen: boolean,
): [shown: ShownRequests, renew: () => void] {
  const { kept } = model;
  const [, update] = useState(0);
  const chosen = useRef<{ rows: ShownRequests; filter: RowFilter }>(undefined);
  useEffect(() => onSometimes(model, () => update((count) => count + 1)), [model]);
  const last = chosen.current;
  const isSame = last !== undefined && last.filter === filter && last.rows.cleared === kept.cleared;
  const rows = isFrozen && isSame ? frozenRows(last.rows, kept, filter) : chooseRows(kept, filter);
  chosen.current = { rows, filter };
  const renew = () => {
    chosen.current = undefined;
    update((count) => count + 1);
  };
  return [rows, renew];
}

/**
 * Calls a listener when requests came, but not often, and less so where it takes long: the page
 * has to answer to clicks.
 */
function onSometimes(model: PageModel, listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let next = 0;
  const run = () => {
    const start = performance.now();
    listener();
    // Runs when the rows are painted.
    requestAnimationFrame(() =>
      setTimeout(() => {
        timer = undefined;
        next = start + Math.max(SHORTEST, (performance.now() - start) * SHARE);
        if (isMissed) later();
        isMissed = false;
      }),
    );
  };
  let isMissed = false;
  const later = () => {
    timer = setTimeout(run, Math.max(0, next - performance.now()));
  };
  const stop = model.onRequests(() => {
    if (timer === undefined) later();
    else isMissed = true;
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
