import { useEffect, useRef, useState } from 'preact/hooks';
import { forScope, scopeWords, useAction, usePage } from './action.ts';
import { clockWords, isClockShown } from './callback-words.ts';
import type { ShownClock } from './page-state.ts';
import { Problem } from './problem.tsx';

/** The time between two updates of a clock that runs, in ms. */
const UPDATE = 1000;

const MINUTE = 60_000;

/** The clock of handlers, while something waits for it. */
export function ClockLine() {
  const { state } = usePage();
  const { clock, scope } = state;
  const action = useAction();
  const now = useNow(clock);
  const move = (advance: number | 'idle', done: string) => {
    const body = JSON.stringify({ advance });
    const call = { method: 'POST', path: '/clock', body, ...forScope(scope) } as const;
    void action.run(call, done);
  };
  const isShown = isClockShown(clock);
  const whose = scopeWords(scope);
  return (
    <div class="clock">
      {isShown && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
        <div class="buttons" role="group" aria-label={`Clock of ${whose}`}>
          <span>
            Clock of {whose}: {clockWords(clock, now)}
          </span>
          <button
            type="button"
            disabled={action.isBusy}
            onClick={() => move(MINUTE, `The clock of ${whose} was moved by 1 min.`)}
          >
            Advance 1 min
          </button>
          <button
            type="button"
            disabled={action.isBusy}
            onClick={() => move('idle', `All timers of ${whose} have run.`)}
          >
            Run all
          </button>
        </div>
      )}
      <Problem text={action.problem} />
    </div>
  );
}

/** The time of a clock, which goes on since it was loaded if it is not frozen. */
function useNow(clock: ShownClock | null): number {
  const loaded = useRef({ clock, at: 0 });
  if (loaded.current.clock !== clock) loaded.current = { clock, at: performance.now() };
  const [, update] = useState(0);
  const isRunning = isClockShown(clock) && !clock.frozen;
  useEffect(() => {
    if (!isRunning) return;
    const tick = () => !document.hidden && update((count) => count + 1);
    const timer = setInterval(tick, UPDATE);
    return () => clearInterval(timer);
  }, [isRunning]);
  const since = isRunning ? performance.now() - loaded.current.at : 0;
  return (clock?.now ?? 0) + since;
}
