import { request } from 'node:https';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TlsMode } from '../../../src/tls/tls-mode.ts';
import type { Command } from '../../support/machine.ts';
import { run } from './client-command.ts';
import { java } from './strict-java.ts';

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
  /** The command that it needs beside Node, and arguments with which that shows that it is there. */
  readonly needs?: readonly [Command, ...args: string[]];
  /** Its error in the TLS modes that are wrong, but for those that need no test of it. */
  readonly refusals: Readonly<Partial<Record<Exclude<TlsMode, 'normal'>, RegExp>>>;
  /** The hosts that it connects to. @default localhost and both loopback addresses */
  readonly hosts?: readonly string[];
  /** What has to be done once before it connects. */
  prepare?(trust: Pick<Target, 'ca' | 'caFile'>): Promise<unknown>;
  /** Connects; resolves where the client accepted the certificate, rejects with its words. */
  connect(target: Target): Promise<unknown>;
  /** Ends what `prepare` has started. */
  end?(): void;
}

const NODE = {
  expired: /CERT_HAS_EXPIRED/,
  'wrong-host': /ERR_TLS_CERT_ALTNAME_INVALID/,
  untrusted: /DEPTH_ZERO_SELF_SIGNED_CERT/,
};
const OPENSSL = {
  expired: /exited with 1: .*Verif[^\n]* 10 \(certificate has expired\)/s,
  'wrong-host': /exited with 1: .*Verif[^\n]* 62 \(hostname mismatch\)/is,
  untrusted: /exited with 1: .*Verif[^\n]* 18 \(self[- ]signed certificate\)/s,
};
const JAVA_UNKNOWN = /unable to find valid certification path to requested target/;

function openssl(...flags: string[]): StrictClient {
  return {
    name: ['OpenSSL', ...flags].join(' '),
    needs: ['openssl', 'version'],
    refusals: OPENSSL,
    connect: ({ host, port, caFile }) => {
      const verify = [...flags, '-verify_return_error', '-CAfile', caFile];
      const name = [isIP(host) ? '-verify_ip' : '-verify_hostname', host];
      return run('openssl', ['s_client', '-connect', authority(host, port), ...verify, ...name]);
    },
  };
}

/** Every client that has to accept a certificate of momo-mock and to refuse a wrong one. */
export const STRICT_CLIENTS: readonly StrictClient[] = [
  {
    name: 'Node',
    refusals: NODE,
    connect: ({ host, port, ca }) =>
      new Promise((resolve, reject) => {
        request({ host, port, ca, agent: false }, (response) => resolve(response.resume()))
          .on('error', ({ code }: NodeJS.ErrnoException) => reject(new Error(code)))
          .end();
      }),
  },
  {
    name: 'Node, with fetch and NODE_EXTRA_CA_CERTS,',
    refusals: NODE,
    connect: (target) =>
      run('node', [`${CLIENTS}client.mjs`, url(target)], { NODE_EXTRA_CA_CERTS: target.caFile }),
  },
  openssl('-x509_strict'),
  // As Python does it since 3.13: a certificate in the trust store is an end of the chain.
  openssl('-x509_strict', '-partial_chain'),
  {
    name: 'curl',
    needs: ['curl', '--version'],
    refusals: {
      expired: /exited with 60: .*certificate has expired/,
      'wrong-host': /exited with 60: .*(no alternative certificate subject name|does not) match/,
      untrusted: /exited with 60: .*(self[- ]signed certificate|unable to get local issuer)/,
    },
    connect: (target) => run('curl', ['-sS', '--cacert', target.caFile, url(target)]),
  },
  {
    name: 'Python, with VERIFY_X509_STRICT,',
    needs: ['python3', '-c', 'import ssl; ssl.VERIFY_X509_STRICT'],
    refusals: {
      expired: /: 10 certificate has expired\n/,
      'wrong-host': /: 62 Hostname mismatch, certificate is not valid for 'localhost'\.\n/,
      untrusted: /: 18 self[- ]signed certificate\n/,
    },
    connect: (target) => run('python3', [`${CLIENTS}client.py`, url(target), target.caFile]),
  },
  {
    name: 'GnuTLS',
    needs: ['gnutls-cli', '--version'],
    refusals: {
      expired: /NOT trusted. The certificate chain uses expired certificate/,
      'wrong-host': /NOT trusted. The name in the certificate does not match the expected/,
      untrusted: /NOT trusted. The certificate issuer is unknown/,
    },
    connect: ({ host, port, caFile }) =>
      run('gnutls-cli', ['--x509cafile', caFile, '--port', String(port), host]),
  },
  {
    name: 'Go',
    needs: ['go', 'version'],
    refusals: {
      expired: /x509: certificate has expired or is not yet valid/,
      'wrong-host': /x509: certificate is valid for wrong-host\.invalid, not localhost/,
      untrusted: /x509: certificate signed by unknown authority/,
    },
    prepare: ({ caFile }) => run('go', ['build', '-o', goClient(caFile), `${CLIENTS}client.go`]),
    connect: (target) => run(goClient(target.caFile), [url(target), target.caFile]),
  },
  java({
    // keytool imports the first block of a file and no other.
    name: 'Java, with what keytool imports,',
    count: 1,
    refusals: { expired: JAVA_UNKNOWN, 'wrong-host': JAVA_UNKNOWN, untrusted: JAVA_UNKNOWN },
  }),
  java({
    name: 'Java, with every block imported,',
    count: 3,
    // Java does not look at the dates of a certificate that is itself in its trust store. All else
    // is as above.
    refusals: { 'wrong-host': /No subject alternative DNS name matching localhost found/ },
    hosts: ['localhost'],
  }),
];

function goClient(caFile: string): string {
  return join(dirname(caFile), 'go-client');
}

function authority(host: string, port: number): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** What a client asks for. */
export function url({ host, port }: Pick<Target, 'host' | 'port'>): string {
  return `https://${authority(host, port)}/`;
}
