import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

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

/** Installs what is built in an empty project, for which it makes a folder in `parent`. */
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
  project.write('package.json', '{ "name": "shop", "private": true, "type": "module" }');
  await run('npm', ['install', await pack(parent), ...NPM, '--offline'], { cwd: folder });
  return project;
}

/** Packs what is built; gives the path of the tarball. */
export async function pack(into: string): Promise<string> {
  const args = ['pack', ...NPM, '--json', '--pack-destination', into];
  const { stdout } = await run('npm', args, { cwd: ROOT });
  // An array until npm 11, by package name since npm 12.
  const [{ filename }] = Object.values(JSON.parse(stdout)) as [{ filename: string }];
  return join(into, filename);
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
