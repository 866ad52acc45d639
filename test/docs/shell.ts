import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { type Over, temporaryFolder } from '../support/fixture-folder.ts';
import { copyCertificate } from '../support/shared-folder.ts';
import { ROOT } from './documents.ts';

/** A folder in which `momo-mock` is a command, as it is where the package is installed. */
export interface Shell {
  readonly folder: string;
  /** Runs a line to its end; throws where it fails. */
  run(line: string, env?: Record<string, string>): string;
  /** Starts a line that starts a mock, and waits for its ready record. */
  start(line: string, env?: Record<string, string>): Promise<Ready>;
}

/** The ready record of a mock. */
export interface Ready {
  readonly url: string;
  readonly controlUrl: string;
  readonly certificate: string;
  readonly port: number;
}

/**
 * Makes a shell in a temporary folder.
 *
 * @param over takes what removes it, and what it started. @default onTestFinished
 */
export function openShell(over: Over = onTestFinished): Shell {
  const folder = temporaryFolder(over);
  copyCertificate(folder);
  const command = join(folder, 'momo-mock');
  writeFileSync(command, `#!/bin/sh\nexec node '${join(ROOT, 'dist/cli.cjs')}' "$@"\n`);
  chmodSync(command, 0o755);
  const free = { MOMO_MOCK_PORT: '0', MOMO_MOCK_CONTROL_PORT: '0' };
  const options = (env: Record<string, string>) => ({
    cwd: folder,
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, ...free, ...env },
  });
  return {
    folder,
    run: (line, env = {}) =>
      execFileSync('sh', ['-c', line], { ...options(env), encoding: 'utf8', stdio: 'pipe' }),
    async start(line, env = {}) {
      // A separate process group, so that every part of a pipe can be stopped.
      const child = spawn('sh', ['-c', line], { ...options(env), detached: true });
      over(() => stop(child));
      const printed: string[] = [];
      child.stderr.on('data', (chunk) => printed.push(String(chunk)));
      for await (const text of createInterface(child.stdout)) return JSON.parse(text);
      throw new Error(`${line} ended: ${printed.join('')}`);
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  process.kill(-child.pid, 'SIGTERM');
  await closed;
}
