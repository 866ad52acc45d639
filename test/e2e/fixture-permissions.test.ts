import { chmod, cp, mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectMomoMock } from '../../src/index.ts';
import { getBalance } from '../library/client.ts';
import { emptyFolder, FREE_PORTS, spawnCommand } from '../support/command.ts';
import { NOBODY } from '../tls/start.ts';

test.for(['momo/balance.get.json', 'momo', ''])(
  'fixtures/%s without read permission is reported once, and served when it is readable',
  async (closed, { skip }) => {
    const isFile = closed.endsWith('.json');
    skip(
      !isFile && NOBODY === undefined,
      'only root can change what is in a folder that is closed',
    );
    const cwd = await emptyFolder();
    const fixtures = join(cwd, 'fixtures');
    const file = join(fixtures, 'momo/balance.get.json');
    await mkdir(join(fixtures, 'momo'), { recursive: true });
    await writeFile(file, '{"v":1}');
    await chmod(cwd, 0o755);
    // Another user may not read the folder of the project.
    const program = await emptyFolder();
    await chmod(program, 0o755);
    for (const part of ['dist', 'fixtures', 'package.json'])
      await cp(part, join(program, part), { recursive: true });
    const cli = join(program, 'dist/cli.cjs');
    const spawned = await spawnCommand(FREE_PORTS, { cli, cwd, ...(NOBODY && { uid: NOBODY }) });
    await using mock = await connectMomoMock((await spawned.ready).controlUrl ?? '');
    const ask = () => getBalance(mock);
    expect(await ask()).toEqual({ v: 1 });

    await writeFile(`${file}~`, '{"v":2}');
    // As old as no file that was just changed, so that no file event reports it later.
    await utimes(`${file}~`, new Date(), new Date(0));
    if (isFile) await chmod(`${file}~`, 0);
    else await chmod(join(fixtures, closed), 0);
    await rename(`${file}~`, file);
    await expect.poll(spawned.output).toMatch(/EACCES.*still served/);
    expect(await ask()).toEqual({ v: 1 });

    await chmod(join(fixtures, closed), 0o755);
    await expect.poll(ask).toEqual({ v: 2 });
    expect(spawned.output().match(/permission denied \(EACCES\)/g)).toHaveLength(1);
  },
);
