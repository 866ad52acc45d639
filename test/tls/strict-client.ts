import { execFile, execFileSync } from 'node:child_process';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLIENTS = fileURLToPath(new URL('clients/', import.meta.url));

/** Where a client has to go, and what it trusts. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  /** The file that holds `ca`, in a folder that the client may write to. */
  readonly caFile: string;
}

/** A client that verifies the server's certificate. */
export interface StrictClient {
  readonly name: string;
  /** The command that it needs, and arguments with which that shows that it is there. */
  readonly needs: readonly string[];
  /** Connects; resolves where the client accepted the certificate, rejects with its words. */
  connect(target: Target): Promise<unknown>;
}

/** Whether the command of a client is installed. */
export function isInstalled([command = '', ...args]: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Every client that a certificate of momo-mock has to satisfy. */
export const STRICT_CLIENTS: readonly StrictClient[] = [
  {
    name: 'Node',
    needs: ['node', '--version'],
    connect: ({ host, port, ca }) =>
      new Promise((resolve, reject) => {
        request({ host, port, ca, agent: false }, (response) => resolve(response.resume()))
          .on('error', reject)
          .end();
      }),
  },
  {
    name: 'OpenSSL, with -x509_strict,',
    needs: ['openssl', 'version'],
    connect: ({ host, port, caFile }) => {
      const verify = ['-x509_strict', '-verify_return_error', '-CAfile', caFile];
      const name = [isIP(host) ? '-verify_ip' : '-verify_hostname', host];
      return run('openssl', ['s_client', '-connect', authority(host, port), ...verify, ...name]);
    },
  },
  {
    name: 'curl',
    needs: ['curl', '--version'],
    connect: (target) => run('curl', ['-sS', '--cacert', target.caFile, url(target)]),
  },
  {
    name: 'Python, with VERIFY_X509_STRICT,',
    needs: ['python3', '-c', 'import ssl; ssl.VERIFY_X509_STRICT'],
    connect: (target) => run('python3', [`${CLIENTS}client.py`, url(target), target.caFile]),
  },
  {
    name: 'GnuTLS',
    needs: ['gnutls-cli', '--version'],
    connect: ({ host, port, caFile }) =>
      run('gnutls-cli', ['--x509cafile', caFile, '--port', String(port), host]),
  },
  {
    name: 'Go',
    needs: ['go', 'version'],
    connect: (target) => run('go', ['run', `${CLIENTS}client.go`, url(target), target.caFile]),
  },
  {
    name: 'Java',
    needs: ['keytool', '-help'],
    connect: async (target) => {
      const store = join(dirname(target.caFile), `${target.host.replaceAll(':', '-')}.p12`);
      const options = ['-noprompt', '-storepass', 'changeit', '-keystore', store];
      await run('keytool', ['-importcert', '-alias', 'momo', ...options, '-file', target.caFile]);
      return run('java', [
        `-Djavax.net.ssl.trustStore=${store}`,
        '-Djavax.net.ssl.trustStorePassword=changeit',
        ...[`${CLIENTS}Client.java`, url(target)],
      ]);
    },
  },
];

function authority(host: string, port: number): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

function url({ host, port }: Target): string {
  return `https://${authority(host, port)}/`;
}

function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, (error, stdout, stderr) =>
      error ? reject(new Error(`${command}: ${stdout}${stderr}`)) : resolve(stdout),
    );
    // s_client and gnutls-cli hang up at the end of their input, once they have verified.
    child.stdin?.end();
  });
}
