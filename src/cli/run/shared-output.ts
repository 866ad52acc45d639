import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fstatSync } from 'node:fs';
import {
  type Destination,
  LogOutput,
  MOST_WAITING,
  openLogOutput,
  patienceUntil,
} from '../../log-output.ts';

/** An output that the log of `run` shares with the command. */
export interface SharedOutput {
  readonly output: LogOutput;
  /** Writes the waiting lines. @param until when it gives up, as a value of `performance.now()` */
  close(until: number): Promise<void>;
  /** Closes it immediately. */
  kill(): void;
}

/**
 * Opens an output that the log shares with the command.
 *
 * If the output is a socket, as under a Node parent process, it cannot be opened twice. Whether it
 * blocks changes for all who write to it: a command in Node makes it non-blocking. So another process
 * of Node, which can handle both, writes the log to it: unlike a thread of this process, it can be
 * ended while a write blocks.
 *
 * @param fd its file descriptor
 */
export async function openSharedOutput(fd: number): Promise<SharedOutput> {
  const throughWriter = fstatSync(fd).isSocket() ? openThroughWriter(fd) : undefined;
  if (throughWriter !== undefined) return throughWriter;
  const output = await openLogOutput(fd);
  return { output, close: (until) => output.close(until), kill: () => {} };
}

/** @returns `undefined` if no process can be started */
function openThroughWriter(fd: number): SharedOutput | undefined {
  const writer = spawn(process.execPath, ['-e', 'process.stdin.pipe(process.stdout)'], {
    stdio: ['pipe', fd, 'ignore'],
    // NODE_OPTIONS are for the command.
    env: {},
    // So that signals to the process group, as from Ctrl-C, do not end it too early.
    detached: true,
  });
  const ended = once(writer, 'exit').catch(() => {});
  const { pid, stdin } = writer;
  if (pid === undefined || stdin === null) return undefined;
  stdin.on('error', () => {});
  const destination = new EventEmitter() as EventEmitter & Destination;
  destination.write = (text) => {
    if (stdin.writableLength + text.length > MOST_WAITING) destination.emit('drop', text);
    else {
      stdin.write(text, (error) => {
        if (error) destination.emit('drop', text);
        else if (stdin.writableLength === 0) destination.emit('drain');
      });
    }
  };
  const output = new LogOutput(destination);
  const kill = () => void writer.kill('SIGKILL');
  const close = async (until: number) => {
    const timer = setTimeout(kill, patienceUntil(until));
    await output.close(until);
    stdin.end();
    await ended;
    clearTimeout(timer);
  };
  return { output, close, kill };
}
