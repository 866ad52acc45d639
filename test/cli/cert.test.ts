import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, run } from '../support/command-in-process.ts';

test('shows the certificate that it makes, and the same one again', async () => {
  const certsDir = emptyFolder();
  const env = { MOMO_MOCK_TLS_HOSTS: 'momo.test,10.0.0.5' };
  const args = ['cert', '--certs-dir', certsDir];
  const first = await run(args, { env });
  const file = join(certsDir, 'momo-mock.pem');
  const { fingerprint256, validTo } = new X509Certificate(readFileSync(file));
  expect(first).toEqual({
    code: 0,
    stdout: `certificate  ${file}
names        localhost, 127.0.0.1, ::1, momo.test, 10.0.0.5
valid until  ${new Date(validTo).toISOString()}
SHA-256      ${fingerprint256}
`,
    stderr: '',
  });
  expect(await run(args)).toEqual(first);
});

test('needs no keys', async () => {
  const env = { MOMO_MOCK_API_KEYS: 'a,a', MOMO_MOCK_API_KEYS_FILE: '-' };
  const { code } = await run(['cert', '--certs-dir', emptyFolder()], { env });
  expect(code).toBe(0);
});

test('fails where it cannot keep the certificate', async () => {
  const file = join(emptyFolder(), 'certs');
  writeFileSync(file, '');
  const { code, stdout, stderr } = await run(['cert', '--certs-dir', file]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(file);
});
