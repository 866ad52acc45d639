import { useEffect, useState } from 'preact/hooks';
import type { CallbackEntry } from '../../mock/callbacks/callback-entry.ts';
import type { CallbackEvent } from '../../mock/controller/journal-events.ts';
import { useAction, useModel } from './action.ts';
import { attemptWhy, attemptWords, sentWords } from './callback-words.ts';
import { Body, Pairs } from './content-parts.tsx';
import { Problem } from './problem.tsx';

interface DetailsProps {
  readonly attempt: CallbackEvent;
  /** Called when the callback has been sent once more. */
  readonly onSent: () => void;
}

/** An attempt of a callback: what was sent, what came of it, and a button to send it again. */
export function CallbackDetails({ attempt, onSent }: DetailsProps) {
  const { callbacks } = useModel();
  const { details, problem } = useDetails(attempt);
  const action = useAction();
  const [why, hint] = attemptWhy(attempt);
  const send = async () => {
    const call = { method: 'POST', path: `/callbacks/${attempt.id}/send` } as const;
    const sent = await action.run(call, (text) => sentWords(JSON.parse(text)));
    if (sent === undefined) return;
    callbacks.add([JSON.parse(sent)]);
    onSent();
  };
  return (
    <div class="parts">
      <section aria-label="Callback">
        <h3>Callback</h3>
        <p class="url">
          <bdi>
            {attempt.method} {attempt.url}
          </bdi>
        </p>
        {details !== undefined && <Pairs name="Headers" pairs={details.headers} />}
        {details !== undefined && <Body text={details.body} name="Body of the callback" />}
        {details === undefined && problem === '' && <p class="quiet">Loading…</p>}
        <Problem text={problem} />
      </section>
      <section aria-label="Result">
        <h3>Result {attempt.status ?? ''}</h3>
        <p>{attemptWords(attempt)}</p>
        {why !== '' && <p>{[`${why}.`, hint].join(' ')}</p>}
        <div class="buttons">
          <button type="button" disabled={action.isBusy} onClick={send}>
            Send again
          </button>
        </div>
        <Problem text={action.problem} />
      </section>
    </div>
  );
}

/** Loads what was sent, which does not change. */
function useDetails(attempt: CallbackEvent) {
  const { callbacks } = useModel();
  const [details, setDetails] = useState<CallbackEntry>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isCurrent = true;
    const load = async () => {
      try {
        const loaded = await callbacks.details(attempt);
        if (!isCurrent) return;
        setDetails(loaded);
        if (loaded === undefined) setProblem('Newer attempts have taken its place.');
      } catch (error) {
        if (isCurrent) setProblem((error as Error).message);
      }
    };
    void load();
    return () => {
      isCurrent = false;
    };
  }, [callbacks, attempt.id]);
  return { details, problem };
}
