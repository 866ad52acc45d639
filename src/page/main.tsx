import { effect } from '@preact/signals';
import { render } from 'preact';
import { TLS_MODES } from '../tls/tls-mode.ts';
import { ActButton, ActSelect, CopyButton, Problem } from './controls.tsx';
import { follow, lostSince } from './journals.ts';
import { isLoaded, mock } from './mock.ts';
import { NextPanel } from './next.tsx';
import { OverviewPanel } from './overview.tsx';
import { Phones } from './phones.tsx';
import { RequestsPanel } from './requests.tsx';
import { WebhooksPanel } from './webhooks.tsx';
import { counted, dateOf, scopeWords, timeOfDay } from './words.ts';

function App() {
  if (!isLoaded.value) return null;
  return (
    <>
      <TopBar />
      <ConnectionStatus />
      <main>
        <Phones />
        <NextPanel />
        <WebhooksPanel />
        <RequestsPanel />
        <OverviewPanel />
      </main>
    </>
  );
}

const RESET_QUESTION =
  'Reset everything? Balances, scripts and TLS return to their initial state. Requests and created accounts are removed.';

function TopBar() {
  const { overview, uncaughtErrors, tls, scope } = mock.value;
  const { version, url, certificate } = overview;
  return (
    <header class="top">
      <h1>
        momo-mock <span class="quiet">{version}</span>
      </h1>
      <span class="pair">
        <code>{url}</code>
        <CopyButton text={url} label="Copy the URL of the service" />
      </span>
      <span class="pair">
        certificate until {dateOf(certificate.expiresAt)}
        <a href="#trust">how to trust it</a>
      </span>
      <Problem
        text={uncaughtErrors > 0 ? `${counted(uncaughtErrors, 'uncaught error')}: see the log` : ''}
      />
      <div class="pair end">
        <label class="pair" for="tls">
          TLS
        </label>
        <ActSelect
          id="tls"
          value={tls}
          class={tls === 'normal' ? '' : 'changed'}
          choices={TLS_MODES.map((mode) => [mode, mode])}
          call={(mode) => ({ method: 'PUT', path: '/tls', body: { mode } })}
          done={(mode) => `TLS is ${mode} for new connections.`}
        />
        <ActButton
          call={{ method: 'POST', path: '/reset', account: scope }}
          done={`Reset ${scopeWords(scope)}.`}
          question={scope === null ? RESET_QUESTION : ''}
        >
          Reset {scope ?? 'everything…'}
        </ActButton>
      </div>
    </header>
  );
}

function ConnectionStatus() {
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
  if (!isLoaded.value) return;
  const { tls, overview } = mock.value;
  const state = [tls === 'normal' ? '' : `TLS ${tls}`, new URL(overview.url).host];
  const words = lostSince.value === null ? state : ['Not connected'];
  document.title = [...words, 'momo-mock'].filter((part) => part !== '').join(' – ');
});

const place = document.querySelector('#page');
if (place !== null) render(<App />, place);
void follow();
