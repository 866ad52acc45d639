import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  execFileSync,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './fixture-folder.ts';
import { copyCertificate } from './shared-folder.ts';

/** The path of the built command. */
export const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));

/** What others take by themselves; it is for `momo-mock run`, which would make a certificate. */
const KEPT = { MOMO_MOCK_CERTS_DIR: 'certs' };

/** How a command is called. */
export interface CommandOptions {
  /** @default the one in dist */
  readonly cli?: string;
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly stdin?: string;
  readonly uid?: number;
  /** How many files it may have open. */
  readonly openFiles?: number;
}

/** What a command that has ended said. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The record that a mock writes once it is ready. */
export interface Ready {
  readonly url: string;
  readonly controlUrl: string | null;
  readonly certificate: string | null;
  readonly port: number;
}

/** A command that runs. */
export interface Spawned {
  readonly child: ChildProcessWithoutNullStreams;
  readonly cwd: string;
  /** Resolves with the first line of standard output. */
  readonly ready: Promise<Ready>;
  readonly ended: Promise<Ended>;
  /** All that was written so far to both outputs. */
  readonly output: () => string;
}

/** Copies the built program to where any user may read it. Returns the path of its command. */
export async function programForAnyUser(): Promise<string> {
  const program = temporaryFolder();
  chmodSync(program, 0o755);
  for (const part of ['dist', 'fixtures', 'presets', 'package.json']) {
    cpSync(part, join(program, part), { recursive: true });
  }
  return join(program, 'dist/cli.cjs');
}

/** A folder in which a mock was started before: a certificate takes most of the first start. */
export function usedFolder(): string {
  const folder = temporaryFolder();
  copyCertificate(folder);
  return folder;
}

/** Starts the built command in a used folder of its own; it is killed when the test is over. */
export async function spawnCommand(args: string[], options: CommandOptions = {}): Promise<Spawned> {
  const { cli = CLI, env = {}, stdin = '', uid, openFiles } = options;
  const cwd = options.cwd ?? usedFolder();
  const command = [process.execPath, cli, ...args];
  if (openFiles !== undefined)
    command.unshift('sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, '-');
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd,
    env: { PATH: process.env.PATH, ...(options.cwd === undefined && KEPT), ...env },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }));
  const firstLine = new Promise<string>((done, fail) => {
    child.stdout.on('data', () => {
      if (stdout.includes('\n')) done(stdout.slice(0, stdout.indexOf('\n')));
    });
    child.once('close', () => fail(new Error(`it ended: ${stdout}${stderr}`)));
  });
  const ready = firstLine.then((line): Ready => JSON.parse(line));
  ready.catch(() => {});
  return { child, cwd, ready, ended, output: () => stdout + stderr };
}

/** What a client of a started mock needs. */
export async function clientOf(ready: Promise<Ready>, apiKey = 'momo_test_key') {
  const { url, certificate } = await ready;
  return { url, ca: readFileSync(certificate ?? '', 'utf8'), apiKey };
}

/** Runs the built command to its end. */
export async function runCommand(args: string[], options: CommandOptions = {}): Promise<Ended> {
  return await (await spawnCommand(args, options)).ended;
}

/**
 * Starts the built command, which then waits for its keys in the middle of its start.
 *
 * @param command makes its arguments of the flags that say where the keys are
 * @returns with what the keys are written to
 */
export async function spawnWaitingForKeys(
  command: (flags: string[]) => string[],
  options: CommandOptions = {},
): Promise<Spawned & { keys: FileHandle }> {
  const cwd = usedFolder();
  execFileSync('mkfifo', [join(cwd, 'keys')]);
  const spawned = await spawnCommand(command(['--api-keys-file', 'keys']), { ...options, cwd });
  // Can be opened when the other side is being read.
  const keys = await open(join(cwd, 'keys'), 'w');
  onTestFinished(() => keys.close());
  return { ...spawned, keys };
}

/** Sends a signal again and again, so that the process sees it as more than one. */
export function signalUntilEnded(child: ChildProcess, signal: NodeJS.Signals): void {
  child.kill(signal);
  const again = setInterval(() => child.kill(signal), 200);
  onTestFinished(() => clearInterval(again));
}

/** Flags for a mock on free ports. */
export const FREE_PORTS = ['--port', '0', '--control-port', '0'];
