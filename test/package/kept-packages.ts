import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../docs/documents.ts';
import { NPM } from './installed.ts';

/** Removed by `npm ci`, as all packages are. */
const KEPT = join(ROOT, 'node_modules/.cache/momo-mock-tests');
const FILES = ['node_modules', 'package-lock.json'];

/**
 * Installs packages from npm into an empty folder, or those that an earlier run kept; says whether there
 * are.
 *
 * @param dependencies as in `package.json`
 */
export async function installFromNpm(
  folder: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<boolean> {
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies });
  writeFileSync(join(folder, 'package.json'), manifest);
  if (restorePackages(folder, manifest)) return true;
  const flags = ['install', ...NPM, '--prefer-offline', '--fetch-retries=0'];
  try {
    await promisify(execFile)('npm', flags, { cwd: folder, env: registryEnv() });
  } catch {
    return false;
  }
  keepPackages(folder, manifest);
  return true;
}

/** The reason to skip a test that needs packages of npm. */
export const NO_REGISTRY = 'the npm registry cannot be reached';

/** Puts the packages into a folder that an earlier run of the tests kept; says whether there are. */
export function restorePackages(folder: string, wanted: string): boolean {
  const kept = placeOf(wanted);
  if (!existsSync(kept)) return false;
  copy(kept, folder);
  return true;
}

/**
 * Keeps the packages of a folder for later runs, since npm unpacks them in many seconds.
 *
 * @param wanted says which packages they are: `package.json`, for example
 */
export function keepPackages(folder: string, wanted: string): void {
  const kept = placeOf(wanted);
  mkdirSync(dirname(kept), { recursive: true });
  const draft = mkdtempSync(`${kept}-`);
  copy(folder, draft);
  forgetOwn(draft);
  try {
    renameSync(draft, kept);
  } catch {
    // Another run was first.
    rmSync(draft, { recursive: true });
  }
}

/** Removes momo-mock, of which npm would else install the version of an earlier run. */
function forgetOwn(folder: string): void {
  const own = 'node_modules/momo-mock';
  rmSync(join(folder, own), { recursive: true, force: true });
  const file = join(folder, 'package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  delete lock.packages[own];
  writeFileSync(file, JSON.stringify(lock));
}

function placeOf(wanted: string): string {
  const { platform, arch, version } = process;
  const all = [platform, arch, version, wanted].join('\n');
  return join(KEPT, createHash('sha256').update(all).digest('hex').slice(0, 16));
}

/** With the times of all files, by which npm sees that nobody has changed them. */
function copy(from: string, to: string): void {
  execFileSync('cp', ['-pR', ...FILES.map((name) => join(from, name)), to]);
}

/** The environment for npm where it may have to reach its registry. */
export function registryEnv(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_EXTRA_CA_CERTS: process.env.TEST_EXTRA_CA_CERTS };
}
