import { useEffect, useState } from 'preact/hooks';
import type { RequestEvent } from '../../mock/controller/journal-events.ts';
import type { RequestDetails } from '../../mock/journal/journal-entry.ts';
import { forScope, scopeWords, useAction, useModel, usePage } from './action.ts';
import { Body, Pairs } from './content-parts.tsx';
import { CopyButton, CopyLine } from './copy-button.tsx';
import { decisionWords } from './entry-words.ts';
import { hasEnded } from './kept-requests.ts';
import { Problem } from './problem.tsx';
import { requestCurl } from './request-curl.ts';

/** A request, its answer, and why it was answered so. */
export function RequestDetailsView({ entry }: { entry: RequestEvent }) {
  const { details, problem } = useDetails(entry);
  if (details === undefined)
    return problem === '' ? <p class="quiet">Loading…</p> : <Problem text={problem} />;
  const { query, headers, body, response, method } = details;
  return (
    <div class="parts">
      {method !== null && (
        <section aria-label="Request">
          <h3>Request</h3>
          <Pairs name="Query" pairs={query} />
          <Pairs name="Headers" pairs={headers} />
          <Body text={body} name="Body of the request" />
        </section>
      )}
      {method !== null && (
        <section aria-label="Answer">
          <h3>Answer {response?.status ?? ''}</h3>
          {response === null ? (
            <p class="quiet">None{hasEnded(entry) ? '' : ' yet'}.</p>
          ) : (
            <>
              <Pairs name="Headers" pairs={response.headers} />
              <Body text={response.body} name="Body of the answer" />
            </>
          )}
        </section>
      )}
      <section aria-label="Why">
        <h3>Why</h3>
        {decisionWords(entry).map((sentence) => (
          <p key={sentence}>
            <bdi>{sentence}</bdi>
          </p>
        ))}
      </section>
      <DetailsActions details={details} />
    </div>
  );
}

/** Loads the details, again when the request has ended. */
function useDetails(entry: RequestEvent) {
  const model = useModel();
  const [details, setDetails] = useState<RequestDetails>();
  const [problem, setProblem] = useState('');
  const { id } = entry;
  const isDone = hasEnded(entry);
  useEffect(() => {
    let isCurrent = true;
    const load = async () => {
      try {
        const call = { method: 'GET', path: `/requests/${id}` } as const;
        const loaded = await model.client.json<RequestDetails>(call);
        if (isCurrent) setDetails(loaded);
      } catch (error) {
        if (isCurrent) setProblem((error as Error).message);
      }
    };
    void load();
    return () => {
      isCurrent = false;
    };
  }, [model, id, isDone]);
  return { details, problem };
}

function DetailsActions({ details }: { details: RequestDetails }) {
  const { model, state } = usePage();
  const action = useAction();
  const [shownLine, setShownLine] = useState('');
  const { account, operation, method } = details;
  const { overview } = state;
  if (method === null || overview === null) return null;
  const { url, certificate } = overview;
  const { origin } = model.client;
  const line = requestCurl(details, { url, file: certificate.file, origin });
  // The account may be gone by now; without a key there was none.
  const scope = state.accounts.some(({ id }) => id === account) ? account : null;
  const fail = () => {
    const body = JSON.stringify({ operation, status: 503 });
    const call = { method: 'POST', path: '/responses', body, ...forScope(scope) } as const;
    void action.run(call, `Next for ${operation}, ${scopeWords(scope)}: 503.`);
  };
  return (
    <div class="buttons">
      <CopyButton text={line} label="Copy as curl" fallback={setShownLine}>
        Copy as curl
      </CopyButton>
      {operation !== null && (
        <button type="button" onClick={fail}>
          Answer 503 next time
        </button>
      )}
      {shownLine !== '' && <CopyLine line={line} label="Copy the command of this request" />}
      <Problem text={action.problem} />
    </div>
  );
}
