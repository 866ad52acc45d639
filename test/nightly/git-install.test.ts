import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';

// It clones, installs and builds the project.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const run = promisify(execFile);

it('npx runs the mock from a Git URL, in a folder without a package', async (context) => {
  needs(context, 'git');
  const folder = temporaryFolder();
  const repository = join(folder, 'momo-mock.git');
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  // What is there now, without the history.
  const git = (...args: string[]) => execFileSync('git', args, { stdio: 'pipe' });
  git('clone', '--quiet', '--bare', '--depth=1', `file://${process.cwd()}`, repository);
  const npx = ['--yes', `--package=git+file://${repository}`, 'momo-mock', '--version'];
  const { stdout } = await run('npx', npx, { cwd: empty });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
