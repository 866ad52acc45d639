import type { WebhookEntry } from '../mock/journal/entry.ts';
import { read } from './client.ts';
import { ActButton } from './controls.tsx';
import { attempts, showAttempt } from './journals.ts';
import { mock, now } from './mock.ts';
import { SendWebhook } from './send-webhook.tsx';
import { EntryTable, FreshButton, Message } from './table.tsx';
import { attemptWords, clockWords, dateTimeOf, scopeWords } from './words.ts';

export function WebhooksPanel() {
  const { rows } = attempts.rows.value;
  return (
    <section class="requests webhooks" aria-labelledby="webhooks-title">
      <div class="toolbar">
        <h2 id="webhooks-title">Webhooks</h2>
        <ClockLine />
        <FreshButton journal={attempts} />
      </div>
      <SendWebhook />
      {rows.length === 0 ? (
        <p class="quiet">No webhook has been sent yet.</p>
      ) : (
        <div class="attempts">
          <EntryTable
            journal={attempts}
            caption="Webhook attempts"
            columns={['Time', 'Account', 'Webhook', 'Attempt', 'Status', 'Why', 'Duration']}
            words={attemptWords}
            load={async ({ id }) => <AttemptView details={await readAttempt(id)} />}
          />
        </div>
      )}
    </section>
  );
}

/** The handlers' clock, shown while something waits for it or a test has frozen it. */
function ClockLine() {
  const { clock, loadedAt, scope: account } = mock.value;
  if (clock.pending === 0 && !clock.frozen) return null;
  const time = clock.now + (clock.frozen ? 0 : Math.max(0, now.value - loadedAt));
  const whose = scopeWords(account);
  const move = (advance: number | 'idle') =>
    ({ method: 'POST', path: '/clock', body: { advance }, account }) as const;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div class="buttons" role="group" aria-label={`Clock of ${whose}`}>
      <span>
        Clock of {whose}: {clockWords(clock, time)}
      </span>
      <ActButton call={move(60_000)} done={`The clock of ${whose} was moved by 1 min.`}>
        Advance 1 min
      </ActButton>
      <ActButton call={move('idle')} done={`All timers of ${whose} have run.`}>
        Run all
      </ActButton>
    </div>
  );
}

async function readAttempt(id: number): Promise<WebhookEntry> {
  const { webhooks } = await read<{ webhooks: WebhookEntry[] }>('/webhooks?limit=100');
  const attempt = webhooks.find((entry) => entry.id === id);
  if (attempt === undefined) throw new Error('Newer attempts have replaced it.');
  return attempt;
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
