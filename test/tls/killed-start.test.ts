import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { obtainCertificate } from '../../src/tls/certificate.ts';
import { start } from './start.ts';
import { temporaryFolder } from './temporary-folder.ts';

const KILLS = 10;

/** The time in ms that a whole first start takes here, so that the kills fall within one. */
async function startTime(): Promise<number> {
  const before = performance.now();
  await start({ certsDir: temporaryFolder() }).outcome;
  return performance.now() - before;
}

describe('a start that was killed', { timeout: 120_000 }, () => {
  test('at any moment does not keep the next from a good pair', async () => {
    const whole = await startTime();
    for (let kill = 0; kill < KILLS; kill++) {
      const certsDir = temporaryFolder();
      const { process: killed, outcome } = start({ certsDir });
      const timer = setTimeout(() => killed.kill('SIGKILL'), whole * (kill / KILLS) ** 0.5);
      await outcome.catch(() => 'killed');
      clearTimeout(timer);

      const next = await obtainCertificate({ certsDir, hosts: [] });
      expect(next.file).toBe(join(certsDir, 'momo-mock.pem'));
      expect(readFileSync(join(certsDir, 'momo-mock.pem'), 'utf8')).toBe(next.cert);
      expect(readFileSync(join(certsDir, 'momo-mock-key.pem'), 'utf8')).toBe(next.key);
      const leaf = new X509Certificate(next.cert);
      expect(leaf.checkPrivateKey(createPrivateKey(next.key))).toBe(true);
    }
  });

  test('between agreeing on a certificate and installing it is carried on by the next', async () => {
    const certsDir = temporaryFolder();
    const first = await obtainCertificate({ certsDir, hosts: [] });
    const renewed = await obtainCertificate({ certsDir, hosts: ['momo.test'] });
    writeFileSync(join(certsDir, 'momo-mock.pem'), first.cert);

    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () => start({ certsDir }).outcome),
    );
    for (const { cert } of outcomes) expect(cert).toBe(renewed.cert);
    expect(readFileSync(join(certsDir, 'momo-mock.pem'), 'utf8')).toBe(renewed.cert);
  });

  test('before anything was installed is carried on by the next', async () => {
    const certsDir = temporaryFolder();
    const first = await obtainCertificate({ certsDir, hosts: [] });
    renameSync(join(certsDir, 'momo-mock.pem'), join(certsDir, '.momo-mock-0123456789abcdef.tmp'));

    expect(await obtainCertificate({ certsDir, hosts: [] })).toEqual(first);
  });

  test('leaves files that go away a minute later, and no others do', async () => {
    const certsDir = temporaryFolder();
    const [old, fresh, own] = [
      '.momo-mock-00000000000000aa.tmp',
      '.momo-mock-bb.tmp',
      '.other.pem',
    ];
    for (const name of [old, fresh, own]) writeFileSync(join(certsDir, name), '');
    const minutesAgo = new Date(Date.now() - 120_000);
    for (const name of [old, own]) utimesSync(join(certsDir, name), minutesAgo, minutesAgo);

    await obtainCertificate({ certsDir, hosts: [] });
    const left = readdirSync(certsDir);
    expect(left).not.toContain(old);
    expect(left).toEqual(expect.arrayContaining([fresh, own, 'momo-mock.pem']));

    for (const name of left) utimesSync(join(certsDir, name), minutesAgo, minutesAgo);
    await obtainCertificate({ certsDir, hosts: [] });
    const hidden = readdirSync(certsDir).filter((name) => /^\.momo-mock-[0-9a-f]{16}/.test(name));
    expect(hidden).toEqual([]);
  });
});
