import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { main } from '../../src/cli/main.ts';

/** What a command that has ended wrote, and its exit code. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs in this process. */
export interface Running {
  readonly ended: Promise<Ended>;
  /** All that was written so far to both outputs. */
  readonly output: () => string;
}

/** How a command is called in this process. */
export interface Call {
  readonly env?: Readonly<Record<string, string>>;
  /** Whether its outputs are a terminal. @default false */
  readonly isTerminal?: boolean;
}

/**
 * Runs a command in this process. Its working folder is the one of the process, so a test gives all
 * folders that it writes to. What it writes through pino's file descriptor is not caught.
 */
export function start(
  args: readonly string[],
  { env = {}, isTerminal = false }: Call = {},
): Running {
  let [stdout, stderr] = ['', ''];
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += text;
    return true;
  });
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text;
    return true;
  });
  const { isTTY, columns, hasColors } = process.stdout;
  Object.assign(process.stdout, { isTTY: isTerminal, columns: 80, hasColors: () => false });
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const restore = () => {
    out.mockRestore();
    err.mockRestore();
    Object.assign(process.stdout, { isTTY, columns, hasColors });
    vi.unstubAllEnvs();
  };
  onTestFinished(restore);
  const ended = main(args)
    .then((code) => ({ code, stdout, stderr }))
    .finally(restore);
  return { ended, output: () => stdout + stderr };
}

/** Runs a command in this process to its end. */
export async function run(args: readonly string[], call?: Call): Promise<Ended> {
  return await start(args, call).ended;
}

/** An empty folder, which is removed when the test is over. */
export function emptyFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'momo-mock-cli-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
