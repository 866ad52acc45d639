import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readOwnCertificate } from '../../src/tls/own-certificate.ts';
import { isInstalled } from './client-command.ts';
import { temporaryFolder } from './temporary-folder.ts';

const EC = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

let folder: string;
let certFile: string;
let keyFile: string;

beforeEach((ctx) => {
  if (!isInstalled(['openssl', 'version']))
    ctx.skip('openssl, which makes the pairs, is not installed');
  folder = temporaryFolder();
  certFile = join(folder, 'cert.pem');
  keyFile = join(folder, 'key.pem');
});

const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });

function makePair(options: { kind?: string[]; cert?: string; key?: string } = {}): void {
  const { kind = EC, cert = certFile, key = keyFile } = options;
  const subject = ['-subj', '/CN=own', '-days', '90'];
  openssl('req', '-x509', '-nodes', '-newkey', ...kind, '-keyout', key, '-out', cert, ...subject);
}

const read = (now?: Date) => readOwnCertificate({ certFile, keyFile, ...(now && { now }) });

async function refusal(pattern: RegExp): Promise<Error> {
  const error = await read().catch((caught: Error) => caught);
  expect(error).toMatchObject({
    code: 'MOMO_MOCK_CERTIFICATE_UNUSABLE',
    message: expect.stringMatching(pattern),
  });
  return error as Error;
}

describe("a user's own pair", { timeout: 30_000 }, () => {
  test.each([
    ['EC P-256', EC],
    ['RSA', ['rsa:2048']],
    ['Ed25519', ['ed25519']],
  ])('of kind %s is taken', async (_, kind) => {
    makePair({ kind });
    const own = await readOwnCertificate({ certFile: relative('.', certFile), keyFile });
    expect(own.cert).toBe(readFileSync(certFile, 'utf8'));
    expect(own.file).toBe(certFile);
    expect(own.warning).toBeUndefined();
    expect(own.key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  });

  test('is taken with its chain, and without whatever else is in the file', async () => {
    makePair();
    const other = join(folder, 'other.pem');
    makePair({ cert: other, key: join(folder, 'other-key.pem') });
    const blocks = [certFile, other].map((file) => readFileSync(file, 'utf8'));
    const key = readFileSync(keyFile, 'utf8');
    writeFileSync(certFile, `subject=own\r\n${key}${blocks[0]}\n# issuer\n${blocks[1]}`);
    expect((await read()).cert).toBe(blocks.join(''));
  });

  test('is taken with a key in the older form of EC keys', async () => {
    makePair();
    const key = openssl('ec', '-in', keyFile).toString();
    writeFileSync(keyFile, openssl('ecparam', '-name', 'prime256v1').toString() + key);
    expect((await read()).key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  });

  test.each([
    ['has expired', 91, /^The certificate in .*cert\.pem expired at /],
    ['is near its end', 80, /^The certificate in .*cert\.pem expires at /],
    ['is not valid yet', -1, /^The certificate in .*cert\.pem is not valid before /],
  ])('that %s is taken with a warning', async (_, days, warning) => {
    makePair();
    expect((await read(new Date(Date.now() + days * 86_400_000))).warning).toMatch(warning);
  });
});

describe("a user's own pair is refused", { timeout: 30_000 }, () => {
  test('when a file is missing', async () => {
    await refusal(/cert\.pem: ENOENT: no such file or directory\. Correct MOMO_MOCK_TLS_CERT_FILE/);
    makePair();
    keyFile = join(folder, 'none.pem');
    await refusal(/none\.pem: ENOENT: no such file or directory\. Correct MOMO_MOCK_TLS_KEY_FILE/);
  });

  test('when the files are swapped', async () => {
    makePair({ cert: keyFile, key: certFile });
    await refusal(/Swap MOMO_MOCK_TLS_CERT_FILE and MOMO_MOCK_TLS_KEY_FILE/);
  });

  test('when a file holds something else', async () => {
    makePair();
    const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
    writeFileSync(keyFile, cert);
    await refusal(/key\.pem: it holds a certificate and no private key.*MOMO_MOCK_TLS_KEY_FILE/);
    writeFileSync(keyFile, 'no key');
    await refusal(/key\.pem: it holds no private key in PEM form/);
    writeFileSync(certFile, key);
    await refusal(/cert\.pem: it holds a private key and no certificate.*MOMO_MOCK_TLS_CERT_FILE/);
    writeFileSync(certFile, new X509Certificate(cert).raw);
    await refusal(/cert\.pem: it holds no certificate in PEM form.*-inform der/);
    writeFileSync(certFile, `${cert}-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----`);
    await refusal(/certificate 2 in it cannot be parsed/);
  });

  test('when the key is encrypted, in either form', async () => {
    makePair();
    const open = keyFile;
    keyFile = join(folder, 'closed.pem');
    openssl('pkey', '-in', open, '-aes256', '-passout', 'pass:secret', '-out', keyFile);
    await refusal(/passphrases are not supported.*openssl pkey -in .*closed\.pem/);
    openssl('ec', '-in', open, '-aes256', '-passout', 'pass:secret', '-out', keyFile);
    await refusal(/passphrases are not supported/);
  });

  test('when the two do not belong together', async () => {
    makePair();
    makePair({ cert: join(folder, 'other.pem') });
    await refusal(/does not belong to it/);
    makePair({ kind: ['rsa:2048'], cert: join(folder, 'other.pem') });
    await refusal(/does not belong to it/);
    const blocks = [certFile, join(folder, 'other.pem')].map((file) => readFileSync(file, 'utf8'));
    writeFileSync(certFile, blocks.join(''));
    await refusal(/not the first in it/);
  });

  test('when TLS does not take it', async () => {
    makePair({ kind: ['rsa:512'] });
    await refusal(/TLS does not take it \(.*too small/);
  });

  test('without a word of the key in the error', async () => {
    makePair();
    const key = readFileSync(keyFile, 'utf8');
    writeFileSync(keyFile, key.replace('MIG', 'MIX'));
    const error = await refusal(/no private key/);
    const shown = `${error.stack}${JSON.stringify(error)}${error.cause}`;
    for (const line of key.split('\n').slice(1, 3)) expect(shown).not.toContain(line.slice(4, 30));
  });
});
