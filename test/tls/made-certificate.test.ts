import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { obtainCertificate } from '../../src/tls/certificate.ts';
import { DAY_MS } from '../../src/tls/validity.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe('the certificate that is made', { timeout: 30_000 }, () => {
  test('is an EC P-256 server certificate that cannot sign others', async () => {
    const { cert, key } = await obtainCertificate({ certsDir: temporaryFolder(), hosts: [] });
    const leaf = new X509Certificate(cert);

    expect(leaf.subject).toBe('CN=momo-mock');
    expect(leaf.issuer).toBe(leaf.subject);
    expect(leaf.ca).toBe(false);
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(leaf.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    expect(leaf.verify(leaf.publicKey)).toBe(true);
    expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    // The DER of "basicConstraints, critical, not a CA", of "keyUsage, critical, digitalSignature
    // alone" and of "ecdsa-with-SHA256": Node has no names for them.
    const der = leaf.raw.toString('hex');
    expect(der).toContain('0603551d130101ff04023000');
    expect(der).toContain('0603551d0f0101ff040403020780');
    expect(der).toContain('06082a8648ce3d040302');
  });

  test('is valid from an hour ago and for 397 days, both ends included', async () => {
    const now = new Date('2031-05-06T07:08:09.999Z');
    const { cert, expiresAt } = await obtainCertificate({
      certsDir: temporaryFolder(),
      hosts: [],
      now,
    });
    const start = new Date(new X509Certificate(cert).validFrom);

    expect(start).toEqual(new Date('2031-05-06T06:08:09.000Z'));
    expect(expiresAt.getTime() + 1000 - start.getTime()).toBe(397 * DAY_MS);
  });

  test('has a positive serial number of its own', async () => {
    const serials = new Set<string>();
    for (let count = 0; count < 8; count++) {
      const { cert } = await obtainCertificate({ certsDir: temporaryFolder(), hosts: [] });
      serials.add(new X509Certificate(cert).serialNumber);
    }
    expect(serials.size).toBe(8);
    for (const serial of serials) expect(BigInt(`0x${serial}`)).toBeGreaterThan(2n ** 32n);
  });

  test('names localhost, both loopback addresses and the hosts', async () => {
    const { cert } = await obtainCertificate({
      certsDir: temporaryFolder(),
      hosts: ['*.Example.com', 'momo', '10.0.0.7', '2001:DB8:0::1'],
    });
    const leaf = new X509Certificate(cert);

    for (const host of ['localhost', 'api.example.com', 'momo']) {
      expect(leaf.checkHost(host), host).toBeDefined();
    }
    for (const address of ['127.0.0.1', '::1', '10.0.0.7', '2001:db8::1']) {
      expect(leaf.checkIP(address), address).toBeDefined();
    }
    expect(leaf.checkHost('example.org')).toBeUndefined();
  });

  test('is kept in a folder that is made for it, the key for its owner only', async () => {
    const certsDir = join(temporaryFolder(), 'new', 'certs');
    const made = await obtainCertificate({ certsDir: relative('.', certsDir), hosts: [] });

    expect(made.file).toBe(join(certsDir, 'momo-mock.pem'));
    expect(readFileSync(join(certsDir, 'momo-mock.pem'), 'utf8')).toBe(made.cert);
    expect(readFileSync(join(certsDir, 'momo-mock-key.pem'), 'utf8')).toBe(made.key);
    expect(statSync(join(certsDir, 'momo-mock.pem')).mode & 0o777).toBe(0o644);
    expect(statSync(join(certsDir, 'momo-mock-key.pem')).mode & 0o777).toBe(0o600);
    expect(made.warning).toBeUndefined();
  });

  test('never shows a key that somebody put into its file', async () => {
    const certsDir = temporaryFolder();
    const { cert, key } = await obtainCertificate({ certsDir, hosts: [] });
    writeFileSync(join(certsDir, 'momo-mock.pem'), key + cert);

    expect((await obtainCertificate({ certsDir, hosts: [] })).cert).toBe(cert);
  });
});
