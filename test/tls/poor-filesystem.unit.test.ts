import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { certsDirCertificate } from '../../src/tls/certs-dir-certificate.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

// No such file systems can be mounted in a test, so the calls return what they return there.
vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof fs>();
  const { chmodSync, writeFileSync } = original;
  return { ...original, chmodSync: vi.fn(chmodSync), writeFileSync: vi.fn(writeFileSync) };
});

const failure = (code: string) => () => {
  throw Object.assign(new Error(`${code}: as it is there, write`), { code });
};

afterEach(() => {
  vi.mocked(fs.chmodSync).mockReset();
  vi.mocked(fs.writeFileSync).mockReset();
});

test('a file system without permissions still keeps the pair', async () => {
  const certsDir = temporaryFolder();
  vi.mocked(fs.chmodSync).mockImplementation(failure('EPERM'));
  const made = await Promise.all(
    Array.from({ length: 4 }, () => certsDirCertificate({ certsDir, hosts: [] })),
  );
  for (const one of made) expect(one).toEqual(made[0]);
  expect(fs.readFileSync(join(certsDir, 'momo-mock.pem'), 'utf8')).toBe(made[0]?.cert);
});

test.each(['ENOSPC', 'EDQUOT', 'EFBIG'])(
  'a full file system with the error %s keeps the certificate in memory and leaves no partial file',
  async (code) => {
    const certsDir = temporaryFolder();
    const { writeFileSync } = await vi.importActual<typeof fs>('node:fs');
    vi.mocked(fs.writeFileSync).mockImplementation((file) => {
      writeFileSync(file, '-----BEGIN');
      failure(code)();
    });
    const made = await certsDirCertificate({ certsDir, hosts: [] });
    expect(made.file).toBeNull();
    expect(made.warning).toContain(code);
    expect(fs.readdirSync(certsDir)).toEqual([]);
  },
);

test('any other problem with the certificate folder is an error that names it', async () => {
  const certsDir = temporaryFolder();
  vi.mocked(fs.writeFileSync).mockImplementation(failure('EIO'));
  await expect(certsDirCertificate({ certsDir, hosts: [] })).rejects.toMatchObject({
    code: 'MOMO_MOCK_CERTIFICATE_UNUSABLE',
    message: expect.stringMatching(/^Failed to .*momo-mock-.*EIO.*MOMO_MOCK_CERTS_DIR/),
  });
});
