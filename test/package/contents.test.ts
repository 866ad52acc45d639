import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { needs } from '../support/machine.ts';
import { pack } from './installed.ts';
import { PRIVATE_KEY } from './private-key.ts';

interface Locked {
  readonly version?: string;
  readonly hasInstallScript?: boolean;
}

const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

it('an install runs no script and installs no other package', () => {
  const { dependencies, scripts } = json('package.json');
  expect(dependencies).toBeUndefined();
  expect(Object.keys(scripts)).not.toContainEqual(expect.stringMatching(/install$/));
});

it('no package in the bundle has an install script', () => {
  const { components } = json('dist/sbom.cdx.json');
  const { packages } = json('package-lock.json') as { packages: Record<string, Locked> };
  const locked = components.map(({ name, version }: { name: string; version: string }) =>
    Object.entries(packages).find(
      ([path, one]) => path.endsWith(`node_modules/${name}`) && one.version === version,
    ),
  );
  expect(locked.length).toBeGreaterThan(40);
  expect(locked).not.toContain(undefined);
  expect(locked.filter(([, one]: [string, Locked]) => one.hasInstallScript)).toEqual([]);
});

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1e8 });
const holdsKey = (file: string) => PRIVATE_KEY.test(readFileSync(file, 'latin1'));

it('the package holds no private key', async () => {
  const packed = run('tar', '-tzf', await pack());
  const files = packed.match(/(?<=^package\/).+/gm) ?? [];
  expect(files).toContain('dist/cli.cjs');
  expect(files.filter(holdsKey)).toEqual([]);
});

it('the repository holds no private key', (context) => {
  needs(context, 'git');
  context.skip(!existsSync('.git'), 'this is no clone: there is no .git');
  const files = run('git', '-c', 'safe.directory=*', 'ls-files', '-z').split('\0').filter(Boolean);
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => existsSync(file) && holdsKey(file))).toEqual([]);
});
