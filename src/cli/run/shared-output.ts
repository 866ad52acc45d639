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
 * If the output is a socket, as under a Node parent process, it cannot be opened twice, and must
 * stay blocking for the command. So `cat` writes the log to it: unlike a thread of this process,
 * `cat` can be ended while a write blocks.
 *
 * @param fd its file descriptor
 */
export async function openSharedOutput(fd: number): Promise<SharedOutput> {
  const throughCat = fstatSync(fd).isSocket() ? openThroughCat(fd) : undefined;
  if (throughCat !== undefined) return throughCat;
  const output = await openLogOutput(fd);
  return { output, close: (until) => output.close(until), kill: () => {} };
}

/** @returns `undefined` if there is no `cat` */
function openThroughCat(fd: number): SharedOutput | undefined {
  // Detached, so that signals to the process group, as from Ctrl-C, do not end it too early.
  const cat = spawn('cat', { stdio: ['pipe', fd, 'ignore'], detached: true });
  const ended = once(cat, 'exit').catch(() => {});
  const { pid, stdin } = cat;
  if (pid === undefined || stdin === null) return undefined;
  stdin.on('error', () => {});
  const destination = new EventEmitter() as EventEmitter & Destination;
  destination.write = (text) => {
    if (stdin.writableLength + text.length > MOST_WAITING) destination.emit('drop');
    else {
      stdin.write(text, (error) => {
        if (error) destination.emit('drop');
        else if (stdin.writableLength === 0) destination.emit('drain');
      });
    }
  };
  const output = new LogOutput(destination);
  const kill = () => void cat.kill('SIGKILL');
  const close = async (until: number) => {
    const timer = setTimeout(kill, patienceUntil(until));
    await output.close(until);
    stdin.end();
    await ended;
    clearTimeout(timer);
  };
  return { output, close, kill };
}
