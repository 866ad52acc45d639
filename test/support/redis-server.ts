import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { type Over, temporaryFolder } from './fixture-folder.ts';
import { freePort } from './free-port.ts';

export { freePort };

/** A server of Redis or Valkey. */
export interface RedisServer {
  readonly url: string;
  /** Sends a command on a connection of its own. */
  send(...command: string[]): Promise<unknown>;
  /** Sends a command with a password. */
  sendAs(password: string): (...command: string[]) => Promise<unknown>;
  /** Lets it hang, with its connections open. */
  pause(): void;
  resume(): void;
  /** Ends it without saving anything. */
  stop(): Promise<void>;
}

/** Starts a server on a free port, which ends when `over` says so. */
export async function startRedis(over: Over, ...more: string[]): Promise<RedisServer> {
  const [, given] = more.slice(more.indexOf('--port'));
  const port = more.includes('--port') ? Number(given) : await freePort();
  const dir = temporaryFolder(over);
  const own = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', dir];
  const child = spawn('redis-server', [...own, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  over(stop);
  for await (const line of createInterface(child.stdout)) {
    if (line.includes('Ready to accept connections')) {
      child.stdout.resume();
      const url = `redis://127.0.0.1:${port}`;
      const pause = () => void child.kill('SIGSTOP');
      const resume = () => void child.kill('SIGCONT');
      const sendAs =
        (password: string) =>
        (...command: string[]) =>
          send(`redis://:${password}@127.0.0.1:${port}`, command);
      return { url, send: (...command) => send(url, command), sendAs, pause, resume, stop };
    }
  }
  throw new Error('redis-server did not start');
}

async function send(url: string, [name = '', ...args]: string[]): Promise<unknown> {
  const redis = new Redis(url);
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}

/** A way to a server on which each answer takes a time in ms. */
export async function slowly(url: string, ms: number, over: Over): Promise<string> {
  const { port: target } = new URL(url);
  const server = createServer((client) => {
    const upstream = connect(Number(target), '127.0.0.1');
    client.pipe(upstream);
    upstream.on('data', (data) => setTimeout(() => client.writable && client.write(data), ms));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  over(() => void server.close());
  return `redis://127.0.0.1:${(server.address() as { port: number }).port}`;
}
