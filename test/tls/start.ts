import { type ChildProcess, spawn } from 'node:child_process';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';
import { SHARED_FOLDER } from '../shared-folder.ts';

/** Bundled into one file: Node 20 runs no TypeScript, and another user may not read node_modules. */
const SCRIPT = join(SHARED_FOLDER, `start-${process.pid}.cjs`);
buildSync({
  stdin: {
    contents: `
      import fs from 'node:fs';
      import { obtainCertificate } from './src/tls/certificate-store.ts';
      const { certsDir, hosts, now, halt } = JSON.parse(process.argv[2]);
      let { before, calls = [] } = halt ?? {};
      for (const name of calls) {
        const call = fs[name];
        fs[name] = (path, ...rest) => {
          if (path.startsWith(certsDir) && before-- === 0) {
            fs.writeSync(1, ' ');
            process.kill(process.pid, halt.by);
          }
          return call(path, ...rest);
        };
      }
      obtainCertificate({ certsDir, hosts, ...(now && { now: new Date(now) }) })
        .catch(({ code, message }) => ({ code, message }))
        .then((outcome) => console.log(JSON.stringify(outcome)));`,
    resolveDir: '.',
  },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  outfile: SCRIPT,
});

/** The calls by which a start changes the folder. */
export const CHANGES: readonly string[] = [
  ...['mkdirSync', 'writeFileSync', 'chmodSync', 'renameSync', 'rmSync', 'rmdirSync'],
];

/** What a start came to: the certificate, or the code and the message of an error. */
export interface Outcome {
  readonly cert: string;
  readonly key: string;
  readonly file: string | null;
  readonly warning?: string;
  readonly code?: string;
  readonly message?: string;
}

/** A process that obtains the certificate, as each start of momo-mock does. */
export function start(options: {
  certsDir: string;
  hosts?: readonly string[];
  now?: Date;
  /** Another user to be, which only root can. */
  uid?: number | undefined;
  /** Halts the process by a signal before one of its calls for the folder, counted from 0. */
  halt?: { before: number; by: 'SIGKILL' | 'SIGSTOP'; calls: readonly string[] };
}): { process: ChildProcess; halted: Promise<boolean>; outcome: Promise<Outcome> } {
  const { certsDir, hosts = [], now, uid, halt } = options;
  const input = JSON.stringify({ certsDir, hosts, now, halt });
  const child = spawn(process.execPath, [SCRIPT, input], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const halted = new Promise<boolean>((done) => {
    child.stdout.once('data', (chunk) => done(String(chunk) === ' '));
  });
  const outcome = text(child.stdout).then((line) => JSON.parse(line));
  return { process: child, halted, outcome };
}

/** Makes the lock of a halted process as old as if it had been halted a minute ago. */
export function ageLock(certsDir: string): void {
  const then = new Date(Date.now() - 60_000);
  try {
    utimesSync(join(certsDir, '.momo-mock.lock'), then, then);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** A user who owns nothing, for a test that runs as root, whom no mode keeps out. */
export const NOBODY = process.getuid?.() === 0 ? 65534 : undefined;
