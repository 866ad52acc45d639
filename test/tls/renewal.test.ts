import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeCertificateInMemory, obtainCertificate } from '../../src/tls/certificate.ts';
import { certificateBlocks } from '../../src/tls/pem.ts';
import { DAY_MS, RENEWAL_DAYS } from '../../src/tls/validity.ts';
import { removeSuccessors, temporaryFolder } from './temporary-folder.ts';

const later = (date: Date, ms: number) => new Date(date.getTime() + ms);

describe('a certificate that is there', { timeout: 30_000 }, () => {
  test('is used again while it is good and names the hosts', async () => {
    const certsDir = temporaryFolder();
    const first = await obtainCertificate({ certsDir, hosts: ['momo.test', '2001:db8::1'] });

    expect(await obtainCertificate({ certsDir, hosts: [] })).toEqual(first);
    expect(await obtainCertificate({ certsDir, hosts: ['2001:DB8:0::1'] })).toEqual(first);
    const closing = later(first.expiresAt, -RENEWAL_DAYS * DAY_MS - 1);
    expect(await obtainCertificate({ certsDir, hosts: [], now: closing })).toEqual(first);
  });

  test.each([
    ['is near its end', -RENEWAL_DAYS * DAY_MS],
    ['has expired', DAY_MS],
    ['is not valid yet', -400 * DAY_MS],
  ])('is renewed with the same key when it %s', async (_, fromEnd) => {
    const certsDir = temporaryFolder();
    const first = await obtainCertificate({ certsDir, hosts: ['momo.test'] });
    const now = later(first.expiresAt, fromEnd);
    const second = await obtainCertificate({ certsDir, hosts: [], now });

    expect(second.key).toBe(first.key);
    expect(second.expiresAt.getTime()).toBeGreaterThan(now.getTime() + 300 * DAY_MS);
    expect(new X509Certificate(second.cert).checkHost('momo.test')).toBeDefined();
    expect(readFileSync(join(certsDir, 'momo-mock.pem'), 'utf8')).toBe(second.cert);
  });

  test('is renewed for a new host and keeps the old ones, so two users of a folder agree', async () => {
    const certsDir = temporaryFolder();
    const first = await obtainCertificate({ certsDir, hosts: ['one.test'] });
    const both = await obtainCertificate({ certsDir, hosts: ['two.test'] });

    expect(both.cert).not.toBe(first.cert);
    expect(await obtainCertificate({ certsDir, hosts: ['one.test'] })).toEqual(both);
    expect(await obtainCertificate({ certsDir, hosts: ['two.test'] })).toEqual(both);
  });

  test('is renewed for a name that only a wildcard in it stands for', async () => {
    const certsDir = temporaryFolder();
    const first = await obtainCertificate({ certsDir, hosts: ['*.momo.test'] });
    const second = await obtainCertificate({ certsDir, hosts: ['api.momo.test'] });
    expect(second.cert).not.toBe(first.cert);
  });

  test('is renewed when it is alone, as it was before there were TLS modes', async () => {
    const certsDir = temporaryFolder();
    const file = join(certsDir, 'momo-mock.pem');
    const first = await obtainCertificate({ certsDir, hosts: ['momo.test'] });
    const [own, expired, wrongHost] = certificateBlocks(first.cert);
    for (const part of [[own], [own, expired], [own, wrongHost, expired], [own, own, own]]) {
      removeSuccessors(certsDir);
      writeFileSync(file, `${part.join('\n')}\n`);
      const second = await obtainCertificate({ certsDir, hosts: [] });
      expect(second.key).toBe(first.key);
      expect(certificateBlocks(second.cert)).toHaveLength(3);
      expect(new X509Certificate(second.cert).checkHost('momo.test')).toBeDefined();
      expect(readFileSync(file, 'utf8')).toBe(second.cert);
    }
  });

  test('is renewed when those beside it are for another key', async () => {
    const certsDir = temporaryFolder();
    const first = await obtainCertificate({ certsDir, hosts: [] });
    const other = await makeCertificateInMemory({ hosts: [] });
    const mixed = first.chain + other.cert.slice(other.chain.length);
    removeSuccessors(certsDir);
    writeFileSync(join(certsDir, 'momo-mock.pem'), mixed);
    const second = await obtainCertificate({ certsDir, hosts: [] });
    expect(second.key).toBe(first.key);
    expect(second.cert).not.toBe(mixed);
  });

  test('keeps what a user appended to its file, for clients to trust', async () => {
    const certsDir = temporaryFolder();
    const first = await obtainCertificate({ certsDir, hosts: [] });
    const other = await makeCertificateInMemory({ hosts: [] });
    writeFileSync(join(certsDir, 'momo-mock.pem'), first.cert + other.chain);
    const again = await obtainCertificate({ certsDir, hosts: [] });
    expect(again).toEqual({ ...first, cert: first.cert + other.chain });
  });

  test('is made anew, key and all, when both files were deleted', async () => {
    const certsDir = temporaryFolder();
    const first = await obtainCertificate({ certsDir, hosts: ['old.test'] });
    rmSync(join(certsDir, 'momo-mock.pem'));
    rmSync(join(certsDir, 'momo-mock-key.pem'));
    const second = await obtainCertificate({ certsDir, hosts: [] });

    expect(second.key).not.toBe(first.key);
    expect(new X509Certificate(second.cert).checkHost('old.test')).toBeUndefined();
  });

  test('gets a new key and a successor when its key was deleted', async () => {
    const certsDir = temporaryFolder();
    const first = await obtainCertificate({ certsDir, hosts: ['momo.test'] });
    rmSync(join(certsDir, 'momo-mock-key.pem'));
    const second = await obtainCertificate({ certsDir, hosts: [] });

    expect(second.key).not.toBe(first.key);
    expect(new X509Certificate(second.cert).checkHost('momo.test')).toBeDefined();
  });
});
