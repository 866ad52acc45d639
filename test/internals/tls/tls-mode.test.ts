import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Certificate, credentialsFor } from '../../../src/tls/certificate.ts';
import { makeCertificateInMemory } from '../../../src/tls/memory-certificate.ts';
import { readOwnCertificate } from '../../../src/tls/own-certificate.ts';
import { certificateBlocks } from '../../../src/tls/pem.ts';
import { TLS_MODES, type TlsMode } from '../../../src/tls/tls-mode.ts';
import { temporaryFolder } from '../../support/fixture-folder.ts';
import { needs } from '../../support/machine.ts';

const WRONG = TLS_MODES.filter((mode) => mode !== 'normal');

let server: Server;
let certificate: Certificate;

beforeAll(async () => {
  certificate = await makeCertificateInMemory({ hosts: ['momo.test'] });
  const credentials = await credentialsFor(certificate, 'normal');
  server = createServer(credentials, (_, response) => void response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, resolve));
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function switchTo(mode: TlsMode, from: Certificate = certificate): Promise<void> {
  server.setSecureContext(await credentialsFor(from, mode));
}

/** The outcome of a request: 200, or the code of the error. */
function get(agent: Agent): Promise<number | string | undefined> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    request({ host: 'localhost', port, agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
      .end();
  });
}

describe('a TLS mode', () => {
  test('applies to a running server, also for a client that could resume its session', async () => {
    // Without keepAlive each request connects; the agent resumes the TLS session where it can.
    const agent = new Agent({ ca: certificate.cert });
    const seen = [];
    for (const mode of ['normal', 'expired', 'normal', 'wrong-host', 'untrusted', 'normal']) {
      await switchTo(mode as TlsMode);
      seen.push(await get(agent), await get(agent));
    }
    const [expired, host, unknown] = [
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    ];
    expect(seen).toEqual([200, expired, 200, host, unknown, 200].flatMap((one) => [one, one]));
  });

  test.each(WRONG)('%s is accepted by a client that does not verify', async (mode) => {
    await switchTo(mode);
    expect(await get(new Agent({ rejectUnauthorized: false }))).toBe(200);
  });

  test('untrusted has the right names, a good validity and a new key each time', async () => {
    const now = new Date('2031-05-06T07:08:09Z');
    const one = await credentialsFor(certificate, 'untrusted', now);
    const two = await credentialsFor(certificate, 'untrusted', now);
    const [leaf, own] = [one.cert, certificate.cert].map((pem) => new X509Certificate(pem));
    expect(leaf?.subjectAltName).toBe(own?.subjectAltName);
    expect(leaf?.ca).toBe(false);
    expect(Date.parse(leaf?.validFrom ?? '')).toBeLessThan(now.getTime());
    expect(Date.parse(leaf?.validTo ?? '')).toBeGreaterThan(now.getTime());
    expect(new Set([one.key, two.key, certificate.key]).size).toBe(3);
  });
});

test("a TLS mode with the user's own pair is a certificate that no client trusts", async (ctx) => {
  needs(ctx, 'openssl');
  const [certFile, keyFile] = emptyPair();
  const name = ['-subj', '/CN=own', '-addext', 'subjectAltName=DNS:own.test,DNS:localhost'];
  const files = ['-keyout', keyFile, '-out', certFile];
  const args = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-days', '90', ...files];
  execFileSync('openssl', [...args, ...name], { stdio: 'pipe' });
  // In a real chain, the certificate that signed the first one would stand here.
  writeFileSync(certFile, readFileSync(certFile, 'utf8') + certificate.chain);
  const own = await readOwnCertificate({ certFile, keyFile });

  expect(own.chain).toBe(own.cert);
  expect(certificateBlocks(own.chain)).toHaveLength(2);
  const agent = new Agent({ ca: own.cert });
  for (const [mode, answer] of [
    ['normal', 200],
    // Node checks the dates of a certificate that it does not trust, other clients do not.
    ['expired', 'CERT_HAS_EXPIRED'],
    ['wrong-host', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['untrusted', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ] as const) {
    await switchTo(mode, own);
    expect(await get(agent), mode).toBe(answer);
    const leaf = new X509Certificate((await credentialsFor(own, mode)).cert);
    expect(Date.parse(leaf.validTo) < Date.now(), mode).toBe(mode === 'expired');
    expect(leaf.checkHost('own.test') === undefined, mode).toBe(mode === 'wrong-host');
  }
});

test("a pair of momo-mock that is configured as the user's own has its TLS modes", async () => {
  const [certFile, keyFile] = emptyPair();
  writeFileSync(certFile, certificate.cert);
  writeFileSync(keyFile, certificate.key + certificate.cert);
  const own = await readOwnCertificate({ certFile, keyFile });
  expect(own).toEqual({ ...certificate, file: certFile });
  for (const mode of ['normal', 'expired', 'wrong-host'] as const) {
    expect(await credentialsFor(own, mode)).toEqual(await credentialsFor(certificate, mode));
  }
});

function emptyPair(): [certFile: string, keyFile: string] {
  const folder = temporaryFolder();
  return [join(folder, 'cert.pem'), join(folder, 'key.pem')];
}
