import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnv, NPM, pack } from '../package/installed.ts';
import { keepPackages, registryEnv, restorePackages } from '../package/kept-packages.ts';
import { QUICK_JAVA } from '../support/quick-java.ts';
import { EXAMPLES, filesOf, PROJECTS } from './recipe.ts';

const run = promisify(execFile);

/** Those that give a test 5 s, of which a busy machine may need more. */
const RUNNER = /\b(vitest run|vm-modules jest)\b/;

/** How a line of shell ended: with everything that it said. */
export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** Copies of all examples, with the packed package and all else that they need from npm. */
export interface Workshop {
  /** Whether the npm registry could not be reached, so that nothing is installed. */
  readonly isOffline: boolean;
  /** Runs a line of shell in the copy of an example. */
  run(recipe: string, line: string): Promise<Outcome>;
}

/** Makes the copies in an empty folder. */
export async function openWorkshop(folder: string): Promise<Workshop> {
  const tarball = await pack();
  for (const project of PROJECTS) {
    mkdirSync(join(folder, project));
    for (const file of filesOf(project)) {
      const text = readFileSync(join(EXAMPLES, project, file), 'utf8');
      const own = text.replace('file:../..', `file:${tarball}`);
      writeFileSync(join(folder, project, file), own.replace(RUNNER, '$& --testTimeout=60000'));
    }
  }
  // What all of them need, in one installation. Only momo-mock itself is new in each run.
  const workspaces = PROJECTS.filter((project) => filesOf(project).includes('package.json'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, workspaces }));
  const wanted = workspaces.map((project) => readFileSync(join(EXAMPLES, project, 'package.json')));
  const areKept = restorePackages(folder, wanted.join());
  const isOffline = await run('npm', ['install', ...NPM, '--prefer-offline', '--fetch-retries=0'], {
    cwd: folder,
    env: registryEnv(),
  }).then(() => false, unreachable);
  if (!areKept && !isOffline) keepPackages(folder, wanted.join());
  // Test runners keep files in the temporary folder.
  const env = {
    ...cleanEnv(),
    TMPDIR: folder,
    NO_COLOR: '1',
    PATH: pathWith(join(folder, 'bin')),
    JAVA_TOOL_OPTIONS: QUICK_JAVA.join(' '),
  };
  return {
    isOffline,
    run: async (recipe, line) => {
      const all = `exec 2>&1; ${line}`;
      const ran = run('sh', ['-c', all], { cwd: join(folder, recipe), env });
      return await ran.then(
        ({ stdout }) => ({ code: 0, output: stdout }),
        ({ code, stdout }) => ({ code, output: stdout }),
      );
    },
  };
}

/** Whether npm failed since there is no network; throws what it failed for otherwise. */
function unreachable(error: Error): true {
  if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH)\b/.test(error.message)) return true;
  throw error;
}

/**
 * The PATH, on which the first python3 is one that has what the recipe needs, if there is one.
 *
 * @param bin the folder to make for it
 */
export function pathWith(bin: string): string {
  const path = process.env.PATH ?? '';
  mkdirSync(bin);
  const python = path
    .split(delimiter)
    .map((place) => join(place, 'python3'))
    .find((program) => succeeds(program, '-c', 'import pytest, requests'));
  // No link, since a virtual environment is told by the place of its python3.
  if (python)
    writeFileSync(join(bin, 'python3'), `#!/bin/sh\nexec '${python}' "$@"\n`, { mode: 0o755 });
  return [bin, path].join(delimiter);
}

function succeeds(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
