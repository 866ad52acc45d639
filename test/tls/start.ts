import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';
import { SHARED_FOLDER } from '../support/shared-folder.ts';

/** Bundled into one file: Node 20 runs no TypeScript, and another user may not read node_modules. */
const SCRIPT = join(SHARED_FOLDER, `start-${process.pid}.cjs`);
buildSync({
  stdin: {
    contents: `
      import fs from 'node:fs';
      import { certsDirCertificate } from './src/tls/certs-dir-certificate.ts';
      const { certsDir, hosts, now, halt } = JSON.parse(process.argv[2]);
      const say = (value) => fs.writeSync(1, JSON.stringify(value) + '\\n');
      let before = halt?.before;
      // The calls by which a start changes the folder.
      for (const name of ['mkdirSync', 'writeFileSync', 'chmodSync', 'linkSync', 'renameSync', 'rmSync']) {
        const call = fs[name];
        fs[name] = (path, ...rest) => {
          if (path.startsWith(certsDir) && before-- === 0) {
            if (halt.how === 'killed') process.kill(process.pid, 'SIGKILL');
            say('halted');
            // Goes on with the first byte.
            fs.readSync(3, Buffer.alloc(1));
          }
          return call(path, ...rest);
        };
      }
      certsDirCertificate({ certsDir, hosts, ...(now && { now: new Date(now) }) })
        .catch(({ code, message }) => ({ code, message })).then(say);`,
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
  readonly now?: Date | undefined;
  /** Another user to be, which only root can. */
  readonly uid?: number | undefined;
  /** Halts the process before one of its calls for the folder, counted from 0. */
  readonly halt?: { readonly before: number; readonly how: 'killed' | 'suspended' };
}

/** Starts in a process of its own, as each start of momo-mock does. */
export function start({ uid, hosts = [], ...options }: StartOptions) {
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify({ hosts, ...options })], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('it has an output');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    return done ? undefined : JSON.parse(value);
  };
  const first = next();
  return {
    /** Whether it was halted, when that or the start is over. */
    halted: first.then((said) => said === 'halted'),
    /** `undefined` if it was killed. */
    outcome: first.then(async (said) =>
      said === 'halted' ? await next() : said,
    ) as Promise<Outcome>,
    /** Lets one that is suspended go on. */
    goOn: () => void (child.stdio[3] as NodeJS.WritableStream).write('.'),
  };
}
