import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';

/** Node 20 runs no TypeScript. */
const { outputFiles } = buildSync({
  entryPoints: ['src/tls/certificate.ts'],
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  write: false,
});
const SCRIPT = `${outputFiles[0]?.text}
  const { certsDir, hosts, now } = JSON.parse(process.argv[1]);
  const started = obtainCertificate({ certsDir, hosts, ...(now && { now: new Date(now) }) });
  console.log(JSON.stringify(await started.catch(({ code, message }) => ({ code, message }))));
`;

/** What a start came to: the certificate, or the code and the message of an error. */
export interface Outcome {
  readonly cert: string;
  readonly key: string;
  readonly file: string | null;
  readonly warning?: string;
  readonly code?: string;
  readonly message?: string;
}

/** A process of its own that obtains the certificate, as each start of momo-mock does. */
export function start(options: {
  certsDir: string;
  hosts?: readonly string[];
  now?: Date;
  /** Another user to be, which only root can. */
  uid?: number | undefined;
}): { process: ChildProcess; outcome: Promise<Outcome> } {
  const { certsDir, hosts = [], now, uid } = options;
  const input = JSON.stringify({ certsDir, hosts, now });
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, input], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  return { process: child, outcome: text(child.stdout).then((line) => JSON.parse(line)) };
}

/** A user who owns nothing, for a test that runs as root, whom no mode keeps out. */
export const NOBODY = process.getuid?.() === 0 ? 65534 : undefined;
