import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PRIVATE_KEY } from './private-key.ts';

interface Locked {
  readonly version?: string;
  readonly hasInstallScript?: boolean;
}

const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

it('an install runs nothing and brings nothing else along', () => {
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

it('neither the repository nor the package holds a private key', () => {
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1e8 });
  const [packed] = Object.values(
    JSON.parse(run('npm', 'pack', '--dry-run', '--ignore-scripts', '--json')),
  ) as [{ files: { path: string }[] }];
  const files = new Set([
    ...packed.files.map(({ path }) => path),
    ...run('git', 'ls-files', '-z').split('\0').filter(Boolean),
  ]);
  expect(files.size).toBeGreaterThan(100);
  const holding = [...files].filter((file) => PRIVATE_KEY.test(readFileSync(file, 'latin1')));
  expect(holding).toEqual([]);
});
