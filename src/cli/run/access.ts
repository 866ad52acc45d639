import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MomoMockError } from '../../errors.ts';
import type { MockServer } from '../../server/mock-server.ts';
import type { Config } from '../../settings/config.ts';
import type { MockAccess } from './environment.ts';
import { proxyUrl } from './proxy.ts';

export async function accessTo(
  server: MockServer,
  config: Config,
  folder: string,
): Promise<MockAccess> {
  const { certificate, controlUrl } = server;
  const file = certificate.file ?? join(folder, 'momo-mock.pem');
  if (certificate.file === null) await writeFile(file, certificate.cert);
  const proxy = proxyUrl(controlUrl, config.CONTROL_TOKEN);
  return { server, apiKey: config.keys[0]?.key ?? '', proxy, file, folder };
}

/** All users can read the folder, but not the private key in it. */
export async function createFolder(): Promise<string> {
  try {
    const folder = await mkdtemp(join(tmpdir(), 'momo-mock-run-'));
    await chmod(folder, 0o755);
    return folder;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const text = `Failed to create a folder in ${tmpdir()}: ${code}. Set TMPDIR to a writable folder.`;
    throw new MomoMockError('MOMO_MOCK_FOLDER_UNUSABLE', text, { cause: error });
  }
}
