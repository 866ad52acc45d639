import type { ComponentChildren } from 'preact';
import { ActButton, CopyLine } from './controls.tsx';
import { quoted } from './curl.ts';
import { mock } from './mock.ts';
import { counted, dateOf, timeOfDay } from './words.ts';

export function OverviewPanel() {
  const { overview, operations } = mock.value;
  return (
    <section class="overview" aria-labelledby="overview-title">
      <h2 id="overview-title">Overview</h2>
      <Operations />
      <Accounts />
      <TrustCommands />
      <Settings />
      <p class="quiet">
        momo-mock {overview.version}, started on {dateOf(overview.startedAt)} at{' '}
        {timeOfDay(overview.startedAt).slice(0, 8)}, {counted(operations.length, 'operation')}.{' '}
        <code>GET /openapi.json</code> describes the control API.
      </p>
    </section>
  );
}

interface PartProps {
  readonly title: string;
  readonly columns: readonly ComponentChildren[];
  /** The cells of each row. The first cell names the row. */
  readonly rows: readonly (readonly ComponentChildren[])[];
  readonly children?: ComponentChildren;
}

function Part({ title, columns, rows, children }: PartProps) {
  return (
    <details>
      <summary>{title}</summary>
      {children}
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
        <tbody>
          {rows.map(([name, ...cells], at) => (
            <tr key={at}>
              <th scope="row">{name}</th>
              {cells.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Quiet({ children }: { children: ComponentChildren }) {
  return <span class="quiet">{children}</span>;
}

function Operations() {
  const { operations } = mock.value;
  const columns = ['Operation', 'Variant', 'File', 'Status'];
  const rows = operations.flatMap(({ name, schema, fixtures }) => {
    const files = fixtures.map(({ variant, file, status }) => [
      <code>{name}</code>,
      variant ?? <Quiet>default</Quiet>,
      <code>{file}</code>,
      status,
    ]);
    const checked = [<code>{name}</code>, <Quiet>schema</Quiet>, <code>{schema}</code>, ''];
    return schema === null ? files : [...files, checked];
  });
  const title = `Operations and their files (${operations.length})`;
  return <Part {...{ title, columns, rows }} />;
}

function Accounts() {
  const { accounts } = mock.value;
  const columns = ['Account', 'Variant', <span class="hidden">Remove</span>];
  const rows = accounts.map(({ id, variant }) => [
    id,
    variant ?? <Quiet>default</Quiet>,
    <ActButton
      key={id}
      call={{ method: 'DELETE', path: '/accounts', account: id }}
      done={`Removed ${id}.`}
      aria-label={`Remove ${id}`}
    >
      Remove
    </ActButton>,
  ]);
  return (
    <Part title={`Accounts (${accounts.length})`} {...{ columns, rows }}>
      <p class="quiet">Accounts have ids here, because their keys are secret.</p>
    </Part>
  );
}

function Settings() {
  const rows = mock.value.overview.settings.map(({ name, value }) => [
    <code>{name}</code>,
    value === null ? <Quiet>not set</Quiet> : <bdi>{value}</bdi>,
  ]);
  return <Part title="Settings" columns={['Setting', 'Value']} rows={rows} />;
}

const DOWNLOADED = 'momo-mock.pem';

function TrustCommands() {
  const { overview, pem } = mock.value;
  const { url, certificate } = overview;
  const file = quoted(certificate.file ?? DOWNLOADED);
  const clients: [client: string, line: string][] = [
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
  ];
  const save = `curl -s ${location.origin}/certificate > ${file}`;
  if (certificate.file === null) clients.unshift(['Save it first', save]);
  const rows = [
    ...clients.map(([name, text]) => [
      name,
      <CopyLine key={name} text={text} label={`Copy the line for ${name}`} />,
    ]),
    ['Other browsers', 'Import the file in the settings of the browser, and restart it.'],
  ];
  // The link contains the file, because a link to the control API cannot send the token.
  const href = `data:application/x-pem-file,${encodeURIComponent(pem)}`;
  return (
    <Part
      title="Certificate, and how to trust it"
      columns={['Client', 'How it trusts the certificate']}
      rows={rows}
    >
      <p id="trust">
        It is valid until {dateOf(certificate.expiresAt)} for {certificate.names.join(', ')}, and is{' '}
        <code>{certificate.file ?? 'in memory only'}</code>.{' '}
        <a download={DOWNLOADED} href={href}>
          Download {DOWNLOADED}
        </a>
      </p>
    </Part>
  );
}
