import type { ClockChange } from '../mock/clock/clock-change.ts';
import type { WebhookEntry } from '../mock/journal/entry.ts';
import { ActButton } from './controls.tsx';
import { attempts, contents, readAttempt, showAttempt } from './journals.ts';
import { mock, now } from './mock.ts';
import { ScriptedWebhooks, ScriptWebhooks } from './script-webhook.tsx';
import { EntryTable, FreshButton, Message } from './table.tsx';
import { attemptWords, clockWords, dateTimeOf, scopeWords } from './words.ts';

export function WebhooksPanel() {
  const { rows } = attempts.rows.value;
  const said = contents.value;
  return (
    <section class="requests webhooks" aria-labelledby="webhooks-title">
      <div class="toolbar">
        <h2 id="webhooks-title">Webhooks</h2>
        <ClockLine />
        <FreshButton journal={attempts} />
      </div>
      <ScriptWebhooks />
      <ScriptedWebhooks />
      {rows.length === 0 ? (
        <p class="quiet">No webhook has been sent yet.</p>
      ) : (
        <div class="attempts">
          <EntryTable
            journal={attempts}
            caption="Webhook attempts"
            columns={['Time', 'Account', 'Webhook', 'Attempt', 'Status', 'Why', 'Duration']}
            words={(attempt) => attemptWords(attempt, said.get(attempt.id)?.words)}
            load={async ({ id }) => <AttemptView details={await readAttempt(id)} />}
          />
        </div>
      )}
    </section>
  );
}

/** The handlers' clock, and what waits for it. */
function ClockLine() {
  const { clock, allClock, loadedAt, scope: account } = mock.value;
  const time = clock.now + (clock.frozen ? 0 : Math.max(0, now.value - loadedAt));
  const whose = scopeWords(account);
  const call = (body: ClockChange) => ({ method: 'POST', path: '/clock', body, account }) as const;
  const freeze = !clock.frozen;
  // The clock of an account stands still with that of all accounts.
  const frozen = allClock.frozen ? null : account;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div class="buttons" role="group" aria-label={`Clock of ${whose}`}>
      <span>
        Clock of {whose}: {clockWords(clock, time)}
      </span>
      <ActButton
        call={{ ...call({ freeze }), account: freeze ? account : frozen }}
        done={
          freeze
            ? `The clock of ${whose} is frozen: only advancing runs timers.`
            : `The clock of ${scopeWords(frozen)} runs.`
        }
      >
        {freeze ? 'Freeze' : frozen === account ? 'Unfreeze' : 'Unfreeze all accounts'}
      </ActButton>
      <ActButton
        call={call({ advance: 60_000 })}
        done={`The clock of ${whose} was moved by 1 min.`}
      >
        Advance 1 min
      </ActButton>
      {clock.pending > 0 && (
        <ActButton call={call({ advance: 'idle' })} done={`All timers of ${whose} have run.`}>
          Run all
        </ActButton>
      )}
    </div>
  );
}

function AttemptView({ details }: { details: WebhookEntry }) {
  const { id, attempt, time, account, status, forge } = details;
  const { why, hint } = attemptWords(details);
  return (
    <>
      <Message name="Webhook" headers={details.headers} body={details.body}>
        <p class="url">
          {details.method} {details.url}
        </p>
      </Message>
      <section aria-label="Result">
        <h3>Result {status ?? ''}</h3>
        <p>
          Attempt {attempt}, at {dateTimeOf(time)} by the clock
          {account === null ? '' : ` of ${account}`}.
        </p>
        {forge !== null && <p>Scripted forgery: {forge}.</p>}
        {why !== '' && <p>{`${why}. ${hint}`.trim()}</p>}
        <ActButton
          call={{ method: 'POST', path: `/webhooks/${id}/send` }}
          done="Sent again."
          onDone={showAttempt}
        >
          Send again
        </ActButton>
      </section>
    </>
  );
}
