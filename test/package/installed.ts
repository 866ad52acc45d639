import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onceForAll } from '../support/shared-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
/**
 * Flags for npm, without the scripts of packages: the build is there already, and another in its
 * midst would disturb other tests.
 */
export const NPM = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** A project of somebody else, with the packed package installed in it. */
export interface Project {
  readonly folder: string;
  /** Writes a file of the project. */
  write(path: string, text: string): void;
  /** Runs a program of Node in it, to its end; throws where it fails. */
  node(...args: string[]): Promise<{ stdout: string; stderr: string }>;
}

/** A project that has nothing but what is built, installed, in a folder that it makes in `parent`. */
export async function installedPackage(parent: string): Promise<Project> {
  const folder = join(parent, 'shop');
  const project: Project = {
    folder,
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    node: (...args) => run(process.execPath, args, { cwd: folder, env: cleanEnv() }),
  };
  const installed = await onceForAll('installed', async (into) => {
    const text = '{ "name": "shop", "private": true, "type": "module" }';
    writeFileSync(join(into, 'package.json'), text);
    await run('npm', ['install', await pack(), ...NPM, '--offline'], { cwd: into });
  });
  cpSync(installed, folder, { recursive: true, verbatimSymlinks: true });
  return project;
}

/** Packs what is built, once for all tests of a run; gives the path of the tarball. */
export async function pack(): Promise<string> {
  const folder = await onceForAll('packed', async (into) => {
    await run('npm', ['pack', ...NPM, '--pack-destination', into], { cwd: ROOT });
  });
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
}

/**
 * Puts a package that this project develops with beside it, as if it were installed, too; gives a
 * function that removes it.
 */
export function putBeside({ folder }: Project, name: string): () => void {
  const link = join(folder, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), link);
  return () => rmSync(link);
}

/** The path of a program in a package that this project develops with. */
export function toolOf(path: string): string {
  return join(ROOT, 'node_modules', path);
}

/** The environment without what npm and vitest say to what they run. */
export function cleanEnv(): NodeJS.ProcessEnv {
  const all = Object.entries(process.env);
  return Object.fromEntries(
    all.filter(([name]) => !/^(npm_|INIT_CWD$|VITEST|TEST$|NODE_ENV$)/.test(name)),
  );
}
