import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../support/command-in-process.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

it('cert creates the certificate and prints it, and prints the same one again', async () => {
  const certsDir = temporaryFolder();
  const args = ['cert', '--certs-dir', certsDir];
  const first = await run(args, { env: { MOMO_MOCK_TLS_HOSTS: 'momo.test,10.0.0.5' } });
  const file = join(certsDir, 'momo-mock.pem');
  const { fingerprint256, validTo } = new X509Certificate(readFileSync(file));
  const stdout = `certificate  ${file}
names        localhost, 127.0.0.1, ::1, momo.test, 10.0.0.5
valid until  ${new Date(validTo).toISOString()}
SHA-256      ${fingerprint256}
`;
  expect(first).toEqual({ code: 0, stdout, stderr: '' });
  expect(await run(args)).toEqual(first);
});

it('cert needs no keys, and does not read standard input for them', async () => {
  const env = { MOMO_MOCK_API_KEYS: 'a,a', MOMO_MOCK_API_KEYS_FILE: '-' };
  expect(await run(['cert', '--certs-dir', temporaryFolder()], { env })).toMatchObject({ code: 0 });
});

it('cert fails if it cannot store the certificate', async () => {
  const file = join(temporaryFolder(), 'certs');
  writeFileSync(file, '');
  const { code, stdout, stderr } = await run(['cert', '--certs-dir', file]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(file);
});
