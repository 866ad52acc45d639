import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** A project of somebody else, with the packed package installed in it. */
export interface Project {
  readonly folder: string;
  /** Writes a file of the project. */
  write(path: string, text: string): void;
  /** Runs a program of Node in it, to its end; throws where it fails. */
  node(...args: string[]): Promise<{ stdout: string; stderr: string }>;
}

/** Packs what is built, as it would be published, and installs it in an empty project. */
export async function installedPackage(): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'momo-package-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const npm = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const packed = await run('npm', ['pack', ...npm, '--json', '--pack-destination', folder], {
    cwd: ROOT,
  });
  // An array until npm 11, by package name since npm 12.
  const [{ filename }] = Object.values(JSON.parse(packed.stdout)) as [{ filename: string }];
  const project: Project = {
    folder,
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    node: (...args) => run(process.execPath, args, { cwd: folder, env: cleanEnv() }),
  };
  project.write('package.json', '{ "name": "shop", "private": true, "type": "module" }');
  const install = ['install', '--prefer-offline', '--omit=peer', ...npm, join(folder, filename)];
  await run('npm', install, { cwd: folder });
  return project;
}

/** Puts a package that this project develops with beside it, as if it were installed, too. */
export function putBeside({ folder }: Project, name: string): void {
  const link = join(folder, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), link);
}

/** The path of a program in a package that this project develops with. */
export function toolOf(path: string): string {
  return join(ROOT, 'node_modules', path);
}

/** The environment without what vitest says to its own workers. */
function cleanEnv(): NodeJS.ProcessEnv {
  const all = Object.entries(process.env);
  return Object.fromEntries(all.filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$)/.test(name)));
}
