import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RequestDetails } from '../../mock/journal-entry.ts';
import type { RequestEvent } from '../../mock/journal-events.ts';
import { forScope, scopeWords, useAction, useModel, usePage } from './action.ts';
import { CopyButton, CopyLine } from './copy-button.tsx';
import { decisionWords } from './entry-words.ts';
import { prettyJson } from './json-check.ts';
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

/** The number of letters and of lines from which on a part may scroll. */
const LONG = { letters: 600, lines: 12 };

function Pairs({ name, pairs }: { name: string; pairs: RequestDetails['headers'] }) {
  const all = Object.entries(pairs).flatMap(([key, value]) =>
    [value].flat().map((one) => [key, one] as const),
  );
  if (all.length === 0) return null;
  return (
    <>
      <h4>{name}</h4>
      <Scroller name={name} text={all.join('\n')}>
        <dl>
          {all.map(([key, value], at) => (
            <div key={at}>
              <dt>
                <bdi>{key}</bdi>
              </dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      </Scroller>
    </>
  );
}

function Body({ text, name }: { text: string; name: string }) {
  if (text === '') return null;
  const pretty = prettyJson(text);
  return (
    <>
      <h4>Body</h4>
      <div class="body">
        <Scroller name={name} text={pretty}>
          <pre>
            <bdi>{pretty}</bdi>
          </pre>
        </Scroller>
      </div>
    </>
  );
}

interface ScrollerProps {
  readonly name: string;
  readonly text: string;
  readonly children: ComponentChildren;
}

/** Something that scrolls if it is long, also by keyboard. */
function Scroller({ name, text, children }: ScrollerProps) {
  const isLong = text.length > LONG.letters || text.split('\n').length > LONG.lines;
  if (!isLong) return <div class="scroller">{children}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
    <section class="scroller" tabIndex={0} aria-label={name}>
      {children}
    </section>
  );
}
