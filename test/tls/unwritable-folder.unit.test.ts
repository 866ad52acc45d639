import { chmodSync, chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryCertificate } from '../../src/tls/certificate.ts';
import { certsDirCertificate } from '../../src/tls/certs-dir-certificate.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { NOBODY } from '../support/machine.ts';
import { start } from './start.ts';

/** A folder with a pair in it that a process of {@link NOBODY} can read and not write. */
async function readOnlyFolder(now?: Date) {
  const certsDir = temporaryFolder();
  const made = await certsDirCertificate({ certsDir, hosts: [], ...(now && { now }) });
  const key = join(certsDir, 'momo-mock-key.pem');
  if (NOBODY !== undefined) chownSync(key, NOBODY, NOBODY);
  chmodSync(certsDir, 0o555);
  return { certsDir, made, key };
}

describe('a certificate folder that cannot be written', () => {
  test('causes a certificate in memory, with a warning that says what to do', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    for (const certsDir of [file, join(file, 'certs'), join(file, 'deep', 'certs')]) {
      const made = await certsDirCertificate({ certsDir, hosts: ['momo.test'] });
      expect(made.file).toBeNull();
      expect(made.cert).toContain('BEGIN CERTIFICATE');
      expect(made.warning).toContain(certsDir);
      expect(made.warning).toContain('ENOTDIR');
      expect(made.warning).toMatch(/MOMO_MOCK_CERTS_DIR.*GET \/certificate/);
    }
  });

  test('does not delay the startup when it is below /proc', async (ctx) => {
    if (!existsSync('/proc/self')) ctx.skip('there is no /proc here');
    const made = await certsDirCertificate({ certsDir: '/proc/momo-mock/certs', hosts: [] });
    expect(made.file).toBeNull();
    expect((await certsDirCertificate({ certsDir: '/proc', hosts: [] })).file).toBeNull();
  });

  test('causes a certificate in memory when it is empty and belongs to another user', async () => {
    const certsDir = temporaryFolder();
    chmodSync(certsDir, 0o555);
    const outcome = await start({ certsDir, uid: NOBODY }).outcome;
    expect(outcome).toMatchObject({ file: null, warning: expect.stringContaining('EACCES') });
  });

  test('causes a certificate in memory when nobody may list it', async () => {
    const certsDir = temporaryFolder();
    chmodSync(certsDir, 0o000);
    const outcome = await start({ certsDir, uid: NOBODY }).outcome;
    chmodSync(certsDir, 0o700);
    expect(outcome).toMatchObject({ file: null, warning: expect.stringContaining('EACCES') });
  });

  test('still provides the pair that is in it', async () => {
    const { certsDir, made } = await readOnlyFolder();
    const { cert, key, file, warning } = await start({ certsDir, uid: NOBODY }).outcome;
    expect({ cert, key, file }).toEqual({ cert: made.cert, key: made.key, file: made.file });
    expect(warning).toBeUndefined();
  });

  test('still provides the pair that is in it near its end, with a warning', async () => {
    const { certsDir, made } = await readOnlyFolder();
    const now = new Date(made.expiresAt.getTime() - 86_400_000);
    const outcome = await start({ certsDir, now, uid: NOBODY }).outcome;
    expect(outcome).toMatchObject({ cert: made.cert, file: made.file });
    expect(outcome.warning).toMatch(/expires at .* cannot renew it: .* cannot be written \(EACCES/);
  });

  test('still provides the pair that clients trust when a start was killed before it wrote another', async () => {
    const { certsDir, made } = await readOnlyFolder();
    const other = await memoryCertificate({ hosts: ['momo.test'] });
    writeFileSync(join(certsDir, 'momo-mock-key.pem'), made.key + other.cert);
    const outcome = await start({ certsDir, uid: NOBODY }).outcome;
    expect(outcome).toMatchObject({ cert: made.cert, key: made.key, file: made.file });
  });

  test.each([
    { name: 'has expired', made: '2020-01-01', hosts: [] },
    { name: 'does not name the hosts', made: undefined, hosts: ['momo.test'] },
  ])('causes a certificate in memory when the pair in it $name', async ({ made, hosts }) => {
    const { certsDir } = await readOnlyFolder(made ? new Date(made) : undefined);
    const outcome = await start({ certsDir, hosts, uid: NOBODY }).outcome;
    expect(outcome).toMatchObject({ file: null, warning: expect.stringContaining('EACCES') });
  });

  test('causes a warning when others can read its key', async (ctx) => {
    const { certsDir, key } = await readOnlyFolder();
    if (NOBODY === undefined)
      return ctx.skip('only root can make a file that its reader cannot close');
    chownSync(key, 0, 0);
    chmodSync(key, 0o644);
    const outcome = await start({ certsDir, uid: NOBODY }).outcome;
    expect(outcome).toMatchObject({ file: join(certsDir, 'momo-mock.pem') });
    expect(outcome.warning).toMatch(/can be read by other users .*EPERM.*0600/);
  });

  test('is an error when it has a key that cannot be read', async () => {
    const { certsDir, key } = await readOnlyFolder();
    if (NOBODY !== undefined) chownSync(key, 0, 0);
    chmodSync(key, NOBODY === undefined ? 0o000 : 0o600);
    const outcome = await start({ certsDir, uid: NOBODY }).outcome;
    expect(outcome.code).toBe('MOMO_MOCK_CERTIFICATE_UNUSABLE');
    expect(outcome.message).toContain(key);
    expect(outcome.message).toMatch(/EACCES.*clients may trust the certificate/);
  });

  test('is used again once it is writable', async () => {
    const file = join(temporaryFolder(), 'certs');
    writeFileSync(file, '');
    expect((await certsDirCertificate({ certsDir: file, hosts: [] })).file).toBeNull();
    rmSync(file);
    const made = await certsDirCertificate({ certsDir: file, hosts: [] });
    expect(readFileSync(join(file, 'momo-mock.pem'), 'utf8')).toBe(made.cert);
  });
});
