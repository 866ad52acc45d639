// 6: what an install puts on disk, and how many packages that are.
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../children.mjs';
import { MOMO_MOCK } from '../sides.mjs';
import { figureOf } from '../statistics.mjs';
import { ROOT } from '../workshop.mjs';

/** All bytes below a folder, in MB of a million. */
function megabytesOf(folder) {
  const files = readdirSync(folder, { recursive: true }).map((path) => join(folder, path));
  const sizes = files.map((file) => lstatSync(file)).filter((stat) => stat.isFile());
  return sizes.reduce((sum, { size }) => sum + size, 0) / 1e6;
}

/** How many packages npm has put below a folder. */
function packagesOf(folder) {
  const { packages } = JSON.parse(
    readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'),
  );
  return Object.keys(packages).length;
}

/** Packs the project and installs what came of it into an empty folder. */
async function installPacked({ newFolder }) {
  const folder = newFolder();
  const npm = (args, cwd) => runChild('npm', args, { cwd, env: process.env, seconds: 120 });
  const quiet = ['--ignore-scripts', '--silent', '--no-audit', '--no-fund'];
  const packed = await npm(['pack', ...quiet, '--pack-destination', folder], ROOT);
  writeFileSync(join(folder, 'package.json'), '{}');
  await npm(['install', ...quiet, `./${packed.trim().split('\n').at(-1)}`], folder);
  return folder;
}

export async function installed({ peers, peersNotRun, workshop }) {
  const folders = { [MOMO_MOCK]: await installPacked(workshop) };
  for (const { name, folder } of peers) folders[name] = folder;
  const samples = Object.fromEntries(
    Object.entries(folders).map(([name, folder]) => [
      name,
      [
        {
          size: { value: megabytesOf(join(folder, 'node_modules')) },
          packages: { value: packagesOf(folder) },
        },
      ],
    ]),
  );
  const facts = { samples, base: MOMO_MOCK, better: 'less' };
  return {
    notRun: peersNotRun,
    figures: [
      figureOf({ ...facts, id: 'installed-size', title: 'Installed', unit: 'MB', key: 'size' }),
      figureOf({
        ...facts,
        id: 'installed-packages',
        title: 'Packages at run time',
        unit: 'packages',
        key: 'packages',
      }),
    ],
  };
}
