import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { obtainCertificate } from '../../../src/tls/certificate-store.ts';
import { temporaryFolder } from '../../support/fixture-folder.ts';
import { type Outcome, start } from './start.ts';

const PROCESSES = 8;

function startAll(certsDir: string) {
  return Promise.all(Array.from({ length: PROCESSES }, () => start({ certsDir }).outcome));
}

/** The certificate on disk; expects that it is one pair, and that nothing else is there. */
function onDisk(certsDir: string, { key }: Pick<Outcome, 'key'>): X509Certificate {
  expect(readdirSync(certsDir).sort()).toEqual(['momo-mock-key.pem', 'momo-mock.pem']);
  const cert = readFileSync(join(certsDir, 'momo-mock.pem'), 'utf8');
  expect(readFileSync(join(certsDir, 'momo-mock-key.pem'), 'utf8')).toBe(key + cert);
  return new X509Certificate(cert);
}

describe(`${PROCESSES} processes that start at the same moment`, { timeout: 120_000 }, () => {
  test('serve one pair, the one on disk, in an empty folder', async () => {
    const certsDir = join(temporaryFolder(), 'certs');
    const [first, ...others] = await startAll(certsDir);
    for (const other of others) expect(other).toEqual(first);
    expect(first?.file).toBe(join(certsDir, 'momo-mock.pem'));
    onDisk(certsDir, first as Outcome);
  });

  test('serve the pair of an earlier version, and bring it into the new form', async () => {
    const certsDir = temporaryFolder();
    const { cert, key } = await obtainCertificate({ certsDir, hosts: [] });
    writeFileSync(join(certsDir, 'momo-mock-key.pem'), key);
    for (const outcome of await startAll(certsDir)) expect(outcome).toMatchObject({ cert, key });
    onDisk(certsDir, { key });
  });
});
