import { createPrivateKey, X509Certificate } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { obtainCertificate } from '../../src/tls/certificate.ts';
import { certificateBlocks } from '../../src/tls/pem.ts';
import { temporaryFolder } from './temporary-folder.ts';

// No such file systems can be mounted in a test, so the calls answer as they do there.
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof fs>();
  return { ...original, link: vi.fn(original.link), open: vi.fn(original.open) };
});

const failure = (code: string) =>
  Object.assign(new Error(`${code}: as it is there, link`), { code });

afterEach(() => {
  vi.mocked(fs.link).mockReset();
  vi.mocked(fs.open).mockReset();
});

describe('a file system without hard links', { timeout: 30_000 }, () => {
  test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV'])(
    'that says %s keeps the pair all the same',
    async (code) => {
      const certsDir = temporaryFolder();
      vi.mocked(fs.link).mockRejectedValue(failure(code));

      const made = await Promise.all(
        Array.from({ length: 4 }, () => obtainCertificate({ certsDir, hosts: [] })),
      );
      for (const one of made) expect(one).toEqual(made[0]);
      expect(await fs.readFile(join(certsDir, 'momo-mock.pem'), 'utf8')).toBe(made[0]?.cert);
      expect((await fs.stat(join(certsDir, 'momo-mock-key.pem'))).mode & 0o777).toBe(0o600);
    },
  );

  test.each(['nothing', 'a certificate alone'])(
    'that holds a part of a successor, %s, of a killed start, makes another',
    async (part) => {
      const certsDir = temporaryFolder();
      vi.mocked(fs.link).mockRejectedValue(failure('EPERM'));
      const { chain } = await obtainCertificate({ certsDir, hosts: [] });
      const [successor] = (await fs.readdir(certsDir)).filter((name) => name.startsWith('.momo'));
      await fs.rm(join(certsDir, 'momo-mock.pem'));
      await fs.writeFile(join(certsDir, successor ?? ''), part === 'nothing' ? '' : chain);

      const { cert, key, file } = await obtainCertificate({ certsDir, hosts: [] });
      expect(certificateBlocks(cert)).toHaveLength(3);
      expect(await fs.readFile(join(certsDir, successor ?? ''), 'utf8')).toBe(cert);
      expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
      expect(file).toBe(join(certsDir, 'momo-mock.pem'));
    },
  );

  test('that shows a key half written is read until the key is whole', async () => {
    const certsDir = temporaryFolder();
    const first = await obtainCertificate({ certsDir, hosts: [] });
    const file = join(certsDir, 'momo-mock-key.pem');
    await fs.writeFile(file, first.key.slice(0, 100));
    const again = obtainCertificate({ certsDir, hosts: [] });
    await fs.writeFile(file, first.key);
    expect(await again).toEqual(first);
  });
});

describe('a full file system', { timeout: 30_000 }, () => {
  test.each(['ENOSPC', 'EDQUOT', 'EFBIG'])(
    'that says %s means memory only and leaves no part of a file',
    async (code) => {
      const certsDir = temporaryFolder();
      const { open } = await vi.importActual<typeof fs>('node:fs/promises');
      vi.mocked(fs.open).mockImplementation(async (...args) => {
        const handle = await open(...args);
        handle.writeFile = async () => {
          await handle.write('-----BEGIN');
          throw failure(code);
        };
        return handle;
      });

      const made = await obtainCertificate({ certsDir, hosts: [] });
      expect(made.file).toBeNull();
      expect(made.warning).toContain(code);
      expect(await fs.readdir(certsDir)).toEqual([]);
    },
  );
});

describe('any other trouble with the folder', { timeout: 30_000 }, () => {
  test('is an error that names it', async () => {
    const certsDir = temporaryFolder();
    vi.mocked(fs.open).mockRejectedValue(failure('EIO'));
    await expect(obtainCertificate({ certsDir, hosts: [] })).rejects.toMatchObject({
      code: 'MOMO_MOCK_CERTIFICATE_UNUSABLE',
      message: expect.stringMatching(/^Failed to .*momo-mock-certs-.*EIO.*MOMO_MOCK_CERTS_DIR/),
    });
  });
});
