import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { trustFor } from '../../src/cli/run/trust.ts';
import { certificateBlocks } from '../../src/tls/pem.ts';
import { emptyFolder } from '../support/command.ts';

const [CERT = '', ONE = '', TWO = ''] = rootCertificates;
const INSTEAD = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'];

async function trust(own: Record<string, string> = {}) {
  const folder = await emptyFolder();
  const file = join(folder, 'momo-mock.pem');
  writeFileSync(file, CERT);
  writeFileSync(join(folder, 'one.pem'), ONE);
  writeFileSync(join(folder, 'with-key.pem'), `${KEY}\n${TWO}`);
  mkdirSync(join(folder, 'dir'));
  writeFileSync(join(folder, 'dir/a.0'), ONE);
  writeFileSync(join(folder, 'dir/b.0'), TWO);
  const env = Object.fromEntries(
    Object.entries(own).map(([name, path]) => [name, join(folder, path)]),
  );
  const made = await trustFor({ folder, cert: CERT, file, env });
  const texts = Object.entries(made.variables).map(([name, path]) => [
    name,
    certificateBlocks(readFileSync(path, 'utf8')),
  ]);
  return { ...made, file, folder, trusted: Object.fromEntries(texts) as Record<string, string[]> };
}

/** No real key, but text of that shape, which must not be copied. */
const KEY = ['-----BEGIN PRIVATE', 'KEY-----\nsekret\n-----END PRIVATE', 'KEY-----'].join(' ');

test('Node trusts the mock beside its roots, the others by the usual roots and it', async () => {
  const { variables, trusted, file, bundle, warnings } = await trust();
  expect(variables.NODE_EXTRA_CA_CERTS).toBe(file);
  for (const name of INSTEAD) {
    expect(variables[name]).toBe(bundle);
    expect(trusted[name]?.length).toBeGreaterThan(50);
    expect(trusted[name]?.at(-1)).toBe(CERT.trim());
  }
  for (const block of trusted.SSL_CERT_FILE ?? []) new X509Certificate(block);
  expect(warnings).toEqual([]);
});

test('what the user trusts already is kept, by each variable', async () => {
  const { trusted } = await trust({ NODE_EXTRA_CA_CERTS: 'one.pem', CURL_CA_BUNDLE: 'one.pem' });
  expect(trusted.NODE_EXTRA_CA_CERTS).toEqual([ONE, CERT]);
  expect(trusted.CURL_CA_BUNDLE).toEqual([ONE, CERT]);
  expect(trusted.SSL_CERT_FILE?.length).toBeGreaterThan(50);
});

test('what SSL_CERT_FILE names replaces the usual roots', async () => {
  const { trusted } = await trust({ SSL_CERT_FILE: 'one.pem', REQUESTS_CA_BUNDLE: 'with-key.pem' });
  expect(trusted.SSL_CERT_FILE).toEqual([ONE, CERT]);
  expect(trusted.CURL_CA_BUNDLE).toEqual([ONE, CERT]);
  expect(trusted.REQUESTS_CA_BUNDLE).toEqual([TWO, CERT]);
});

test('a folder of certificates becomes a file of them', async () => {
  const { trusted } = await trust({ REQUESTS_CA_BUNDLE: 'dir' });
  expect(trusted.REQUESTS_CA_BUNDLE).toEqual([ONE, TWO, CERT]);
});

test('no private key is copied', async () => {
  const { variables } = await trust({ SSL_CERT_FILE: 'with-key.pem' });
  expect(readFileSync(variables.SSL_CERT_FILE ?? '', 'utf8')).not.toContain('sekret');
});

test.each(['SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'])(
  '%s that leads nowhere is a warning, and the usual roots are there',
  async (name) => {
    const { trusted, warnings } = await trust({ [name]: 'nowhere.pem' });
    expect(warnings).toEqual([expect.stringContaining(`certificates from ${name}: `)]);
    expect(trusted.CURL_CA_BUNDLE?.length).toBeGreaterThan(50);
  },
);
