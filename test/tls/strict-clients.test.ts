import { execFile } from 'node:child_process';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { type Command, has, needsIpv6, notInstalled } from '../support/machine.ts';
import { forSuite, startMock } from '../support/mock.ts';
import type { MomoTlsMode } from '../support/momo-mock.ts';
import { NODE_VERIFIES_IPV6 } from '../support/node-verifies-ipv6.ts';
import { QUICK_JAVA } from '../support/quick-java.ts';

// Go compiles its client, Java starts virtual machines.
const TIMEOUT = 120_000;
const CLIENTS = fileURLToPath(new URL('clients/', import.meta.url));

/** Where a client goes, what it trusts, and a folder for what it needs. */
interface Target {
  readonly url: string;
  readonly host: string;
  readonly port: string;
  readonly caFile: string;
  readonly folder: string;
}

/** A client that verifies certificates. */
interface Client {
  readonly needs?: Command;
  /** What to run once, before it connects. */
  readonly prepare?: (target: Target) => string[][];
  readonly command: (target: Target) => string[];
  /** Its errors in the modes that are wrong. */
  readonly refusals: Readonly<Record<Exclude<MomoTlsMode, 'normal'>, RegExp>>;
}

function openssl(...flags: string[]): Client {
  return {
    needs: 'openssl',
    command: ({ host, port, caFile }) => {
      const name = [isIP(host) ? '-verify_ip' : '-verify_hostname', host];
      const to = ['-connect', `${isIP(host) === 6 ? `[${host}]` : host}:${port}`];
      const verify = ['-verify_return_error', '-CAfile', caFile, ...name];
      return ['openssl', 's_client', ...to, ...flags, ...verify];
    },
    refusals: {
      expired: /Verif[^\n]* 10 \(certificate has expired\)/,
      'wrong-host': /Verif[^\n]* 62 \(hostname mismatch\)/i,
      untrusted: /Verif[^\n]* 18 \(self[- ]signed certificate\)/,
    },
  };
}

const java = (command: string, ...args: string[]) => [
  command,
  ...QUICK_JAVA.map((flag) => (command === 'java' ? flag : `-J${flag}`)),
  ...args,
];
const store = (folder: string) => join(folder, 'store.p12');
const JAVA_REFUSES = /unable to find valid certification path to requested target/;

const STRICT_CLIENTS: Readonly<Record<string, Client>> = {
  'Node, with fetch and NODE_EXTRA_CA_CERTS,': {
    command: ({ url }) => [process.execPath, join(CLIENTS, 'client.mjs'), url],
    refusals: {
      expired: /CERT_HAS_EXPIRED/,
      'wrong-host': /ERR_TLS_CERT_ALTNAME_INVALID/,
      untrusted: /DEPTH_ZERO_SELF_SIGNED_CERT/,
    },
  },
  'OpenSSL -x509_strict': openssl('-x509_strict'),
  // As Python does it since 3.13: a certificate in the trust store is an end of the chain.
  'OpenSSL -x509_strict -partial_chain': openssl('-x509_strict', '-partial_chain'),
  curl: {
    needs: 'curl',
    command: ({ url, caFile }) => ['curl', '-sS', '--cacert', caFile, url],
    refusals: {
      expired: /certificate has expired/,
      'wrong-host': /(no alternative certificate subject name|does not) match/,
      untrusted: /self[- ]signed certificate|unable to get local issuer/,
    },
  },
  'Python, with VERIFY_X509_STRICT,': {
    needs: 'python3',
    command: ({ url, caFile }) => ['python3', join(CLIENTS, 'client.py'), url, caFile],
    refusals: {
      expired: /10 certificate has expired\n/,
      'wrong-host': /62 Hostname mismatch, certificate is not valid for 'localhost'\.\n/,
      untrusted: /18 self[- ]signed certificate\n/,
    },
  },
  GnuTLS: {
    needs: 'gnutls-cli',
    command: ({ host, port, caFile }) => [
      ...['gnutls-cli', '--x509cafile', caFile, '--port', port, host],
    ],
    refusals: {
      expired: /NOT trusted. The certificate chain uses expired certificate/,
      'wrong-host': /NOT trusted. The name in the certificate does not match the expected/,
      untrusted: /NOT trusted. The certificate issuer is unknown/,
    },
  },
  Go: {
    needs: 'go',
    prepare: ({ folder }) => [
      ['go', 'build', '-o', join(folder, 'go'), join(CLIENTS, 'client.go')],
    ],
    command: ({ url, caFile, folder }) => [join(folder, 'go'), url, caFile],
    refusals: {
      expired: /x509: certificate has expired or is not yet valid/,
      'wrong-host': /x509: certificate is valid for wrong-host\.invalid, not localhost/,
      untrusted: /x509: certificate signed by unknown authority/,
    },
  },
  // keytool imports the first certificate of a file alone, so that Java knows none of the others.
  'Java, with what keytool imports,': {
    needs: 'javac',
    prepare: ({ folder, caFile }) => [
      java('javac', '-d', folder, join(CLIENTS, 'Client.java')),
      [
        ...java('keytool', '-importcert', '-noprompt', '-alias', 'momo', '-file', caFile),
        ...['-storepass', 'changeit', '-keystore', store(folder)],
      ],
    ],
    command: ({ url, folder }) => {
      const trust = [`trustStore=${store(folder)}`, 'trustStorePassword=changeit'];
      return java(
        'java',
        ...trust.map((one) => `-Djavax.net.ssl.${one}`),
        '-cp',
        folder,
        'Client',
        url,
      );
    },
    refusals: { expired: JAVA_REFUSES, 'wrong-host': JAVA_REFUSES, untrusted: JAVA_REFUSES },
  },
};

/** Runs a command to its end; rejects with its words where its exit code is not 0. */
function run(
  [command = '', ...args]: readonly string[],
  { caFile }: Partial<Target> = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    // Without a locale Java finds no file whose path has other letters than ASCII.
    const env = { ...process.env, LC_ALL: 'C.UTF-8', NODE_EXTRA_CA_CERTS: caFile };
    const child = execFile(command, args, { env }, (error, stdout, stderr) => {
      if (error) reject(new Error(`exited with ${error.code}: ${stdout}${stderr}`));
      else resolve();
    });
    // s_client and gnutls-cli hang up at the end of their input, once they have verified.
    child.stdin?.end();
  });
}

describe.each(Object.entries(STRICT_CLIENTS))('%s', { timeout: TIMEOUT }, (_, client) => {
  const { needs } = client;
  const missing = needs === undefined || has(needs) ? undefined : notInstalled(needs);
  const mock = forSuite(async (over) => {
    const made = await startMock({}, { certsDir: temporaryFolder(over) }, over);
    if (missing === undefined) {
      for (const command of client.prepare?.(target('localhost', made)) ?? []) await run(command);
    }
    return made;
  });
  const target = (host: string, { url, apiKey: apikey, caFile, folder } = mock()): Target => {
    const { port } = new URL(url);
    const authority = isIP(host) === 6 ? `[${host}]` : host;
    const full = `https://${authority}:${port}/momo/balance?apikey=${apiKey}`;
    return { url: full, host, port, caFile, folder };
  };

  it.for(Object.entries(client.refusals))(
    'refuses the certificate of mode %s',
    async ([mode, words], ctx) => {
      if (missing) ctx.skip(missing);
      await mock().setTls(mode as MomoTlsMode);
      const to = target('localhost');
      await expect(run(client.command(to), to)).rejects.toThrow(words);
    },
  );

  it.for(['localhost', '127.0.0.1', '::1'])(
    'accepts the certificate of mode normal for %s after that',
    async (host, ctx) => {
      if (missing) ctx.skip(missing);
      if (host === '::1') needsIpv6(ctx);
      if (host === '::1' && needs === undefined && !NODE_VERIFIES_IPV6) {
        ctx.skip('this Node refuses every certificate for ::1');
      }
      await mock().setTls('normal');
      await run(client.command(target(host)), target(host));
    },
  );
});
