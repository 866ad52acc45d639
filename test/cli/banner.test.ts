import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start } from '../support/command-in-process.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

/** The lines that a terminal shows once the mock is ready, with its ports as letters. */
async function bannerOf(flags: readonly string[], env: Record<string, string> = {}) {
  const { ended, output } = start(['--port', '0', ...flags], { env, isTerminal: true });
  await expect.poll(output).toMatch(/curl .*\n/);
  process.emit('SIGTERM', 'SIGTERM');
  await ended;
  const shown = output().replace(/(?<=https:\/\/localhost:)\d+/g, 'S');
  const [lines = ''] = shown.replace(/(?<=http:\/\/localhost:)\d+/g, 'C').split('\n\n');
  return lines.trimStart().split('\n');
}

const CONTROL = ['--control-port', '0'];
const OFF = ['--control-port', 'off'];

describe('the banner of a terminal', () => {
  it('has the URL, the certificate and a curl line for the default key', async () => {
    const certsDir = temporaryFolder();
    const file = join(certsDir, 'momo-mock.pem');
    expect(await bannerOf([...CONTROL, '--certs-dir', certsDir])).toEqual([
      'service      https://localhost:S',
      '  control API  http://localhost:C (in a browser: the live page)',
      `  certificate  ${file}`,
      `  try it       curl --cacert ${file} "https://localhost:S/momo/balance?apikey=momo_test_key"`,
    ]);
  });

  it('shows no configured key, and that the control API is off', async () => {
    const flags = [...OFF, '--certs-dir', temporaryFolder()];
    const lines = await bannerOf(flags, { MOMO_MOCK_API_KEYS: 'sekret' });
    expect(lines[1]).toBe('  control API  off');
    expect(lines[3]).toMatch(/\?apikey=<your key>"$/);
  });

  it.each([
    ['query:key', '"https://localhost:S/momo/balance?key=momo_test_key"'],
    ['header:X-Id', '-H "x-id: momo_test_key" "https://localhost:S/momo/balance"'],
    ['bearer', '-H "authorization: Bearer momo_test_key" "https://localhost:S/momo/balance"'],
    ['basic', '-u "momo_test_key:" "https://localhost:S/momo/balance"'],
    ['none', '"https://localhost:S/momo/balance"'],
    ['bearer,basic', '-u "momo_test_key:" "https://localhost:S/momo/balance"'],
    ['header:X-Id,query:key', '-H "x-id: momo_test_key" "https://localhost:S/momo/balance"'],
  ])('shows a curl line with the key in its place: %s', async (place, end) => {
    const lines = await bannerOf([...OFF, '--certs-dir', temporaryFolder(), '--key-in', place]);
    expect(lines[3]?.replace(/--cacert \S+ /, '')).toBe(`  try it       curl ${end}`);
  });

  it('names the certificate from the working folder, and quotes it for the shell', async () => {
    // Only a folder in the working folder of this process is near.
    const spaced = join(temporaryFolder(), 'my certs');
    await mkdir(spaced);
    const lines = await bannerOf([...OFF, '--certs-dir', relative('.', spaced)]);
    expect(lines[3]).toContain(`curl --cacert '${spaced}/momo-mock.pem' "`);
  });

  it.each([
    {
      name: 'fetches a certificate in memory from the control API',
      flags: CONTROL,
      where: 'in memory only, served at http://localhost:C/certificate',
      trust: '--cacert <(curl -s http://localhost:C/certificate)',
    },
    {
      name: 'does not verify a certificate in memory without the control API',
      flags: OFF,
      where: 'in memory only',
      trust: '--insecure',
    },
  ])('$name', async ({ flags, where, trust }) => {
    const unusable = join(temporaryFolder(), 'certs');
    writeFileSync(unusable, '');
    const lines = await bannerOf([...flags, '--certs-dir', unusable]);
    expect(lines.slice(2)).toEqual([
      `  certificate  ${where}`,
      `  try it       curl ${trust} "https://localhost:S/momo/balance?apikey=momo_test_key"`,
    ]);
  });
});
