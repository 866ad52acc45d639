import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChild } from '../children.mjs';

/** Where peers stay between runs, out of the project. */
const CACHE = join(tmpdir(), 'momo-mock-bench');

/**
 * Fetches a peer in its one version from npm, unless it is there. None of its scripts are run.
 *
 * @returns the folder that it is installed in
 */
export async function fetchPeer({ name, version }) {
  const folder = join(CACHE, `${name}-${version}`.replaceAll(/[@/]+/g, '-').replace(/^-/, ''));
  if (existsSync(folder)) return folder;
  const scratch = `${folder}.${process.pid}`;
  mkdirSync(scratch, { recursive: true });
  try {
    writeFileSync(join(scratch, 'package.json'), '{"private":true}');
    const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
    const args = ['install', ...flags, `${name}@${version}`];
    await runChild('npm', args, { cwd: scratch, env: process.env, seconds: 300 });
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}
