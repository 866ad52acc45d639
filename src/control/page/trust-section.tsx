import { useState } from 'preact/hooks';
import type { Overview } from '../schemas/overview.ts';
import { useModel } from './action.ts';
import { dateOf } from './clock-words.ts';
import { CopyLine } from './copy-button.tsx';
import { Problem } from './problem.tsx';
import { quoted } from './shell.ts';

/** The name of the file that is downloaded. */
const DOWNLOADED = 'momo-mock.pem';

/** Opens the section, and goes there. */
export function showTrust(): void {
  const section = document.querySelector<HTMLDetailsElement>('#trust');
  if (section === null) return;
  section.open = true;
  section.scrollIntoView();
  section.querySelector('summary')?.focus();
}

/** The certificate, and how each client is told to trust it. */
export function TrustSection({ overview }: { overview: Overview }) {
  const { client } = useModel();
  const { url, certificate } = overview;
  const file = quoted(certificate.file ?? DOWNLOADED);
  return (
    <details id="trust">
      <summary>Certificate, and how to trust it</summary>
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
      <table class="trust">
        <caption class="hidden">How each client is told to trust the certificate</caption>
        <thead>
          <tr>
            <th scope="col">Client</th>
            <th scope="col">How it trusts the certificate</th>
          </tr>
        </thead>
        <tbody>
          {certificate.file === null && (
            <Client name="Save it first" line={`curl -s ${client.origin}/certificate > ${file}`} />
          )}
          <Client name="curl" line={`curl --cacert ${file} ${url}`} />
          <Client name="Node" line={`NODE_EXTRA_CA_CERTS=${file} node app.mjs`} />
          <Client name="Python, requests" line={`REQUESTS_CA_BUNDLE=${file} python3 app.py`} />
          <Client name="Python, urllib or httpx" line={`SSL_CERT_FILE=${file} python3 app.py`} />
          <Client name="Go, on Linux and the BSDs" line={`SSL_CERT_FILE=${file} go run .`} />
          <Client
            name="Java: make a trust store"
            line={`keytool -importcert -noprompt -alias momo-mock -file ${file} -keystore trust.p12 -storepass changeit`}
          />
          <Client
            name="Java: use it"
            line="java -Djavax.net.ssl.trustStore=trust.p12 -Djavax.net.ssl.trustStorePassword=changeit App.java"
          />
          <Client
            name="Chromium on Linux"
            line={`certutil -d sql:$HOME/.pki/nssdb -A -t P,, -n momo-mock -i ${file}`}
          />
          <tr>
            <th scope="row">Other browsers</th>
            <td>Import the file in the settings of the browser, and restart it.</td>
          </tr>
        </tbody>
      </table>
    </details>
  );
}

function Client({ name, line }: { name: string; line: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <CopyLine line={line} label={`Copy the line for ${name}`} />
      </td>
    </tr>
  );
}

/** Downloads the certificate. It is no link, because links cannot send the token. */
function Download() {
  const { client } = useModel();
  const [problem, setProblem] = useState('');
  const download = async () => {
    try {
      const pem = await client.text({ method: 'GET', path: '/certificate' });
      const url = URL.createObjectURL(new Blob([pem], { type: 'application/x-pem-file' }));
      const link = document.createElement('a');
      link.href = url;
      link.download = DOWNLOADED;
      link.click();
      URL.revokeObjectURL(url);
      setProblem('');
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <>
      <button type="button" onClick={download}>
        Download {DOWNLOADED}
      </button>
      <Problem text={problem} />
    </>
  );
}
