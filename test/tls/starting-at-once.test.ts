import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { obtainCertificate } from '../../src/tls/certificate.ts';
import { certificateBlocks } from '../../src/tls/pem.ts';
import { start } from './start.ts';
import { removeSuccessors, temporaryFolder } from './temporary-folder.ts';

const PROCESSES = 8;
const ROUNDS = 2;

async function startAll(certsDir: string, hosts: (index: number) => string[] = () => []) {
  const starts = Array.from({ length: PROCESSES }, (_, index) =>
    start({ certsDir, hosts: hosts(index) }),
  );
  return Promise.all(starts.map(({ outcome }) => outcome));
}

const onDisk = (certsDir: string) => ({
  cert: readFileSync(join(certsDir, 'momo-mock.pem'), 'utf8'),
  key: readFileSync(join(certsDir, 'momo-mock-key.pem'), 'utf8'),
});

function expectOnePair(certsDir: string, outcomes: readonly object[]): void {
  const disk = onDisk(certsDir);
  for (const outcome of outcomes) expect(outcome).toMatchObject(disk);
  expect(new X509Certificate(disk.cert).checkPrivateKey(createPrivateKey(disk.key))).toBe(true);
  expect(readdirSync(certsDir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
}

describe.for(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
  `${PROCESSES} processes that start at once, round %i`,
  { timeout: 60_000 },
  () => {
    test('serve one pair, the one on disk, in an empty folder', async () => {
      const certsDir = join(temporaryFolder(), 'certs');
      expectOnePair(certsDir, await startAll(certsDir));
    });

    test('leave a certificate with the names of all, when each wants its own', async () => {
      const certsDir = temporaryFolder();
      const outcomes = await startAll(certsDir, (index) => [`momo${index}.test`]);
      const disk = onDisk(certsDir);
      const leaf = new X509Certificate(disk.cert);
      for (const [index, outcome] of outcomes.entries()) {
        expect(outcome.key).toBe(disk.key);
        expect(new X509Certificate(outcome.cert).checkHost(`momo${index}.test`)).toBeDefined();
        expect(leaf.checkHost(`momo${index}.test`)).toBeDefined();
      }
    });
  },
);

describe(`${PROCESSES} processes that start at once`, { timeout: 60_000 }, () => {
  test('serve one new certificate where the one on disk has expired', async () => {
    const certsDir = temporaryFolder();
    const expired = await obtainCertificate({ certsDir, hosts: [], now: new Date('2020-01-01') });
    const outcomes = await startAll(certsDir);
    expectOnePair(certsDir, outcomes);
    expect(outcomes[0]?.key).toBe(expired.key);
    expect(outcomes[0]?.cert).not.toBe(expired.cert);
  });

  test('serve one bundle where the file on disk holds the certificate alone', async () => {
    const certsDir = temporaryFolder();
    const { chain, key } = await obtainCertificate({ certsDir, hosts: [] });
    removeSuccessors(certsDir);
    writeFileSync(join(certsDir, 'momo-mock.pem'), chain);
    const outcomes = await startAll(certsDir);
    expectOnePair(certsDir, outcomes);
    expect(outcomes[0]?.key).toBe(key);
    expect(certificateBlocks(outcomes[0]?.cert ?? '')).toHaveLength(3);
  });
});
