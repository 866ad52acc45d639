import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  type Certificate,
  obtainCertificate,
  readCertificatePair,
  watchExpiry,
} from '../../src/tls/certificate.ts';
import { makeCertificate, makeKey, pemOf } from '../../src/tls/self-signed.ts';
import { DAY_MS } from '../../src/tls/validity.ts';
import { temporaryFolder } from './temporary-folder.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

function watched(certificate: Certificate) {
  const said: string[] = [];
  const stop = watchExpiry(certificate, (sentence) => said.push(sentence));
  onTestFinished(stop);
  return { said, stop, days: (count: number) => vi.advanceTimersByTime(count * DAY_MS) };
}

test('a certificate of months of running is warned of each day, from two weeks before its end', async () => {
  const certificate = await obtainCertificate({ certsDir: temporaryFolder(), hosts: [] });
  const { said, days, stop } = watched(certificate);
  days(382);
  expect(said).toEqual([]);
  days(14);
  expect(said).toHaveLength(14);
  const end = certificate.expiresAt.toISOString();
  expect(said[0]).toBe(
    `The certificate in ${certificate.file} expires at ${end}: clients that verify it refuse it from then on. Renew it. A restart of momo-mock makes another, which clients have to trust then.`,
  );
  days(1);
  expect(said.at(-1)).toContain(`expired at ${end}`);
  stop();
  days(1);
  expect(said).toHaveLength(15);
});

test('what the warnings announce holds: a restart makes another', async () => {
  const certsDir = temporaryFolder();
  const first = await obtainCertificate({ certsDir, hosts: [] });
  vi.setSystemTime(Date.now() + 390 * DAY_MS);
  const second = await obtainCertificate({ certsDir, hosts: [] });
  expect(second.cert).not.toBe(first.cert);
  const { said, days } = watched(second);
  days(300);
  expect(said).toEqual([]);
});

test('a certificate of the user’s own is warned of, and never replaced', async () => {
  const folder = temporaryFolder();
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const key = makeKey();
  const now = new Date(Date.now() - 384 * DAY_MS);
  writeFileSync(certFile, await makeCertificate({ commonName: 'own', key, names: ['a'], now }));
  writeFileSync(keyFile, pemOf(key));
  const certificate = await readCertificatePair({ certFile, keyFile });
  const { said, days } = watched(certificate);
  days(1);
  expect(said).toEqual([
    expect.stringMatching(/cert\.pem expires at .* Renew it\. momo-mock reads it again/),
  ]);
});

test('a clock that was set back before the certificate is valid is warned of', async () => {
  const certificate = await obtainCertificate({ certsDir: temporaryFolder(), hosts: [] });
  const { said, days } = watched(certificate);
  vi.setSystemTime(Date.now() - 365 * DAY_MS);
  days(1);
  expect(said).toEqual([expect.stringContaining('is not valid before')]);
});
