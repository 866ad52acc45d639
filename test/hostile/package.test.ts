import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PRIVATE_KEY } from './private-key.ts';

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

it('no run-time dependency has an install script', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const runTime = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  expect(runTime.length).toBeGreaterThan(20);
  expect(runTime.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
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
