import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { emptyFolder, FREE_PORTS, runCommand, spawnCommand } from '../support/command.ts';

describe('momo-mock --open', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'xdg-open is there on Linux only'));

  test('opens the live page in the browser', async () => {
    const folder = await emptyFolder();
    const browser = '#!/bin/sh\nprintf %s "$1" > "$0.opened"\n';
    writeFileSync(join(folder, 'xdg-open'), browser, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const { ready } = await spawnCommand([...FREE_PORTS, '--open'], { env });
    const { controlUrl } = await ready;
    const opened = () => readFileSync(join(folder, 'xdg-open.opened'), 'utf8');
    await expect.poll(opened).toBe(controlUrl);
  });

  test('says which address to open where no browser can be started', async () => {
    const env = { PATH: await emptyFolder() };
    const { ready, output } = await spawnCommand([...FREE_PORTS, '--open'], { env });
    const { controlUrl } = await ready;
    await expect.poll(output).toContain(`Failed to open the browser: none was found. Open`);
    expect((await fetch(`${controlUrl}/health`)).status).toBe(200);
    expect(output()).toContain(`Open ${controlUrl} in one.`);
  });
});

test('momo-mock --open without the control API is a usage error', async () => {
  const { code, stderr } = await runCommand(['--open', '--control-port', 'off', '--port', '0']);
  expect(stderr).toMatch(/^Failed to read the command line: --open needs the control API/);
  expect(code).toBe(2);
});
