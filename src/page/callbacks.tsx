import type { CallbackEntry } from '../mock/journal/entry.ts';
import type { CallbackEvent } from '../mock/journal/feed.ts';
import { read } from './client.ts';
import { ActButton } from './controls.tsx';
import { attempts } from './journals.ts';
import { mock, now } from './mock.ts';
import { Body, EntryTable, FreshButton, Pairs, useDetails } from './table.tsx';
import { attemptTime, attemptWords, clockWords, scopeWords, sentWords } from './words.ts';

const COLUMNS = ['Time', 'Account', 'Callback', 'Attempt', 'Status', 'Why', 'Duration'];

/** The callbacks of handlers and their clock, once there is a handler or a callback. */
export function CallbacksPanel() {
  const { rows, fresh } = attempts.rows.value;
  // Only a handler has no status of its own.
  const hasHandler = mock.value.operations.some(({ fixtures }) =>
    fixtures.some(({ status }) => status === null),
  );
  if (!hasHandler && rows.length === 0) return null;
  return (
    <section class="requests callbacks" aria-labelledby="callbacks-title">
      <div class="toolbar">
        <h2 id="callbacks-title">Callbacks</h2>
        <ClockLine />
        <FreshButton count={fresh} onClick={() => attempts.showNew()} />
      </div>
      {rows.length === 0 ? (
        <p class="quiet remarks">No callback has been sent yet.</p>
      ) : (
        <div class="attempts">
          <EntryTable
            journal={attempts}
            name="callback"
            caption="Attempts of callbacks, the newest first"
            columns={COLUMNS}
            words={attemptWords}
            Details={AttemptDetails}
          />
        </div>
      )}
    </section>
  );
}

const MINUTE = 60_000;

/** The clock of handlers, while something waits for it or a test has frozen it. */
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
      <ActButton call={move(MINUTE)} done={`The clock of ${whose} was moved by 1 min.`}>
        Advance 1 min
      </ActButton>
      <ActButton call={move('idle')} done={`All timers of ${whose} have run.`}>
        Run all
      </ActButton>
    </div>
  );
}

/** An attempt of a callback: what was sent, what came of it, and a button to send it again. */
function AttemptDetails({ entry }: { entry: CallbackEvent }) {
  const { details, waiting } = useDetails(`${entry.id}`, () => readAttempt(entry));
  const { why, hint } = attemptWords(entry);
  const show = (sent: string) => {
    attempts.add([JSON.parse(sent)]);
    attempts.showNew();
  };
  return (
    <div class="parts">
      <section aria-label="Callback">
        <h3>Callback</h3>
        <p class="url">
          <bdi>
            {entry.method} {entry.url}
          </bdi>
        </p>
        {details !== undefined && <Pairs name="Headers" fields={details.headers} />}
        {details !== undefined && <Body text={details.body} name="Body of the callback" />}
        {waiting}
      </section>
      <section aria-label="Result">
        <h3>Result {entry.status ?? ''}</h3>
        <p>{attemptTime(entry)}</p>
        {why !== '' && <p>{`${why}. ${hint}`.trim()}</p>}
        <div class="buttons">
          <ActButton
            call={{ method: 'POST', path: `/callbacks/${entry.id}/send` }}
            done={(sent) => sentWords(JSON.parse(sent))}
            onDone={show}
          >
            Send again
          </ActButton>
        </div>
      </section>
    </div>
  );
}

/** An attempt with its headers and body. */
async function readAttempt({ id, attempt }: CallbackEvent): Promise<CallbackEntry> {
  const { callbacks } = await read<{ callbacks: CallbackEntry[] }>(
    `/callbacks?since=${id - 1}&attempt=${attempt}&limit=100`,
  );
  const found = callbacks.find((entry) => entry.id === id);
  if (found === undefined) throw new Error('Newer attempts have taken its place.');
  return found;
}
