import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { certsDirCertificate } from '../../src/tls/certs-dir-certificate.ts';
import { endProcess, makeRunFolder, processesOf } from './run-folder.mjs';

/**
 * Builds what tests of the command run, unless TEST_BUILD is `none`, and gives the run a temporary folder of its own. The run
 * fails where anything is left when it ends: a file, a process, or a key in `certs`.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const { TEST_BUILD: script = 'build' } = process.env;
  if (script !== 'none') execFileSync('npm', ['run', '--silent', script], { stdio: 'inherit' });
  const parent = makeRunFolder('momo-mock-tests-');
  const folder = join(parent, 'tmp');
  mkdirSync(folder);
  // Tests as another user take the way through it.
  chmodSync(parent, 0o755);
  process.env.TMPDIR = folder;
  process.env.TEST_SHARED_FOLDER = parent;
  if (!isWritable(process.env.HOME)) {
    process.env.HOME = parent;
    // What npm made of that.
    delete process.env.npm_config_cache;
  }
  // Each process of Node reads it, longer than it takes to start. npm alone needs it.
  process.env.TEST_EXTRA_CA_CERTS = process.env.NODE_EXTRA_CA_CERTS ?? '';
  delete process.env.NODE_EXTRA_CA_CERTS;
  // As in docs/recipes/go.md, so that Go compiles what it brings along once for all tests.
  process.env.CGO_ENABLED ??= '0';
  // From Node 22 on, npm keeps compiled code in the temporary folder.
  process.env.NODE_DISABLE_COMPILE_CACHE = '1';
  await certsDirCertificate({ certsDir: join(parent, 'first-start/certs'), hosts: [] });
  const certs = readdirSync('certs');

  return async () => {
    const processes = await leftProcesses(folder);
    const left = [
      ...readdirSync(folder).map((name) => join(folder, name)),
      ...readdirSync('certs').filter((name) => !certs.includes(name)),
      ...processes.map((pid) => `process ${pid}: ${commandOf(pid)}`),
    ];
    for (const pid of processes) endProcess(pid);
    rmSync(parent, { recursive: true, force: true });
    if (left.length === 0) return;
    process.stderr.write(`The tests left behind:\n  ${left.join('\n  ')}\n`);
    process.exitCode = 1;
  };
}

function isWritable(folder = ''): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The processes that tests left: those that have the folder in their environment, or work in it. */
async function leftProcesses(folder: string): Promise<string[]> {
  // Those that were told to end get ten seconds for it.
  for (let tries = 0; ; tries++) {
    const left = processesOf(folder);
    if (left.length === 0 || tries === 100) return left;
    await sleep(100);
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '(ended)';
  }
}
