import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Certificate } from '../../src/tls/certificate.ts';
import { certsDirCertificate } from '../../src/tls/certs-dir-certificate.ts';
import { pemOf } from '../../src/tls/pem.ts';
import { createCertificate, createKey, DAY_MS } from '../../src/tls/self-signed.ts';
import { watchExpiry } from '../../src/tls/validity.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { startServer } from '../support/mock.ts';

vi.mock('../../src/timers.ts', () => import('../support/fakeable-timers.ts'));

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

function watched(certificate: Certificate) {
  const warnings: string[] = [];
  const stop = watchExpiry(certificate, (sentence) => warnings.push(sentence));
  onTestFinished(stop);
  return { warnings, stop, days: (count: number) => vi.advanceTimersByTime(count * DAY_MS) };
}

test('a certificate causes a warning each day, from two weeks before its end', async () => {
  const certificate = await certsDirCertificate({ certsDir: temporaryFolder(), hosts: [] });
  const { warnings, days, stop } = watched(certificate);
  days(382);
  expect(warnings).toEqual([]);
  days(14);
  expect(warnings).toHaveLength(14);
  const end = certificate.expiresAt.toISOString();
  expect(warnings[0]).toBe(
    `The certificate in ${certificate.file} expires at ${end}: clients that verify it will then refuse it. Renew the certificate. Restart momo-mock to create a new one, and make the clients trust it.`,
  );
  days(1);
  expect(warnings.at(-1)).toContain(`expired at ${end}`);
  stop();
  days(1);
  expect(warnings).toHaveLength(15);
});

/** Makes a pair of files with a certificate near its end. */
async function nearItsEnd() {
  const folder = temporaryFolder();
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const key = createKey();
  const now = new Date(Date.now() - 384 * DAY_MS);
  writeFileSync(certFile, await createCertificate('untrusted', { key, names: ['a'], now }));
  writeFileSync(keyFile, pemOf(key));
  return { certFile, keyFile };
}

test('a clock that was set back before the certificate is valid causes a warning', async () => {
  const certificate = await certsDirCertificate({ certsDir: temporaryFolder(), hosts: [] });
  const { warnings, days } = watched(certificate);
  vi.setSystemTime(Date.now() - 365 * DAY_MS);
  days(1);
  expect(warnings).toEqual([expect.stringContaining('is not valid before')]);
});

test('a running mock warns in its log, once a day', async () => {
  const { certFile: TLS_CERT_FILE, keyFile: TLS_KEY_FILE } = await nearItsEnd();
  const { records } = await startServer({}, { TLS_CERT_FILE, TLS_KEY_FILE });
  const warnings = () => records.filter(({ level }) => level === 40);
  expect(warnings()).toEqual([]);
  vi.advanceTimersByTime(2 * DAY_MS);
  const msg = expect.stringMatching(
    /cert\.pem expires at .* Renew the certificate\. Then restart momo-mock/,
  );
  expect(warnings()).toMatchObject([{ msg }, { msg }]);
});
