import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';
import { SHARED_FOLDER } from '../../support/shared-folder.ts';

/** The calls by which a start changes the folder. */
export const CHANGES: readonly string[] = [
  ...['mkdirSync', 'writeFileSync', 'chmodSync', 'linkSync', 'renameSync', 'rmSync'],
];

/** Bundled into one file: Node 20 runs no TypeScript, and another user may not read node_modules. */
const SCRIPT = join(SHARED_FOLDER, `start-${process.pid}.cjs`);
buildSync({
  stdin: {
    contents: `
      import fs from 'node:fs';
      import { obtainCertificate } from './src/tls/certificate-store.ts';
      import { createInterface } from 'node:readline';
      const say = (value) => fs.writeSync(1, JSON.stringify(value) + '\\n');
      let halt, before, folder;
      for (const name of ${JSON.stringify(CHANGES)}) {
        const call = fs[name];
        fs[name] = (path, ...rest) => {
          if (halt?.calls.includes(name) && path.startsWith(folder) && before-- === 0) {
            say('halted');
            process.kill(process.pid, halt.by);
          }
          return call(path, ...rest);
        };
      }
      createInterface(process.stdin).on('line', async (line) => {
        const { certsDir, hosts, now, ...rest } = JSON.parse(line);
        ({ halt } = rest);
        before = halt?.before;
        folder = certsDir;
        say(await obtainCertificate({ certsDir, hosts, ...(now && { now: new Date(now) }) })
          .catch(({ code, message }) => ({ code, message })));
      });`,
    resolveDir: '.',
  },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  outfile: SCRIPT,
});

/** What a start came to: the certificate, or the code and the message of an error. */
export interface Outcome {
  readonly cert: string;
  readonly key: string;
  readonly file: string | null;
  readonly warning?: string;
  readonly code?: string;
  readonly message?: string;
}

/** How the certificate is obtained. */
export interface StartOptions {
  readonly certsDir: string;
  readonly hosts?: readonly string[];
  readonly now?: Date;
  /** Halts the process by a signal before one of its calls for the folder, counted from 0. */
  readonly halt?: { before: number; by: 'SIGKILL' | 'SIGSTOP'; calls: readonly string[] };
}

/** A start that runs. */
export interface Start {
  /** Resolves when the process is halted, or the start is over: with whether it is halted. */
  readonly halted: Promise<boolean>;
  readonly outcome: Promise<Outcome>;
}

/** A process that makes starts of momo-mock one after another, which is quicker than one for each. */
export interface Starter {
  readonly process: ChildProcess;
  start(options: StartOptions): Start;
  /** Has the process end after its last start. */
  end(): void;
}

/** @param uid another user to be, which only root can */
export function openStarter(uid?: number): Starter {
  const child = spawn(process.execPath, [SCRIPT], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the process has ended');
    return JSON.parse(value);
  };
  return {
    process: child,
    start({ hosts = [], ...options }) {
      child.stdin.write(`${JSON.stringify({ hosts, ...options })}\n`);
      const first = next();
      const halted = first.then((said) => said === 'halted');
      const outcome = first.then((said) => (said === 'halted' ? next() : said));
      outcome.catch(() => {});
      return { halted, outcome };
    },
    end: () => void child.stdin.end(),
  };
}

/** Starts in a process of its own, as each start of momo-mock does. */
export function start({
  uid,
  ...options
}: StartOptions & { uid?: number | undefined }): Start & { process: ChildProcess } {
  const starter = openStarter(uid);
  const started = starter.start(options);
  starter.end();
  return { ...started, process: starter.process };
}

/** A user who owns nothing, for a test that runs as root, whom no mode keeps out. */
export const NOBODY = process.getuid?.() === 0 ? 65534 : undefined;
