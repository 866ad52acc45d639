import { effect } from '@preact/signals';
import { render } from 'preact';
import type { TlsMode } from '../tls/tls-mode.ts';
import { CallbacksPanel } from './callbacks.tsx';
import { ActButton, CopyButton, Problem, Select, useAction } from './controls.tsx';
import { follow, lostSince } from './journals.ts';
import { overview, scope, tls, uncaughtErrors } from './mock.ts';
import { NextPanel } from './next.tsx';
import { RequestsPanel } from './requests.tsx';
import { showTrust, TherePanel } from './there.tsx';
import { counted, dateOf, scopeWords, timeOfDay } from './words.ts';

/** The live page. */
function App() {
  return (
    <>
      <TopBar />
      <Connection />
      <main>
        <NextPanel />
        <CallbacksPanel />
        <RequestsPanel />
        <TherePanel />
      </main>
    </>
  );
}

/** What runs where, the TLS mode, and reset. */
function TopBar() {
  const about = overview.value;
  const errors = uncaughtErrors.value;
  return (
    <header class="top">
      <h1>
        momo-mock <span class="quiet">{about?.version}</span>
      </h1>
      {about !== null && (
        <>
          <span class="pair">
            <code>{about.url}</code>
            <CopyButton text={about.url} label="Copy the URL of the service" />
          </span>
          <span class="pair">
            certificate until {dateOf(about.certificate.expiresAt)}
            <button type="button" class="link" onClick={showTrust}>
              how to trust it
            </button>
          </span>
        </>
      )}
      <Problem text={errors > 0 ? `${counted(errors, 'uncaught error')}: see the log` : ''} />
      <div class="pair end">
        <TlsSelect />
        <ResetButton />
      </div>
    </header>
  );
}

/** Each TLS mode in words. */
const TLS_WORDS: Readonly<Record<TlsMode, string>> = {
  normal: 'normal',
  expired: 'expired',
  'wrong-host': 'wrong host',
  untrusted: 'untrusted',
};

const RESET_QUESTION =
  'Reset everything? Balances, scripts, requests, made accounts and TLS go back to the start.';

function TlsSelect() {
  const action = useAction();
  const mode = tls.value ?? 'normal';
  const set = (mode: string) => {
    const call = { method: 'PUT', path: '/tls', body: { mode } } as const;
    void action.run(call, `TLS is ${mode} for new connections.`);
  };
  return (
    <div class="pair">
      <label class="pair">
        TLS
        <Select
          value={mode}
          disabled={tls.value === null}
          class={mode === 'normal' ? '' : 'changed'}
          choices={Object.entries(TLS_WORDS)}
          onChoose={set}
        />
      </label>
      <Problem text={action.problem} />
    </div>
  );
}

/** Resets the account of the scope; asks before it resets everything. */
function ResetButton() {
  const account = scope.value;
  return (
    <ActButton
      call={{ method: 'POST', path: '/reset', account }}
      done={`Reset ${scopeWords(account)}.`}
      question={account === null ? RESET_QUESTION : ''}
    >
      Reset {account ?? 'everything…'}
    </ActButton>
  );
}

/** Says that the connection is lost. */
function Connection() {
  const lost = lostSince.value;
  return (
    <div class="connection" role="status">
      {lost !== null && (
        <p>
          The connection to momo-mock is lost. The last contact was at{' '}
          {timeOfDay(lost.getTime()).slice(0, 8)}. The page tries again every second.
        </p>
      )}
    </div>
  );
}

effect(() => {
  const host = overview.value === null ? '' : new URL(overview.value.url).host;
  const mode = tls.value === null || tls.value === 'normal' ? '' : `TLS ${tls.value}`;
  const state = lostSince.value === null ? [mode, host] : ['Not connected'];
  document.title = [...state, 'momo-mock'].filter((part) => part !== '').join(' – ');
});

const place = document.querySelector('#page');
if (place !== null) render(<App />, place);
void follow();
