import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Certificate, memoryCertificate } from '../../src/tls/certificate.ts';
import { certificateBlocks } from '../../src/tls/pem.ts';
import { createCertificate, createKey, DAY_MS } from '../../src/tls/self-signed.ts';

const NOW = new Date('2031-05-06T07:08:09.999Z');

let made: Certificate;
let leaves: X509Certificate[];

beforeAll(async () => {
  const hosts = ['*.Example.com', 'momo', '10.0.0.7', '2001:DB8:0::1'];
  made = await memoryCertificate({ hosts, now: NOW });
  leaves = certificateBlocks(made.cert).map((block) => new X509Certificate(block));
});

describe('the PEM to trust', () => {
  test('holds the certificate first, then an expired one, then one for the wrong host', () => {
    const spki = leaves[0]?.publicKey.export({ type: 'spki', format: 'der' }) ?? '';
    const id = createHash('sha256').update(spki).digest('hex').slice(0, 16);
    const names = ['momo-mock', 'momo-mock expired', 'momo-mock wrong host'].map(
      (name) => `CN=${name} ${id}`,
    );
    expect(leaves.map(({ subject }) => subject)).toEqual(names);
    expect(leaves.map(({ issuer }) => issuer)).toEqual(names);
    expect(made.cert.startsWith(made.chain)).toBe(true);
    expect(certificateBlocks(made.chain)).toHaveLength(1);
  });

  test('holds EC P-256 server certificates of one key, and no CA', () => {
    const key = createPrivateKey(made.key);
    expect(made.key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    for (const leaf of leaves) {
      expect(leaf.ca).toBe(false);
      expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
      expect(leaf.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
      expect(leaf.checkPrivateKey(key)).toBe(true);
      expect(leaf.verify(leaf.publicKey)).toBe(true);
      // The DER of "basicConstraints, critical, not a CA", of "keyUsage, critical, digitalSignature
      // alone" and of "ecdsa-with-SHA256": Node has no names for them.
      const der = leaf.raw.toString('hex');
      expect(der).toContain('0603551d130101ff04023000');
      expect(der).toContain('0603551d0f0101ff040403020780');
      expect(der).toContain('06082a8648ce3d040302');
    }
  });

  test('names the loopback hosts and the configured hosts, or only the wrong host', () => {
    const [leaf, expired, wrongHost] = leaves;
    for (const host of ['localhost', 'api.example.com', 'momo']) {
      expect(leaf?.checkHost(host), host).toBeDefined();
    }
    for (const address of ['127.0.0.1', '::1', '10.0.0.7', '2001:db8::1']) {
      expect(leaf?.checkIP(address), address).toBeDefined();
    }
    expect(leaf?.checkHost('example.org')).toBeUndefined();
    expect(expired?.subjectAltName).toBe(leaf?.subjectAltName);
    expect(wrongHost?.subjectAltName).toBe('DNS:wrong-host.invalid');
  });

  test('is valid from an hour ago for 397 days, both ends included', () => {
    const [own, expired, wrongHost] = leaves.map(({ validFrom, validTo }) => ({
      from: new Date(validFrom),
      to: new Date(validTo),
    }));
    const from = new Date('2031-05-06T06:08:09.000Z');
    const to = new Date(from.getTime() + 397 * DAY_MS - 1000);
    expect(own).toEqual({ from, to });
    expect(made.expiresAt).toEqual(to);
    expect(wrongHost).toEqual(own);
    const end = Math.floor(NOW.getTime() / 1000) * 1000 - DAY_MS - 1000;
    expect(expired).toEqual({ from: new Date(end + 1000 - 397 * DAY_MS), to: new Date(end) });
  });
});

test('each certificate has a unique positive serial number', async () => {
  const serials = new Set<string>();
  for (let count = 0; count < 8; count++) {
    const cert = await createCertificate('normal', { key: createKey(), names: ['a'], now: NOW });
    serials.add(new X509Certificate(cert).serialNumber);
  }
  expect(serials.size).toBe(8);
  for (const serial of serials) expect(BigInt(`0x${serial}`)).toBeGreaterThan(2n ** 32n);
});
