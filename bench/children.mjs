// Every process that the benchmark starts, so that none outlives it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const running = new Set();

/** Starts a program, as the head of a process group. Nothing of this environment reaches it. */
export function startChild(command, args, { cwd, env = {}, stdio }) {
  const { PATH, JAVA_HOME = '' } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { PATH, ...(JAVA_HOME && { JAVA_HOME }), HOME: cwd, ...env },
    stdio,
    detached: true,
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
}

/** Ends a program and those that it started. */
export async function killChild(child, signal = 'SIGKILL') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  killGroup(child, signal);
  await ended;
}

function killGroup({ pid }, signal = 'SIGKILL') {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

/** Runs a program to its end. Gives what it wrote. Bounded. */
export async function runChild(command, args, { cwd, env, seconds = 60 }) {
  const child = startChild(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const timer = setTimeout(() => killGroup(child), seconds * 1000);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  if (code === 0) return out;
  const why = signal === null ? `exit status ${code}` : `over after ${seconds} s`;
  throw new Error(`${why}: ${(err || out).trim().split('\n').slice(-3).join(' ').slice(0, 300)}`);
}

process.once('exit', () => {
  for (const child of running) killGroup(child);
});
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
  ['SIGHUP', 1],
]) {
  process.once(signal, () => process.exit(128 + number));
}
