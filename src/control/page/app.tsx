import { useEffect } from 'preact/hooks';
import { Model, usePage } from './action.ts';
import { CallbacksPanel } from './callbacks-panel.tsx';
import { timeOfDay } from './clock-words.ts';
import { NextPanel } from './next-panel.tsx';
import type { PageModel } from './page-model.ts';
import type { PageState } from './page-state.ts';
import { RequestsPanel } from './requests-panel.tsx';
import { TherePanel } from './there-panel.tsx';
import { TokenDialog } from './token-dialog.tsx';
import type { TokenQuestion } from './token-question.ts';
import { TopBar } from './top-bar.tsx';

/** The live page. */
export function App({ model, question }: { model: PageModel; question: TokenQuestion }) {
  return (
    <Model.Provider value={model}>
      <TopBar />
      <Connection />
      <main>
        <NextPanel />
        <CallbacksPanel />
        <RequestsPanel />
        <TherePanel />
      </main>
      <TokenDialog question={question} />
    </Model.Provider>
  );
}

/** Says that the connection is lost, and keeps the title of the page up to date. */
function Connection() {
  const { state } = usePage();
  const title = titleOf(state);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div class="connection" role="status">
      {state.lostSince !== null && (
        <p>
          The connection to momo-mock is lost. The last contact was at{' '}
          {timeOfDay(state.lostSince.toISOString()).slice(0, 8)}. The page tries again every second.
        </p>
      )}
    </div>
  );
}

function titleOf({ overview, lostSince, tls }: PageState): string {
  if (lostSince !== null) return 'Not connected – momo-mock';
  const host = overview === null ? '' : new URL(overview.url).host;
  const mode = tls === null || tls === 'normal' ? '' : `TLS ${tls}`;
  return [mode, host, 'momo-mock'].filter((part) => part !== '').join(' – ');
}
