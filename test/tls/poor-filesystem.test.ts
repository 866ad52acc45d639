import { createPrivateKey, X509Certificate } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { obtainCertificate } from '../../src/tls/certificate.ts';
import { certificateBlocks } from '../../src/tls/pem.ts';
import { temporaryFolder } from './temporary-folder.ts';

// No such file systems can be mounted in a test, so the calls answer as they do there.
vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof fs>();
  const { linkSync, openSync, writeFileSync } = original;
  return {
    ...original,
    linkSync: vi.fn(linkSync),
    openSync: vi.fn(openSync),
    writeFileSync: vi.fn(writeFileSync),
  };
});

const failure = (code: string) => () => {
  throw Object.assign(new Error(`${code}: as it is there, link`), { code });
};

afterEach(() => {
  vi.mocked(fs.linkSync).mockReset();
  vi.mocked(fs.openSync).mockReset();
  vi.mocked(fs.writeFileSync).mockReset();
});

describe('a file system without hard links', { timeout: 30_000 }, () => {
  test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV'])(
    'that says %s keeps the pair all the same',
    async (code) => {
      const certsDir = temporaryFolder();
      vi.mocked(fs.linkSync).mockImplementation(failure(code));

      const made = await Promise.all(
        Array.from({ length: 4 }, () => obtainCertificate({ certsDir, hosts: [] })),
      );
      for (const one of made) expect(one).toEqual(made[0]);
      expect(fs.readFileSync(join(certsDir, 'momo-mock.pem'), 'utf8')).toBe(made[0]?.cert);
      expect(fs.statSync(join(certsDir, 'momo-mock-key.pem')).mode & 0o777).toBe(0o600);
    },
  );

  test.each(['nothing', 'a certificate alone'])(
    'that holds a part of a successor, %s, of a killed start, makes another',
    async (part) => {
      const certsDir = temporaryFolder();
      vi.mocked(fs.linkSync).mockImplementation(failure('EPERM'));
      const { chain } = await obtainCertificate({ certsDir, hosts: [] });
      const [successor] = fs.readdirSync(certsDir).filter((name) => name.startsWith('.momo'));
      fs.rmSync(join(certsDir, 'momo-mock.pem'));
      fs.writeFileSync(join(certsDir, successor ?? ''), part === 'nothing' ? '' : chain);

      const { cert, key, file } = await obtainCertificate({ certsDir, hosts: [] });
      expect(certificateBlocks(cert)).toHaveLength(3);
      expect(fs.readFileSync(join(certsDir, successor ?? ''), 'utf8')).toBe(cert);
      expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
      expect(file).toBe(join(certsDir, 'momo-mock.pem'));
    },
  );

  test('that shows a key half written is read until the key is whole', async () => {
    const certsDir = temporaryFolder();
    const first = await obtainCertificate({ certsDir, hosts: [] });
    const file = join(certsDir, 'momo-mock-key.pem');
    fs.writeFileSync(file, first.key.slice(0, 100));
    const again = obtainCertificate({ certsDir, hosts: [] });
    fs.writeFileSync(file, first.key);
    expect(await again).toEqual(first);
  });
});

describe('a full file system', { timeout: 30_000 }, () => {
  test.each(['ENOSPC', 'EDQUOT', 'EFBIG'])(
    'that says %s means memory only and leaves no part of a file',
    async (code) => {
      const certsDir = temporaryFolder();
      const { writeFileSync } = await vi.importActual<typeof fs>('node:fs');
      vi.mocked(fs.writeFileSync).mockImplementation((file) => {
        writeFileSync(file, '-----BEGIN');
        failure(code)();
      });

      const made = await obtainCertificate({ certsDir, hosts: [] });
      expect(made.file).toBeNull();
      expect(made.warning).toContain(code);
      expect(fs.readdirSync(certsDir)).toEqual([]);
    },
  );
});

describe('any other trouble with the folder', { timeout: 30_000 }, () => {
  test('is an error that names it', async () => {
    const certsDir = temporaryFolder();
    vi.mocked(fs.openSync).mockImplementation(failure('EIO'));
    await expect(obtainCertificate({ certsDir, hosts: [] })).rejects.toMatchObject({
      code: 'MOMO_MOCK_CERTIFICATE_UNUSABLE',
      message: expect.stringMatching(/^Failed to .*momo-mock-certs-.*EIO.*MOMO_MOCK_CERTS_DIR/),
    });
  });
});
