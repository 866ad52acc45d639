import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { type Certificate, memoryCertificate } from '../../src/tls/certificate.ts';
import { certsDirCertificate } from '../../src/tls/certs-dir-certificate.ts';
import { certificateBlocks, pemOf } from '../../src/tls/pem.ts';
import { createKey, DAY_MS } from '../../src/tls/self-signed.ts';
import { RENEWAL_DAYS } from '../../src/tls/validity.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';

let certsDir: string;
let cert: string;
let key: string;

beforeEach(() => {
  certsDir = join(temporaryFolder(), 'certs');
  cert = join(certsDir, 'momo-mock.pem');
  key = join(certsDir, 'momo-mock-key.pem');
});

const obtain = (hosts: string[] = [], now = new Date()) =>
  certsDirCertificate({ certsDir, hosts, now });
const read = (file: string) => readFileSync(file, 'utf8');
const leafOf = (certificate: Certificate) => new X509Certificate(certificate.cert);
const later = (date: Date, ms: number) => new Date(date.getTime() + ms);

/** Expects that both files hold a certificate: one with its key before it, one alone. */
function expectOnDisk(certificate: Certificate): void {
  expect(read(key)).toBe(certificate.key + certificate.cert);
  expect(read(cert)).toBe(certificate.cert);
  expect(certificate.file).toBe(cert);
  expect(leafOf(certificate).checkPrivateKey(createPrivateKey(certificate.key))).toBe(true);
  expect(certificateBlocks(certificate.cert)).toHaveLength(3);
}

/** Puts a pair that momo-mock did not create into the folder. */
function makeForeign(ctx: TestContext): void {
  needs(ctx, 'openssl');
  mkdirSync(certsDir);
  const subject = ['-subj', '/CN=somebody', '-addext', 'subjectAltName=DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const args = ['req', '-x509', ...curve, '-days', '90', '-keyout', key, '-out', cert, ...subject];
  execFileSync('openssl', args, { stdio: 'pipe' });
}

describe('a first start', () => {
  test('creates the folder and both files, the key only for its owner', async () => {
    const made = await certsDirCertificate({ certsDir: relative('.', certsDir), hosts: [] });
    expectOnDisk(made);
    expect(made.warning).toBeUndefined();
    expect(readdirSync(certsDir).sort()).toEqual(['momo-mock-key.pem', 'momo-mock.pem']);
    expect(statSync(cert).mode & 0o777).toBe(0o644);
    expect(statSync(key).mode & 0o777).toBe(0o600);
  });

  test('creates a new key if both files were deleted', async () => {
    const first = await obtain(['old.test']);
    rmSync(cert);
    rmSync(key);
    const second = await obtain();
    expect(second.key).not.toBe(first.key);
    expect(leafOf(second).checkHost('old.test')).toBeUndefined();
  });
});

describe('a certificate in the folder', () => {
  test('is used again while it is good and names the hosts', async () => {
    const first = await obtain(['momo.test', '2001:db8::1']);
    const files = [read(key), read(cert)];
    const closing = later(first.expiresAt, -RENEWAL_DAYS * DAY_MS - 1);
    for (const again of [obtain(), obtain(['2001:DB8:0::1']), obtain([], closing)]) {
      expect(await again).toEqual(first);
    }
    expect([read(key), read(cert)]).toEqual(files);
  });

  test.each([
    ['is near its end', -RENEWAL_DAYS * DAY_MS],
    ['has expired', DAY_MS],
    ['is not valid yet', -400 * DAY_MS],
  ])('is renewed with the same key and names when it %s', async (_, fromEnd) => {
    const first = await obtain(['momo.test']);
    const now = later(first.expiresAt, fromEnd);
    const second = await obtain([], now);
    expectOnDisk(second);
    expect(second.key).toBe(first.key);
    expect(second.expiresAt.getTime()).toBeGreaterThan(now.getTime() + 300 * DAY_MS);
    expect(leafOf(second).checkHost('momo.test')).toBeDefined();
  });

  test('is renewed for a new host and keeps the old hosts, so that two users of a folder agree', async () => {
    const first = await obtain(['one.test']);
    const both = await obtain(['two.test']);
    expect(both.key).toBe(first.key);
    expect(both.cert).not.toBe(first.cert);
    expect(await obtain(['one.test'])).toEqual(both);
    expect(await obtain(['two.test'])).toEqual(both);
  });

  test('is renewed for a name that only a wildcard in it matches', async () => {
    const first = await obtain(['*.momo.test']);
    expect((await obtain(['api.momo.test'])).cert).not.toBe(first.cert);
  });

  test.each([
    ['is missing', () => rmSync(cert)],
    ['is an older one', (older: string) => writeFileSync(cert, older)],
    ['has a key in it', (older: string) => writeFileSync(cert, read(key) + older)],
  ])('is written again from the key file when momo-mock.pem %s', async (_, spoil) => {
    const older = await obtain();
    const made = await obtain(['momo.test']);
    spoil(older.cert);
    expect(await obtain()).toEqual(made);
    expectOnDisk(made);
  });

  test.each<{ name: string; spoil: (first: Certificate) => void; isSameKey: boolean }>([
    { name: 'the key file was deleted', spoil: () => rmSync(key), isSameKey: false },
    {
      name: 'the key file has only the key',
      spoil: (first) => writeFileSync(key, first.key),
      isSameKey: true,
    },
    {
      name: 'the bundle in the key file is incomplete',
      spoil: (first) => writeFileSync(key, `${first.key}${certificateBlocks(first.cert)[0]}`),
      isSameKey: true,
    },
  ])('is renewed and keeps its names when $name', async ({ spoil, isSameKey }) => {
    const first = await obtain(['momo.test']);
    spoil(first);
    const second = await obtain();
    expectOnDisk(second);
    expect(second.key === first.key).toBe(isSameKey);
    expect(leafOf(second).checkHost('momo.test')).toBeDefined();
  });
});

describe('a file that momo-mock did not create', () => {
  const readOrNull = (file: string) =>
    statSync(file, { throwIfNoEntry: false })?.isFile() ? read(file) : null;

  const BAD = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const encrypted = () =>
    createKey().export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' });

  const FIX =
    /MOMO_MOCK_TLS_CERT_FILE and MOMO_MOCK_TLS_KEY_FILE\. Otherwise, delete both momo-mock\.pem and/;

  async function expectRefusal(pattern: RegExp): Promise<void> {
    const before = [cert, key].map(readOrNull);
    await expect(obtain()).rejects.toMatchObject({
      code: 'MOMO_MOCK_CERTIFICATE_UNUSABLE',
      message: expect.stringMatching(pattern),
    });
    expect([cert, key].map(readOrNull)).toEqual(before);
  }

  test.each<[string, () => void, RegExp]>([
    ['no key', () => writeFileSync(key, '-'), /mock-key\.pem: it contains no private key/],
    ['no certificate', () => writeFileSync(cert, '-'), /mock\.pem: it contains no PEM cert/],
    ['a broken certificate', () => writeFileSync(cert, BAD), /mock\.pem: its .* be parsed/],
    [
      'a broken certificate after the key',
      () => writeFileSync(key, pemOf(createKey()) + BAD),
      /mock-key\.pem: its certificate cannot be parsed/,
    ],
    [
      'a key of another kind',
      () => writeFileSync(key, pemOf(rsa())),
      /mock-key\.pem: its key is not an EC P-256 key/,
    ],
    [
      'a key with a passphrase',
      () => writeFileSync(key, encrypted()),
      /mock-key\.pem: its key needs a passphrase/,
    ],
  ])('is left alone when it is %s', async (_, spoil, pattern) => {
    await obtain();
    spoil();
    await expectRefusal(pattern);
    await expectRefusal(FIX);
  });

  test('is left alone when it is a folder', async () => {
    await obtain();
    rmSync(cert);
    mkdirSync(cert);
    await expectRefusal(/mock\.pem: EISDIR/);
  });

  test("is not repeated in the error when it is somebody's key", async () => {
    const { key: own } = await obtain();
    writeFileSync(key, own.replace(/\n.{30}/, '\nSECRET'));
    const error = await obtain().then(String, (caught: Error) => caught);
    expect(inspect(error)).toContain('no private key');
    expect(inspect(error)).not.toContain('SECRET');
  });

  test.for<[string, (foreign: { cert: string; key: string }) => Promise<void> | void, RegExp]>([
    ["somebody's pair", () => undefined, /mock\.pem: momo-mock did not create/],
    ["somebody's certificate alone", () => rmSync(key), /mock\.pem: momo-mock did not create/],
    [
      "somebody's certificate beside a pair of momo-mock",
      async () => {
        const ours = await memoryCertificate({ hosts: [] });
        writeFileSync(key, ours.key + ours.cert);
      },
      /mock\.pem: momo-mock did not create/,
    ],
    [
      "somebody's pair in the key file",
      (foreign) => {
        writeFileSync(key, foreign.key + foreign.cert);
        rmSync(cert);
      },
      /mock-key\.pem: momo-mock did not create/,
    ],
  ])('is left alone when it is %s', async ([_, spoil, pattern], ctx) => {
    makeForeign(ctx);
    await spoil({ cert: read(cert), key: read(key) });
    await expectRefusal(pattern);
    await expectRefusal(FIX);
  });
});

test('a key file that others can read gets stricter permissions', async () => {
  await obtain();
  chmodSync(key, 0o644);
  expect((await obtain()).warning).toBeUndefined();
  expect(statSync(key).mode & 0o777).toBe(0o600);
});

test('a certificate in memory is shared by all mocks with the same hosts, until it is near its end', async () => {
  const make = (hosts: string[], now = new Date()) => memoryCertificate({ hosts, now });
  const first = await make(['one.test', 'two.test']);
  expect(first).toMatchObject({ file: null });
  expect(first).not.toHaveProperty('warning');
  expect(await make(['TWO.test', 'one.test.', 'localhost'])).toBe(first);
  expect(await make(['one.test'])).not.toBe(first);
  const end = later(first.expiresAt, -RENEWAL_DAYS * DAY_MS);
  expect(await make(['one.test', 'two.test'], later(end, -1))).toBe(first);
  const again = await make(['one.test', 'two.test'], end);
  expect(again).not.toBe(first);
  expect(await make(['one.test', 'two.test'], end)).toBe(again);
});
