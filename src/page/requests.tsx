import type { RequestDetails } from '../mock/journal/entry.ts';
import { read } from './control-api.ts';
import { ActButton, CopyLine, Select } from './controls.tsx';
import { requestCurl } from './curl.ts';
import { matcherOf, type RequestFilter } from './entry-list.ts';
import { missed, requests } from './journals.ts';
import { mock } from './mock.ts';
import { RateChart } from './rate-chart.tsx';
import { EntryTable, FreshButton, Message } from './table.tsx';
import { decisionWords, nextWords, requestWords } from './words.ts';

export function RequestsPanel() {
  const { isPaused, list } = requests;
  return (
    <section class="requests" aria-labelledby="requests-title">
      <div class="toolbar">
        <h2 id="requests-title">Requests</h2>
        <RateChart />
        <Filter />
        <div class="buttons">
          <FreshButton journal={requests} />
          <button
            type="button"
            aria-pressed={isPaused.value}
            onClick={() => {
              isPaused.value = !isPaused.value;
            }}
          >
            Pause
          </button>
          <ActButton call={{ method: 'DELETE', path: '/requests' }} done="Requests cleared.">
            Clear
          </ActButton>
        </div>
      </div>
      {requests.rows.value.rows.length > 0 ? (
        <EntryTable
          journal={requests}
          caption="Requests"
          columns={['Time', 'Account', 'Request', 'Status', 'Why', 'Duration']}
          words={requestWords}
          load={async ({ id }) => <RequestView details={await read(`/requests/${id}`)} />}
        />
      ) : list.value.length > 0 ? (
        <p class="empty">No request matches the filter.</p>
      ) : (
        <EmptyState />
      )}
      <Remarks />
    </section>
  );
}

function Filter() {
  const ids = mock.value.accounts.map(({ id }) => [id, id] as const);
  return (
    <search class="filter">
      <form
        onSubmit={(event) => event.preventDefault()}
        onInput={({ currentTarget }) => {
          const filter: unknown = Object.fromEntries(new FormData(currentTarget));
          requests.filter.value = matcherOf(filter as RequestFilter);
        }}
      >
        <input
          type="search"
          name="text"
          aria-label="Filter by path, operation or reason"
          placeholder="path or reason"
        />
        <Select
          name="account"
          aria-label="Filter by account"
          choices={[['', 'any account'], ...ids]}
        />
        <input type="text" name="status" aria-label="Filter by status" placeholder="404, 5xx" />
      </form>
    </search>
  );
}

/** Why some requests are not in the table. */
function Remarks() {
  const { rows, matching, fresh } = requests.rows.value;
  const isCut = rows.length > 0 && matching > rows.length + fresh;
  const remarks = [
    requests.isPaused.value && 'Paused.',
    isCut && `Showing ${rows.length} of ${matching}. Filter to find others.`,
    missed.value > 0 &&
      `${missed.value} requests arrived too fast to show. GET /requests lists the requests in the journal.`,
  ];
  return <p class="quiet">{remarks.filter(Boolean).join(' ')}</p>;
}

function EmptyState() {
  const { overview } = mock.value;
  const { query, headers, user } = overview.key;
  const [method = 'GET', target = '/'] = overview.example?.split(' ') ?? [];
  const [path = '', search = ''] = target.split('?');
  const request = {
    method,
    path,
    query: { ...Object.fromEntries(new URLSearchParams(search)), ...query },
    headers: user === null ? headers : { ...headers, authorization: user },
    body: '',
  };
  return (
    <div class="empty">
      <p>Waiting for the first request. Point your client at the service, or try it:</p>
      <CopyLine text={requestCurl(request, overview)} label="Copy the command to try it" />
    </div>
  );
}

function RequestView({ details }: { details: RequestDetails }) {
  const { method, response } = details;
  return (
    <>
      {method !== null && (
        <>
          <Message name="Request" {...details} />
          <Message
            name="Response"
            title={`Response ${response?.status ?? ''}`}
            headers={response?.headers ?? {}}
            body={response?.body ?? ''}
          >
            {response === null && <p class="quiet">None{details.ended ? '' : ' yet'}.</p>}
          </Message>
        </>
      )}
      <section aria-label="Why">
        <h3>Why</h3>
        {decisionWords(details).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </section>
      {method !== null && <Again details={details} />}
    </>
  );
}

function Again({ details }: { details: RequestDetails }) {
  const { account, operation } = details;
  const { overview, accounts, operations } = mock.value;
  const isNamed = ({ name }: { name: string }) => name === operation;
  const needsToken = operations.find(isNamed)?.needsToken;
  // The account may have been removed. A request without a valid key has none.
  const scope = accounts.some(({ id }) => id === account) ? account : null;
  const response = operation === null ? null : { operation, status: 503 };
  return (
    <section aria-label="Copy as curl">
      <h3>Copy as curl</h3>
      <CopyLine text={requestCurl(details, overview, needsToken)} label="Copy as curl" />
      {response !== null && (
        <ActButton
          call={{ method: 'POST', path: '/responses', body: response, account: scope }}
          done={nextWords(response, scope)}
        >
          Respond with 503 next time
        </ActButton>
      )}
    </section>
  );
}
