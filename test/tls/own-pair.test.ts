import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inspect } from 'node:util';
import { generate } from 'selfsigned';
import { beforeEach, describe, expect, test } from 'vitest';
import { ask, type Sent } from '../support/client.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { startServer } from '../support/mock.ts';

const EC = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

let folder: string;
let certFile: string;
let keyFile: string;

beforeEach((ctx) => {
  needs(ctx, 'openssl');
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

const DAY_MS = 86_400_000;

/** Starts a mock with the pair: the certificate that it serves, and a client. */
async function start(cert = certFile) {
  const mock = await startServer({}, { TLS_CERT_FILE: cert, TLS_KEY_FILE: keyFile });
  return { ...mock.certificate, ask: (options: Sent) => ask(mock, '/momo/balance', options) };
}

describe("a user's own pair", () => {
  test.each([
    ['EC P-256', EC],
    ['RSA', ['rsa:2048']],
    ['Ed25519', ['ed25519']],
  ])('of kind %s is accepted', async (_, kind) => {
    makePair({ kind });
    const own = await start(relative('.', certFile));
    expect(own).toMatchObject({ cert: readFileSync(certFile, 'utf8'), file: certFile });
    expect(own.warning).toBeUndefined();
    const { status } = await own.ask({
      checkServerIdentity: () => undefined,
    });
    expect(status).toBe(200);
    expect(own.key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  });

  test.each([
    { what: 'UTF-8', name: 'cert.pem', encode: (text: string) => Buffer.from(`\uFEFF${text}`) },
    {
      what: 'UTF-16',
      name: 'cert.pem',
      encode: (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
    },
    {
      what: 'UTF-16',
      name: 'key.pem',
      encode: (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
    },
  ])('is refused with a byte order mark of $what in $name', async ({ name, encode }) => {
    makePair();
    const file = join(folder, name);
    writeFileSync(file, encode(readFileSync(file, 'utf8')));
    await expect(start()).rejects.toThrow(
      `Failed to use ${file}: it begins with a byte order mark. Save it as UTF-8 without one.`,
    );
  });

  test('is accepted with its chain, and other content of the file is ignored', async () => {
    makePair();
    const other = join(folder, 'other.pem');
    makePair({ cert: other, key: join(folder, 'other-key.pem') });
    const blocks = [certFile, other].map((file) => readFileSync(file, 'utf8'));
    const key = readFileSync(keyFile, 'utf8');
    writeFileSync(certFile, `subject=own\r\n${key}${blocks[0]}\n# issuer\n${blocks[1]}`);
    expect((await start()).cert).toBe(blocks.join(''));
  });

  test('is accepted with a key in the older form of EC keys', async () => {
    makePair();
    const key = openssl('ec', '-in', keyFile).toString();
    writeFileSync(keyFile, openssl('ecparam', '-name', 'prime256v1').toString() + key);
    expect((await start()).key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  });

  test('that is near its end is accepted with a warning', async () => {
    const at = (days: number) => new Date(Date.now() + days * DAY_MS);
    const dates = { notBeforeDate: at(-80), notAfterDate: at(10) };
    const pair = await generate([{ name: 'commonName', value: 'own' }], {
      keyType: 'ec',
      ...dates,
    });
    writeFileSync(certFile, pair.cert);
    writeFileSync(keyFile, pair.private);
    expect((await start()).warning).toMatch(/^The certificate in .*cert\.pem expires at /);
  });
});

describe("a user's own pair is refused", () => {
  const BAD = '-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n';
  const write = (file: string, content: string | Buffer) => writeFileSync(file, content);
  const encrypted = (form: string) =>
    openssl(form, '-in', keyFile, '-aes256', '-passout', 'pass:secret');
  /** Makes the certificate one for another key. */
  const replaceCert = (kind: string[]) => makePair({ kind, key: join(folder, 'other.pem') });

  test.each<[string, () => void, RegExp]>([
    ['the certificate is missing', () => rmSync(certFile), /cert\.pem: ENOENT: .*_TLS_CERT_FILE/],
    ['the key is missing', () => rmSync(keyFile), /key\.pem: ENOENT: .*_TLS_KEY_FILE/],
    [
      'the files are swapped',
      () => makePair({ cert: keyFile, key: certFile }),
      /Swap \S+ and \S+_FILE/,
    ],
    [
      'the key file holds a certificate',
      () => write(keyFile, readFileSync(certFile)),
      /key\.pem: it contains a certificate and no private key.*_TLS_KEY_FILE/,
    ],
    [
      'the key file holds no key',
      () => write(keyFile, '-'),
      /key\.pem: it contains no PEM private key/,
    ],
    [
      'the certificate file holds a key',
      () => write(certFile, readFileSync(keyFile)),
      /cert\.pem: it contains a private key and no certificate.*_TLS_CERT_FILE/,
    ],
    [
      'the certificate is not PEM',
      () => write(certFile, new X509Certificate(readFileSync(certFile)).raw),
      /cert\.pem: it contains no PEM certificate.*-inform der/,
    ],
    [
      'the chain is broken',
      () => write(certFile, readFileSync(certFile) + BAD),
      /certificate 2 in it cannot be parsed/,
    ],
    [
      'the key is encrypted',
      () => write(keyFile, encrypted('pkey')),
      /passphrases are not .*key\.pem/,
    ],
    [
      'the EC key is encrypted',
      () => write(keyFile, encrypted('ec')),
      /passphrases are not supported/,
    ],
    ['the key is another one', () => replaceCert(EC), /does not belong to it/],
    ['the key is of another kind', () => replaceCert(['rsa:2048']), /does not belong to it/],
    [
      'the certificate is not the first of its chain',
      () => {
        const chain = readFileSync(certFile);
        replaceCert(EC);
        write(certFile, readFileSync(certFile) + chain.toString());
      },
      /not the first one in the file/,
    ],
    [
      'TLS does not accept it',
      () => makePair({ kind: ['rsa:512'] }),
      /TLS refuses the pair \(.*too small/,
    ],
  ])('when %s', async (_, spoil, message) => {
    makePair();
    spoil();
    const error = await start().then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    expect(error).toMatchObject({
      code: 'MOMO_MOCK_CERTIFICATE_UNUSABLE',
      message: expect.stringMatching(message),
    });
    // Of the file system alone: an error of a parser may hold a key.
    expect(error.cause?.code).toBe(/ENOENT/.test(error.message) ? 'ENOENT' : undefined);
  });

  test('without any part of the key in the error', async () => {
    makePair();
    const key = readFileSync(keyFile, 'utf8');
    writeFileSync(keyFile, key.replace('MIG', 'MIX'));
    const error = await start().then(String, (caught: Error) => caught);
    const shown = inspect(error);
    expect(shown).toContain('no PEM private key');
    for (const line of key.split('\n').slice(1, 3)) expect(shown).not.toContain(line.slice(4, 30));
  });
});
