import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { temporaryFolder } from './fixture-folder.ts';

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
  /** Variables in addition to those of this process; `undefined` for none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether its outputs are a terminal. @default false */
  readonly isTerminal?: boolean;
  /** The width of the terminal. @default 80 */
  readonly columns?: number;
  /** Whether the terminal has colours. @default false */
  readonly hasColors?: boolean;
}

/**
 * Runs a command in this process. Its working folder is the one of the process, so a test gives all
 * folders that it writes to. Its outputs are files, since logs are written to their descriptors.
 */
export function start(
  args: readonly string[],
  { env = {}, isTerminal = false, columns = 80, hasColors = false }: Call = {},
): Running {
  const folder = temporaryFolder();
  const outputs = [
    divert(process.stdout, join(folder, 'stdout'), { isTTY: isTerminal, columns, hasColors }),
    divert(process.stderr, join(folder, 'stderr'), { isTTY: false, columns, hasColors }),
  ] as const;
  const events = ['uncaughtException', 'unhandledRejection'];
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
  const listeners = [...events, ...signals].map(
    (name) => [name, process.listeners(name as never)] as const,
  );
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const [stdout, stderr] = outputs.map(({ text }) => text) as [() => string, () => string];
  const restore = () => {
    for (const output of outputs) output.restore();
    for (const [name, before] of listeners) removeOthers(process, name, before);
    vi.unstubAllEnvs();
  };
  onTestFinished(restore);
  const ended = main(args)
    .then((code) => ({ code, stdout: stdout(), stderr: stderr() }))
    .finally(restore);
  return { ended, output: () => stdout() + stderr() };
}

/** What an output is. */
type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> & { readonly hasColors: boolean };

/** Has an output of the process go to a file. */
function divert(stream: NodeJS.WriteStream, file: string, { hasColors, ...output }: Output) {
  const fd = openSync(file, 'a');
  const write = vi
    .spyOn(stream, 'write')
    .mockImplementation((text) => writeSync(fd, `${text}`) > 0);
  const before = ['fd', 'isTTY', 'columns', 'hasColors'].map(
    (name) => [name, Object.getOwnPropertyDescriptor(stream, name)] as const,
  );
  for (const [name, value] of Object.entries({ ...output, fd, hasColors: () => hasColors })) {
    Object.defineProperty(stream, name, { value, configurable: true });
  }
  const listeners = stream.listeners('error');
  let isOpen = true;
  const restore = () => {
    if (!isOpen) return;
    isOpen = false;
    removeOthers(stream, 'error', listeners);
    write.mockRestore();
    for (const [name, property = { value: undefined, configurable: true }] of before) {
      Object.defineProperty(stream, name, property);
    }
    closeSync(fd);
  };
  return { text: () => readFileSync(file, 'utf8'), restore };
}

/** Removes the listeners that a command added: it ends with its process, and leaves them there. */
function removeOthers(from: NodeJS.EventEmitter, event: string, before: readonly unknown[]): void {
  for (const added of from.listeners(event) as (() => void)[]) {
    if (!before.includes(added)) from.off(event, added);
  }
}

/** Runs a command in this process to its end. */
export async function run(args: readonly string[], call?: Call): Promise<Ended> {
  return await start(args, call).ended;
}
