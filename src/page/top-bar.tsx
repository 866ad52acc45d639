import { useSignal } from '@preact/signals';
import type { TlsMode } from '../tls/tls-mode.ts';
import { ActButton, CopyButton, focus, Problem, Select, useAction } from './controls.tsx';
import { overview, scope, tls, uncaughtErrors } from './mock.ts';
import { showTrust } from './there.tsx';
import { counted, dateOf, scopeWords } from './words.ts';

/** What runs where, the TLS mode, and reset. */
export function TopBar() {
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
  const isAsking = useSignal(false);
  const ask = (isAsked: boolean) => {
    isAsking.value = isAsked;
  };
  const reset = {
    call: { method: 'POST', path: '/reset', account },
    done: `Reset ${scopeWords(account)}.`,
    onDone: () => ask(false),
  } as const;
  if (account !== null) return <ActButton {...reset}>Reset {account}</ActButton>;
  if (!isAsking.value) {
    return (
      <button type="button" onClick={() => ask(true)}>
        Reset…
      </button>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div class="pair" role="group" aria-label="Reset everything?">
      <span>Balances, scripts, requests, made accounts and TLS go back to the start.</span>
      <ActButton {...reset} class="primary" ref={focus}>
        Reset everything
      </ActButton>
      <button type="button" onClick={() => ask(false)}>
        Cancel
      </button>
    </div>
  );
}
