import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ScriptedResponse } from '../mock/scripted-response.ts';
import { AnswerForm, PRESETS, type Preset } from './answer.tsx';
import { BalanceRow } from './balance.tsx';
import { CopyLine, Problem, useAction } from './controls.tsx';
import { accounts, choose, command, own, scope, service } from './mock.ts';
import { BALANCE, responseWords, scopeWords, timesWords } from './words.ts';

/** What happens next: the controls of the mock. */
export function NextPanel() {
  return (
    <section class="next" aria-labelledby="next-title">
      <h2 id="next-title" class="hidden">
        What happens next
      </h2>
      <AccountRow />
      <BalanceRow />
      <AnswerRow />
      <ScriptedRow />
      <CommandRow />
    </section>
  );
}

/** Chooses the account that the controls are for, and makes new ones. */
function AccountRow() {
  const action = useAction();
  const key = useSignal('');
  /** The account with this key, once it is listed. */
  const made = useRef({ id: '', isListed: false });
  const make = async () => {
    const text = await action.run({ method: 'POST', path: '/accounts' }, 'Made an account.');
    if (text === undefined) return;
    const { apikey, id } = JSON.parse(text);
    made.current = { id, isListed: false };
    key.value = apikey;
    choose(id);
  };
  const hide = () => {
    key.value = '';
  };
  useEffect(() => {
    const isListed = accounts.value.some(({ id }) => id === made.current.id);
    // A reset removes the account, and its key is of no use any more.
    if (made.current.isListed && !isListed) hide();
    made.current.isListed ||= isListed;
  }, [accounts.value]);
  return (
    <div class="row">
      <label class="name" for="scope">
        Account
      </label>
      <div class="buttons">
        <select
          id="scope"
          value={scope.value ?? ''}
          onChange={(event) => choose(event.currentTarget.value || null)}
        >
          <option value="">all accounts</option>
          {accounts.value.map(({ id }) => (
            <option key={id}>{id}</option>
          ))}
        </select>
        <button type="button" onClick={make} disabled={action.isBusy}>
          New account
        </button>
      </div>
      <Problem text={action.problem} />
      <div role="status">
        {key.value !== '' && (
          <div class="notice">
            <p>The key of the new account. It is shown only here and only now.</p>
            <CopyLine line={key.value} label="Copy the key of the new account" />
            <button type="button" onClick={hide}>
              Hide the key
            </button>
          </div>
        )}
      </div>
    </div>
  );
}

/** Buttons for the usual answers, and the form for the others. */
function AnswerRow() {
  const action = useAction();
  const isOpen = useSignal(false);
  const toggle = () => {
    isOpen.value = !isOpen.value;
  };
  const script = ({ response, words }: Preset) => {
    const account = scope.value;
    const call = { method: 'POST', path: '/responses', body: response, account } as const;
    void action.run(call, `Next for ${BALANCE}, ${scopeWords(account)}: ${words}.`);
  };
  return (
    <fieldset class="row">
      <legend class="name">Next answer</legend>
      <div class="buttons">
        {PRESETS.map((preset) => (
          <button type="button" key={preset.name} onClick={() => script(preset)}>
            {preset.name}
          </button>
        ))}
        <button
          type="button"
          aria-expanded={isOpen.value}
          aria-controls="answer-form"
          onClick={toggle}
        >
          Other…
        </button>
      </div>
      <Problem text={action.problem} />
      <div id="answer-form">{isOpen.value && <AnswerForm onClose={toggle} />}</div>
    </fieldset>
  );
}

/** What is scripted, and how much of it is left. */
function ScriptedRow() {
  const lists = [
    { account: scope.value, responses: own.value?.responses ?? [] },
    { account: null, responses: service.value.responses },
  ].filter(({ responses }) => responses.length > 0);
  return (
    <div class="row">
      <h3 class="name">Scripted</h3>
      {lists.length === 0 && <p class="quiet">Nothing. The next answers are the normal ones.</p>}
      {lists.map((list) => (
        <ScriptedList key={list.account ?? ''} {...list} />
      ))}
    </div>
  );
}

/** The number of scripted responses that are shown. */
const MOST = 50;

interface ListProps {
  readonly account: string | null;
  readonly responses: readonly ScriptedResponse[];
}

function ScriptedList({ account, responses }: ListProps) {
  const action = useAction();
  const more = responses.length - MOST;
  const whose = scopeWords(account);
  const remove = (path: string, done: string) =>
    void action.run({ method: 'DELETE', path, account }, done);
  return (
    <div class="scripted">
      <ol aria-label={`Scripted for ${whose}`}>
        {responses.slice(0, MOST).map((response, at) => {
          const { operation = BALANCE } = response;
          const words = responseWords(response);
          const done = `Removed ${words}, which was scripted for ${whose}.`;
          return (
            <li key={at}>
              <code>
                <bdi>{operation}</bdi>
              </code>
              <strong>
                <bdi>{words}</bdi>
              </strong>
              <span class="quiet">{timesWords(response)}</span>
              <span class="quiet">{whose}</span>
              <button
                type="button"
                aria-label={`Remove ${words} for ${operation}`}
                onClick={() => remove(`/responses/${at}`, done)}
              >
                Remove
              </button>
            </li>
          );
        })}
      </ol>
      <div class="buttons">
        {more > 0 && <span class="quiet">and {more} more</span>}
        {responses.length > 1 && (
          <button
            type="button"
            onClick={() => remove('/responses', `Nothing is scripted for ${whose}.`)}
          >
            Remove these {responses.length}
          </button>
        )}
      </div>
      <Problem text={action.problem} />
    </div>
  );
}

/** The last thing that the page did, as the line for a shell that does the same. */
function CommandRow() {
  const last = command.value;
  return (
    <div class="row command">
      <h3 class="name">As a command</h3>
      <div role="status">
        {last === null ? (
          <p class="quiet">What you do on this page appears here as a curl line.</p>
        ) : (
          <>
            <CopyLine line={last.line} label="Copy the command" />
            <p class={last.hasFailed ? 'problem' : 'quiet'}>{last.outcome}</p>
          </>
        )}
      </div>
    </div>
  );
}
