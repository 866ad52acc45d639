import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { certsDirCertificate } from '../../src/tls/certs-dir-certificate.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { start } from './start.ts';

const PROCESSES = 8;

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

/** Makes the drafts in a folder as old as if their process had been killed some minutes ago. */
function ageDrafts(certsDir: string): void {
  if (!existsSync(certsDir)) return;
  const then = new Date(Date.now() - 300_000);
  for (const name of readdirSync(certsDir).filter((name) => name.startsWith('.'))) {
    utimesSync(join(certsDir, name), then, then);
  }
}

test(`${PROCESSES} processes that start at the same moment in an empty folder serve the pair on disk`, async () => {
  const certsDir = join(temporaryFolder(), 'certs');
  const starts = Array.from({ length: PROCESSES }, () => start({ certsDir }).outcome);
  const [first, ...others] = await Promise.all(starts);
  for (const other of others) expect(other).toEqual(first);
  expect(first?.file).toBe(join(certsDir, 'momo-mock.pem'));
  if (first !== undefined) expectOnePair(certsDir, first);
});

describe.each([
  ['a first start', false],
  ['a renewal', true],
])('%s', (_, isRenewal) => {
  async function folder(): Promise<string> {
    const certsDir = join(temporaryFolder(), 'certs');
    if (isRenewal) await certsDirCertificate({ certsDir, hosts: ['before.test'] });
    return certsDir;
  }

  test('that is killed before any of its changes leaves the next one a good pair, and nothing else', async () => {
    for (let before = 0; ; before++) {
      const certsDir = await folder();
      const halt = { before, how: 'killed' } as const;
      const done = await start({ certsDir, hosts: ['one.test'], halt }).outcome;
      if (done !== undefined) return expect(before).toBeGreaterThan(5);
      ageDrafts(certsDir);
      const made = await certsDirCertificate({ certsDir, hosts: ['two.test'] });
      const next = expectOnePair(certsDir, made);
      expect(next.checkHost('two.test')).toBeDefined();
      expect(next.checkHost('before.test') !== undefined).toBe(isRenewal);
    }
  });
});

test('a first start that is suspended before any of its changes serves the pair that another start created meanwhile', async () => {
  for (let before = 0; ; before++) {
    const certsDir = join(temporaryFolder(), 'certs');
    const first = start({ certsDir, halt: { before, how: 'suspended' } });
    if (!(await first.halted)) return expect(before).toBeGreaterThan(5);
    const second = await certsDirCertificate({ certsDir, hosts: [] });
    first.goOn();
    const { cert, key } = await first.outcome;
    expect({ cert, key }).toEqual({ cert: second.cert, key: second.key });
    expectOnePair(certsDir, { cert, key });
  }
});

test('a file that another process wrote a moment ago is left to it', async () => {
  const certsDir = temporaryFolder();
  const draft = join(certsDir, '.momo-mock-draft');
  writeFileSync(draft, '');
  await certsDirCertificate({ certsDir, hosts: [] });
  expect(existsSync(draft)).toBe(true);
  ageDrafts(certsDir);
  expectOnePair(certsDir, await certsDirCertificate({ certsDir, hosts: [] }));
});
