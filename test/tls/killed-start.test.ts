import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { obtainCertificate } from '../../src/tls/certificate-store.ts';
import { ageLock, CHANGES, openStarter, start } from './start.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Expects that the folder holds one pair and nothing else, and that a start serves it. */
function expectOnePair(certsDir: string, { cert, key }: { cert: string; key: string }) {
  const texts = readdirSync(certsDir).map((name) => [
    name,
    readFileSync(join(certsDir, name), 'utf8'),
  ]);
  expect(Object.fromEntries(texts)).toEqual({
    'momo-mock-key.pem': key + cert,
    'momo-mock.pem': cert,
  });
  const leaf = new X509Certificate(cert);
  expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
  return leaf;
}

describe.each([
  ['a first start', false],
  ['a renewal', true],
])('%s', { timeout: 120_000 }, (_, isRenewal) => {
  async function folder(): Promise<string> {
    const certsDir = join(temporaryFolder(), 'certs');
    if (isRenewal) await obtainCertificate({ certsDir, hosts: ['before.test'] });
    return certsDir;
  }

  // One process is suspended at each place. What it leaves there is what a killed one leaves.
  test('that is killed or suspended before any of its changes leaves the next one a good pair, and overwrites nothing', async () => {
    const { process, start } = openStarter();
    for (let before = 0; ; before++) {
      const certsDir = await folder();
      const halt = { before, by: 'SIGSTOP', calls: CHANGES } as const;
      const first = start({ certsDir, hosts: ['one.test'], halt });
      if (!(await first.halted)) return expect(before).toBeGreaterThan(5);
      ageLock(certsDir);
      const second = await obtainCertificate({ certsDir, hosts: ['two.test'] });
      const next = expectOnePair(certsDir, second);
      expect(next.checkHost('two.test')).toBeDefined();
      expect(next.checkHost('before.test') !== undefined).toBe(isRenewal);
      process.kill('SIGCONT');
      const outcome = await first.outcome;
      expect(outcome.key).toBe(second.key);
      const leaf = expectOnePair(certsDir, outcome);
      expect(leaf.checkHost('one.test')).toBeDefined();
      expect(leaf.checkHost('two.test')).toBeDefined();
    }
  });
});

test('a lock that was held by a killed process a moment ago is waited for, not forever', async () => {
  const certsDir = temporaryFolder();
  const killed = start({ certsDir, halt: { before: 1, by: 'SIGKILL', calls: ['writeFileSync'] } });
  await expect(killed.outcome).rejects.toThrow();
  expect(readdirSync(certsDir)).toEqual(['.momo-mock.lock']);
  ageLock(certsDir, 2000);
  expectOnePair(certsDir, await obtainCertificate({ certsDir, hosts: [] }));
}, 30_000);

test('a start that is suspended before it writes into its lock does not write into that of another', async () => {
  const certsDir = temporaryFolder();
  const first = start({ certsDir, halt: { before: 0, by: 'SIGSTOP', calls: ['writeFileSync'] } });
  expect(await first.halted).toBe(true);
  expect(readdirSync(join(certsDir, '.momo-mock.lock'))).toHaveLength(0);
  ageLock(certsDir);
  const second = start({ certsDir, halt: { before: 0, by: 'SIGSTOP', calls: ['renameSync'] } });
  expect(await second.halted).toBe(true);
  expect(readdirSync(join(certsDir, '.momo-mock.lock'))).toHaveLength(2);
  first.process.kill('SIGCONT');
  // Once it has seen that it lost its lock, it waits until that of the other is old.
  const aging = setInterval(() => ageLock(certsDir), 50);
  const outcome = await first.outcome.finally(() => clearInterval(aging));
  second.process.kill('SIGCONT');
  expect(await second.outcome).toEqual(outcome);
  expectOnePair(certsDir, outcome);
}, 30_000);
