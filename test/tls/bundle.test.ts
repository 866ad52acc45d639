import { createPrivateKey, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Certificate, makeCertificateInMemory } from '../../src/tls/certificate.ts';
import { certificateBlocks } from '../../src/tls/pem.ts';
import { DAY_MS } from '../../src/tls/validity.ts';

const NOW = new Date('2031-05-06T07:08:09.999Z');

let made: Certificate;
let leaves: X509Certificate[];

beforeAll(async () => {
  made = await makeCertificateInMemory({ hosts: ['*.Example.com', '10.0.0.7'], now: NOW });
  leaves = certificateBlocks(made.cert).map((block) => new X509Certificate(block));
});

describe('the PEM to trust', () => {
  test('holds the certificate first, then an expired one, then one for the wrong host', () => {
    const names = ['CN=momo-mock', 'CN=momo-mock expired', 'CN=momo-mock wrong host'];
    expect(leaves.map(({ subject }) => subject)).toEqual(names);
    expect(leaves.map(({ issuer }) => issuer)).toEqual(names);
    expect(made.cert.startsWith(made.chain)).toBe(true);
    expect(certificateBlocks(made.chain)).toHaveLength(1);
  });

  test('holds no CA, and nothing that another key signed', () => {
    const key = createPrivateKey(made.key);
    for (const leaf of leaves) {
      expect(leaf.ca).toBe(false);
      expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
      expect(leaf.checkPrivateKey(key)).toBe(true);
      expect(leaf.verify(leaf.publicKey)).toBe(true);
      // The DER of "basicConstraints, critical, not a CA" and of "keyUsage, critical,
      // digitalSignature alone": Node has no names for them.
      expect(leaf.raw.toString('hex')).toContain('0603551d130101ff04023000');
      expect(leaf.raw.toString('hex')).toContain('0603551d0f0101ff040403020780');
    }
    expect(new Set(leaves.map(({ serialNumber }) => serialNumber)).size).toBe(3);
  });

  test('names the hosts in the expired one too, and in the other one no host that can be', () => {
    const [own, expired, wrongHost] = leaves.map(({ subjectAltName }) => subjectAltName);
    expect(own).toContain('*.example.com');
    expect(expired).toBe(own);
    expect(wrongHost).toBe('DNS:wrong-host.invalid');
  });

  test('holds one that ended a day ago, and no other end than that of the certificate', () => {
    const [own, expired, wrongHost] = leaves.map(({ validFrom, validTo }) => ({
      from: Date.parse(validFrom),
      to: Date.parse(validTo),
    }));
    expect(own?.to).toBe(made.expiresAt.getTime());
    expect(wrongHost).toEqual(own);
    expect(expired?.to).toBeLessThan(NOW.getTime() - DAY_MS);
    expect((expired?.to ?? 0) - (expired?.from ?? 0)).toBe(397 * DAY_MS - 1000);
  });
});
