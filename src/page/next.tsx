import { useSignal } from '@preact/signals';
import type { ScriptedResponse } from '../mock/scripted-response.ts';
import { AnswerForm, PRESETS } from './answer.tsx';
import { BalanceRow } from './balance.tsx';
import { ActButton, CopyLine, command, Select } from './controls.tsx';
import { accounts, choose, own, scope, service } from './mock.ts';
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
  const made = useSignal({ id: '', apikey: '' });
  const hide = () => {
    made.value = { id: '', apikey: '' };
  };
  const ids = accounts.value.map(({ id }) => id);
  const select = (text: string) => {
    made.value = JSON.parse(text);
    choose(made.value.id);
  };
  return (
    <div class="row">
      <label class="name" for="scope">
        Account
      </label>
      <div class="buttons">
        <Select
          id="scope"
          value={scope.value ?? ''}
          choices={[['', 'all accounts'], ...ids.map((id) => [id, id] as const)]}
          onChoose={(id) => choose(id || null)}
        />
        <ActButton
          call={{ method: 'POST', path: '/accounts' }}
          done="Made an account."
          onDone={select}
        >
          New account
        </ActButton>
      </div>
      <div role="status">
        {/* A reset removes the account, and its key is of no use any more. */}
        {ids.includes(made.value.id) && (
          <div class="notice">
            <p>The key of the new account. It is shown only here and only now.</p>
            <CopyLine text={made.value.apikey} label="Copy the key of the new account" />
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
  const isOpen = useSignal(false);
  const account = scope.value;
  const toggle = () => {
    isOpen.value = !isOpen.value;
  };
  return (
    <fieldset class="row">
      <legend class="name">Next answer</legend>
      <div class="buttons">
        {PRESETS.map(({ name, response, words }) => (
          <ActButton
            key={name}
            call={{ method: 'POST', path: '/responses', body: response, account }}
            done={`Next for ${BALANCE}, ${scopeWords(account)}: ${words}.`}
          >
            {name}
          </ActButton>
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
  const more = responses.length - MOST;
  const whose = scopeWords(account);
  const removal = (path: string) => ({ method: 'DELETE', path, account }) as const;
  return (
    <div class="scripted">
      <ol aria-label={`Scripted for ${whose}`}>
        {responses.slice(0, MOST).map((response, at) => {
          const { operation = BALANCE } = response;
          const words = responseWords(response);
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
              <ActButton
                call={removal(`/responses/${at}`)}
                done={`Removed ${words}, which was scripted for ${whose}.`}
                aria-label={`Remove ${words} for ${operation}`}
              >
                Remove
              </ActButton>
            </li>
          );
        })}
      </ol>
      <div class="buttons">
        {more > 0 && <span class="quiet">and {more} more</span>}
        {responses.length > 1 && (
          <ActButton call={removal('/responses')} done={`Nothing is scripted for ${whose}.`}>
            Remove these {responses.length}
          </ActButton>
        )}
      </div>
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
            <CopyLine text={last.line} label="Copy the command" />
            <p class={last.hasFailed ? 'problem' : 'quiet'}>{last.outcome}</p>
          </>
        )}
      </div>
    </div>
  );
}
