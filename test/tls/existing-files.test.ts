import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { obtainCertificate } from '../../src/tls/certificate.ts';
import { isInstalled } from './client-command.ts';
import { temporaryFolder } from './temporary-folder.ts';

let certsDir: string;
let cert: string;
let key: string;

beforeEach(() => {
  certsDir = temporaryFolder();
  cert = join(certsDir, 'momo-mock.pem');
  key = join(certsDir, 'momo-mock-key.pem');
});

const obtain = (hosts: string[] = []) => obtainCertificate({ certsDir, hosts });

function makeForeign(ctx: TestContext, days = '90'): void {
  if (!isInstalled(['openssl', 'version'])) ctx.skip('openssl is not installed');
  const subject = ['-subj', '/CN=somebody', '-addext', 'subjectAltName=DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const args = ['req', '-x509', ...curve, '-days', days, '-keyout', key, '-out', cert, ...subject];
  execFileSync('openssl', args, { stdio: 'pipe' });
}

async function refusal(...parts: string[]): Promise<void> {
  const before = [cert, key].map((file) => readOrNull(file));
  await expect(obtain()).rejects.toMatchObject({
    code: 'MOMO_MOCK_CERTIFICATE_UNUSABLE',
    message: expect.stringMatching(new RegExp(parts.join('[^]*'))),
  });
  expect([cert, key].map((file) => readOrNull(file))).toEqual(before);
}

function readOrNull(file: string): string | null {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, 'utf8') : null;
}

describe('a file that is there already', { timeout: 30_000 }, () => {
  test('is left alone when it should be the key and is none', async () => {
    await obtain();
    writeFileSync(key, 'not a key\n');
    await refusal(key, 'no private key', 'Delete both');
  });

  test('is left alone when it should be the certificate and is none', async () => {
    await obtain();
    writeFileSync(cert, 'not a certificate\n');
    await refusal(cert, 'no certificate', 'Delete both');
    writeFileSync(cert, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    await refusal(cert, 'cannot be parsed', 'Delete both');
    rmSync(key);
    await refusal(cert, 'cannot be parsed', 'Delete both');
  });

  test('is left alone when it is a folder', async () => {
    mkdirSync(cert);
    await refusal(cert, 'EISDIR');
  });

  test("is not quoted in the sentence when it is somebody's key", async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const spoilt = pem.replace(/\n.{30}/, '\nSECRET');
    writeFileSync(key, spoilt);
    const error = await obtain().catch((caught: Error) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(JSON.stringify([String(error), (error as Error).cause ?? null])).not.toContain('SECRET');
  });

  test('is replaced when it is a certificate of ours for another key', async () => {
    const first = await obtain(['momo.test']);
    const other = temporaryFolder();
    await obtainCertificate({ certsDir: other, hosts: [] });
    copyFileSync(join(other, 'momo-mock-key.pem'), key);
    const second = await obtain();
    expect(second.cert).not.toBe(first.cert);
    expect(second.key).toBe(readFileSync(key, 'utf8'));
  });

  test("is left alone when it is somebody's certificate for another key or none", async (ctx) => {
    makeForeign(ctx);
    rmSync(key);
    await refusal(cert, 'is missing', 'MOMO_MOCK_TLS_CERT_FILE');
    const other = temporaryFolder();
    await obtainCertificate({ certsDir: other, hosts: [] });
    copyFileSync(join(other, 'momo-mock-key.pem'), key);
    await refusal(cert, 'does not belong', 'MOMO_MOCK_TLS_CERT_FILE');
  });

  test("is served as it is when it is somebody's pair, with a warning for what is wrong", async (ctx) => {
    makeForeign(ctx, '7');
    const own = await obtain();
    expect(own.cert).toBe(readFileSync(cert, 'utf8'));
    expect(own.warning).toMatch(/expires at .* does not name 127\.0\.0\.1, ::1/);
  });

  test('is left alone when it is a key of another kind', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    await refusal(key, 'not an EC P-256 key', 'Delete it');
  });

  test('is closed to others when it is the key', async () => {
    await obtain();
    chmodSync(key, 0o644);
    expect((await obtain()).warning).toBeUndefined();
    expect(statSync(key).mode & 0o777).toBe(0o600);
  });
});
