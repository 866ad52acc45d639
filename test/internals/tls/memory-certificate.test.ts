import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makeCertificateInMemory } from '../../../src/tls/memory-certificate.ts';
import { DAY_MS, RENEWAL_DAYS } from '../../../src/tls/validity.ts';

describe('a certificate in memory', () => {
  test('is in no file, and nothing to warn of', async () => {
    const made = await makeCertificateInMemory({ hosts: ['momo.test'] });
    expect(made.file).toBeNull();
    expect(made.warning).toBeUndefined();
    expect(new X509Certificate(made.cert).checkHost('momo.test')).toBeDefined();
  });

  test('is made once for all who ask for the same hosts, in whatever order and spelling', async () => {
    const asked = [
      ['one.test', 'two.test'],
      ['TWO.test', 'one.test.', 'localhost'],
    ].flatMap((hosts) => Array.from({ length: 50 }, () => makeCertificateInMemory({ hosts })));
    expect(new Set(await Promise.all(asked)).size).toBe(1);
    expect(await makeCertificateInMemory({ hosts: ['two.test', 'one.test'] })).toBe(await asked[0]);
    expect(await makeCertificateInMemory({ hosts: ['one.test'] })).not.toBe(await asked[0]);
  });

  test('is made again, once, when it is near its end', async () => {
    const hosts = ['end.test'];
    const first = await makeCertificateInMemory({ hosts });
    const end = first.expiresAt.getTime() - RENEWAL_DAYS * DAY_MS;
    expect(await makeCertificateInMemory({ hosts, now: new Date(end - 1) })).toBe(first);

    const ask = () => makeCertificateInMemory({ hosts, now: new Date(end) });
    const again = new Set(await Promise.all([ask(), ask(), ask()]));
    expect(again.size).toBe(1);
    expect(again).not.toContain(first);
  });

  test('is not made for what is no host', async () => {
    const ask = () => makeCertificateInMemory({ hosts: ['https://momo.test'] });
    await expect(ask()).rejects.toMatchObject({ code: 'MOMO_MOCK_CERTIFICATE_UNUSABLE' });
    await expect(ask()).rejects.toMatchObject({ code: 'MOMO_MOCK_CERTIFICATE_UNUSABLE' });
  });
});
