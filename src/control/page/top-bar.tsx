import { useState } from 'preact/hooks';
import type { TlsMode } from '../../tls/tls-mode.ts';
import { forScope, scopeWords, useAction, usePage } from './action.ts';
import { dateOf } from './clock-words.ts';
import { CopyButton, select } from './copy-button.tsx';
import { Problem } from './problem.tsx';
import { showTrust } from './trust-section.tsx';

/** Each TLS mode in words. */
const TLS_WORDS: Readonly<Record<TlsMode, string>> = {
  normal: 'normal',
  expired: 'expired',
  'wrong-host': 'wrong host',
  untrusted: 'untrusted',
};

/** What runs where, the TLS mode, and reset. */
export function TopBar() {
  const { state } = usePage();
  const { overview, uncaughtErrors: errors } = state;
  return (
    <header class="top">
      <h1>
        momo-mock <span class="quiet">{overview?.version}</span>
      </h1>
      {overview !== null && (
        <>
          <span class="pair">
            <code id="service-url">{overview.url}</code>
            <CopyButton
              text={overview.url}
              label="Copy the URL of the service"
              fallback={() => select(document.querySelector('#service-url'))}
            />
          </span>
          <span class="pair">
            certificate until {dateOf(overview.certificate.expiresAt)}
            <button type="button" class="link" onClick={showTrust}>
              how to trust it
            </button>
          </span>
        </>
      )}
      <Problem
        text={errors > 0 ? `${errors} uncaught error${errors > 1 ? 's' : ''}: see the log` : ''}
      />
      <div class="pair end">
        <TlsSelect />
        <ResetButton />
      </div>
    </header>
  );
}

function TlsSelect() {
  const { state } = usePage();
  const action = useAction();
  const set = (mode: string) => {
    const call = { method: 'PUT', path: '/tls', body: JSON.stringify({ mode }) } as const;
    void action.run(call, `TLS is ${mode} for new connections.`);
  };
  return (
    <div class="pair">
      <label class="pair">
        TLS
        <select
          value={state.tls ?? 'normal'}
          disabled={state.tls === null}
          class={state.tls !== null && state.tls !== 'normal' ? 'changed' : ''}
          onChange={(event) => set(event.currentTarget.value)}
        >
          {Object.entries(TLS_WORDS).map(([mode, words]) => (
            <option key={mode} value={mode}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <Problem text={action.problem} />
    </div>
  );
}

/** Resets the account of the scope; asks before it resets everything. */
function ResetButton() {
  const { state } = usePage();
  const { scope } = state;
  const action = useAction();
  const [isAsking, setAsking] = useState(false);
  const reset = () => {
    setAsking(false);
    const call = { method: 'POST', path: '/reset', ...forScope(scope) } as const;
    void action.run(call, `Reset ${scopeWords(scope)}.`);
  };
  if (isAsking && scope === null) {
    return (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
      <div class="pair" role="group" aria-label="Reset everything?">
        <span>Balances, scripts, requests, made accounts and TLS go back to the start.</span>
        <button type="button" class="primary" onClick={reset} ref={focus}>
          Reset everything
        </button>
        <button type="button" onClick={() => setAsking(false)}>
          Cancel
        </button>
      </div>
    );
  }
  return (
    <div class="pair">
      <button type="button" onClick={() => (scope === null ? setAsking(true) : reset())}>
        {scope === null ? 'Reset…' : `Reset ${scope}`}
      </button>
      <Problem text={action.problem} />
    </div>
  );
}

function focus(button: HTMLElement | null): void {
  button?.focus();
}
