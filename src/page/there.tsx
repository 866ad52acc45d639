import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Overview } from '../control/schemas/overview.ts';
import { send } from './client.ts';
import { CopyLine, Problem, useAction } from './controls.tsx';
import { quoted } from './curl.ts';
import { accounts, operations, overview } from './mock.ts';
import { counted, dateOf, dateTimeOf } from './words.ts';

/** What is there: operations, accounts, the certificate and settings. */
export function TherePanel() {
  const about = overview.value;
  return (
    <section class="there" aria-labelledby="there-title">
      <h2 id="there-title">What is there</h2>
      <Operations />
      <Accounts />
      {about !== null && (
        <>
          <Trust {...about} />
          <Settings {...about} />
          <p class="quiet">
            momo-mock {about.version}, started on {dateTimeOf(about.startedAt).replace(' ', ' at ')}
            , {counted(operations.value.length, 'operation')}. <code>GET /openapi.json</code>{' '}
            describes the control API.
          </p>
        </>
      )}
    </section>
  );
}

interface PartProps {
  readonly title: string;
  /** How many there are. */
  readonly count?: number;
  readonly columns: readonly ComponentChildren[];
  /** What is above the table. */
  readonly above?: ComponentChildren;
  readonly below?: ComponentChildren;
  /** The bodies of the table. */
  readonly children: ComponentChildren;
  readonly id?: string;
}

/** A table that opens by a click. */
function Part({ title, count, columns, above, below, children, id }: PartProps) {
  return (
    <details id={id}>
      <summary>
        {title}
        {count !== undefined && ` (${count})`}
      </summary>
      {above}
      <table>
        <caption class="hidden">{title}</caption>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={at} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
      {below}
    </details>
  );
}

function Operations() {
  const count = operations.value.length;
  const columns = ['Operation', 'Variant', 'File', 'Status'];
  return (
    <Part title="Operations and their files" {...{ count, columns }}>
      {operations.value.map(({ name, schema, fixtures }) => (
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
    </Part>
  );
}

/** The number of accounts that are listed. */
const MOST = 200;

function Accounts() {
  const action = useAction();
  const removed = useSignal('');
  const count = accounts.value.length;
  const remove = (account: string) => {
    removed.value = account;
    void action.run({ method: 'DELETE', path: '/accounts', account }, `Removed ${account}.`);
  };
  const columns = ['Account', 'Variant', <span class="hidden">Remove</span>];
  const below = (
    <>
      {count > MOST && <p class="quiet">and {count - MOST} more</p>}
      <p class="quiet">Accounts have ids here, because their keys are secret.</p>
    </>
  );
  return (
    <Part title="Accounts" {...{ count, columns, below }}>
      <tbody>
        {accounts.value.slice(0, MOST).map(({ id, variant }) => (
          <tr key={id}>
            <th scope="row">{id}</th>
            <td>{variant ?? <span class="quiet">default</span>}</td>
            <td>
              <button type="button" aria-label={`Remove ${id}`} onClick={() => remove(id)}>
                Remove
              </button>
              {removed.value === id && <Problem text={action.problem} />}
            </td>
          </tr>
        ))}
      </tbody>
    </Part>
  );
}

function Settings({ settings }: Overview) {
  return (
    <Part title="Settings" columns={['Setting', 'Value']}>
      <tbody>
        {settings.map(({ name, value }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>{value === null ? <span class="quiet">not set</span> : <bdi>{value}</bdi>}</td>
          </tr>
        ))}
      </tbody>
    </Part>
  );
}

/** Opens the section on the certificate, and goes there. */
export function showTrust(): void {
  const section = document.querySelector<HTMLDetailsElement>('#trust');
  if (section === null) return;
  section.open = true;
  section.scrollIntoView();
  section.querySelector('summary')?.focus();
}

/** The name of the file that is downloaded. */
const DOWNLOADED = 'momo-mock.pem';

/** The certificate, and how each client is told to trust it. */
function Trust({ url, certificate }: Overview) {
  const file = quoted(certificate.file ?? DOWNLOADED);
  const clients = [
    ['curl', `curl --cacert ${file} ${url}`],
    ['Node', `NODE_EXTRA_CA_CERTS=${file} node app.mjs`],
    ['Python, requests', `REQUESTS_CA_BUNDLE=${file} python3 app.py`],
    ['Python, urllib or httpx', `SSL_CERT_FILE=${file} python3 app.py`],
    ['Go, on Linux and the BSDs', `SSL_CERT_FILE=${file} go run .`],
    [
      'Java: make a trust store',
      `keytool -importcert -noprompt -alias momo-mock -file ${file} -keystore trust.p12 -storepass changeit`,
    ],
    [
      'Java: use it',
      'java -Djavax.net.ssl.trustStore=trust.p12 -Djavax.net.ssl.trustStorePassword=changeit App.java',
    ],
    ['Chromium on Linux', `certutil -d sql:$HOME/.pki/nssdb -A -t P,, -n momo-mock -i ${file}`],
  ] as const;
  const save = `curl -s ${location.origin}/certificate > ${file}`;
  const lines =
    certificate.file === null ? [['Save it first', save] as const, ...clients] : clients;
  const above = (
    <dl class="facts">
      <div>
        <dt>Valid until</dt>
        <dd>{dateOf(certificate.expiresAt)}</dd>
      </div>
      <div>
        <dt>Names</dt>
        <dd>{certificate.names.join(', ')}</dd>
      </div>
      <div>
        <dt>File</dt>
        <dd>
          <code>{certificate.file ?? 'in memory only'}</code> <Download />
        </dd>
      </div>
    </dl>
  );
  const columns = ['Client', 'How it trusts the certificate'];
  return (
    <Part title="Certificate, and how to trust it" id="trust" {...{ columns, above }}>
      <tbody>
        {lines.map(([name, line]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <CopyLine line={line} label={`Copy the line for ${name}`} />
            </td>
          </tr>
        ))}
        <tr>
          <th scope="row">Other browsers</th>
          <td>Import the file in the settings of the browser, and restart it.</td>
        </tr>
      </tbody>
    </Part>
  );
}

/** Downloads the certificate. It is no link, because links cannot send the token. */
function Download() {
  const problem = useSignal('');
  const download = async () => {
    try {
      const response = await send({ method: 'GET', path: '/certificate' });
      const url = URL.createObjectURL(await response.blob());
      const link = document.createElement('a');
      link.href = url;
      link.download = DOWNLOADED;
      link.click();
      URL.revokeObjectURL(url);
      problem.value = '';
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <>
      <button type="button" onClick={download}>
        Download {DOWNLOADED}
      </button>
      <Problem text={problem.value} />
    </>
  );
}
