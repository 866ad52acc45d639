import { useState } from 'preact/hooks';
import { useAction, usePage } from './action.ts';
import { dateOf, timeOfDay } from './clock-words.ts';
import { Problem } from './problem.tsx';
import { TrustSection } from './trust-section.tsx';

/** What is there: operations, accounts, the certificate and settings. */
export function TherePanel() {
  const { state } = usePage();
  const { overview, operations } = state;
  return (
    <section class="there" aria-labelledby="there-title">
      <h2 id="there-title">What is there</h2>
      <Operations />
      <Accounts />
      {overview !== null && <TrustSection overview={overview} />}
      {overview !== null && (
        <details>
          <summary>Settings</summary>
          <table>
            <caption class="hidden">Settings</caption>
            <thead>
              <tr>
                <th scope="col">Setting</th>
                <th scope="col">Value</th>
              </tr>
            </thead>
            <tbody>
              {overview.settings.map(({ name, value }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                  </th>
                  <td>
                    {value === null ? <span class="quiet">not set</span> : <bdi>{value}</bdi>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
      {overview !== null && (
        <p class="quiet">
          momo-mock {overview.version}, started on {dateOf(overview.startedAt)} at{' '}
          {timeOfDay(overview.startedAt).slice(0, 8)}, {operations.length}{' '}
          {operations.length === 1 ? 'operation' : 'operations'}. <code>GET /openapi.json</code>{' '}
          describes the control API.
        </p>
      )}
    </section>
  );
}

function Operations() {
  const { state } = usePage();
  return (
    <details>
      <summary>Operations and their files ({state.operations.length})</summary>
      <table>
        <caption class="hidden">Operations and their files</caption>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            <th scope="col">Variant</th>
            <th scope="col">File</th>
            <th scope="col">Status</th>
          </tr>
        </thead>
        {state.operations.map(({ name, schema, fixtures }) => (
          <tbody key={name}>
            {fixtures.map(({ variant, file, status }, at) => (
              <tr key={variant}>
                {at === 0 && (
                  <th scope="rowgroup" rowSpan={fixtures.length + (schema === null ? 0 : 1)}>
                    <code>{name}</code>
                  </th>
                )}
                <td>{variant ?? <span class="quiet">default</span>}</td>
                <td>
                  <code>{file}</code>
                </td>
                <td>{status}</td>
              </tr>
            ))}
            {schema !== null && (
              <tr>
                <td class="quiet">schema</td>
                <td>
                  <code>{schema}</code>
                </td>
                <td class="quiet">–</td>
              </tr>
            )}
          </tbody>
        ))}
      </table>
    </details>
  );
}

/** The number of accounts that are listed. */
const MOST = 200;

function Accounts() {
  const { state } = usePage();
  const { accounts } = state;
  const action = useAction();
  const [removed, setRemoved] = useState('');
  const remove = (account: string) => {
    setRemoved(account);
    void action.run({ method: 'DELETE', path: '/accounts', account }, `Removed ${account}.`);
  };
  return (
    <details>
      <summary>Accounts ({accounts.length})</summary>
      <table>
        <caption class="hidden">Accounts</caption>
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col">Variant</th>
            <th scope="col">
              <span class="hidden">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {accounts.slice(0, MOST).map(({ id, variant }) => (
            <tr key={id}>
              <th scope="row">{id}</th>
              <td>{variant ?? <span class="quiet">default</span>}</td>
              <td>
                <button type="button" aria-label={`Remove ${id}`} onClick={() => remove(id)}>
                  Remove
                </button>
                {removed === id && <Problem text={action.problem} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {accounts.length > MOST && <p class="quiet">and {accounts.length - MOST} more</p>}
      <p class="quiet">Accounts have ids here, because their keys are secret.</p>
    </details>
  );
}
