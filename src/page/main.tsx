import { useSignal } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { TlsMode } from '../tls/tls-mode.ts';
import { CallbacksPanel } from './callbacks.tsx';
import { tokenQuestion } from './client.ts';
import { ActButton, CopyButton, focus, Problem, Select, useAction } from './controls.tsx';
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
      <TokenDialog />
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

/** Says that the connection is lost, and keeps the title of the page up to date. */
function Connection() {
  const lost = lostSince.value;
  const title = titleOf();
  useEffect(() => {
    document.title = title;
  }, [title]);
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

function titleOf(): string {
  if (lostSince.value !== null) return 'Not connected – momo-mock';
  const host = overview.value === null ? '' : new URL(overview.value.url).host;
  const mode = tls.value === null || tls.value === 'normal' ? '' : `TLS ${tls.value}`;
  return [mode, host, 'momo-mock'].filter((part) => part !== '').join(' – ');
}

/** Asks for the token of the control API, while it is needed. */
function TokenDialog() {
  const question = tokenQuestion.value;
  const isAsked = question !== null;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isAsked) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isAsked]);
  const answer = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    question?.answer(String(new FormData(event.currentTarget).get('token')));
    event.currentTarget.reset();
  };
  return (
    <dialog ref={dialog} aria-labelledby="token-title" onCancel={(event) => event.preventDefault()}>
      <form onSubmit={answer}>
        <h2 id="token-title">The control API needs a token</h2>
        <p>
          It is the value of <code>MOMO_MOCK_CONTROL_TOKEN</code>. This tab keeps it until you close
          it.
        </p>
        <label class="field">
          <span>Token</span>
          <input
            type="password"
            name="token"
            autocomplete="off"
            required
            aria-describedby="token-problem"
          />
        </label>
        <p class="problem" id="token-problem" role="alert">
          {question?.wasWrong && 'The token is wrong. Check it and try again.'}
        </p>
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    </dialog>
  );
}

const place = document.querySelector('#page');
if (place !== null) render(<App />, place);
void follow();
