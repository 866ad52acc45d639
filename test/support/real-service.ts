import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { certsDirCertificate } from '../../src/tls/certs-dir-certificate.ts';
import { type Ended, run } from './command-in-process.ts';
import type { Over } from './fixture-folder.ts';
import { FIRST_START } from './shared-folder.ts';

/** The key of a service of {@link startReal}. */
export const KEY = 'real+canary/5e6f7a8b=';

const CERTS = join(FIRST_START, 'certs');

/** The file to trust for these services. */
export const CERTIFICATE = join(CERTS, 'momo-mock.pem');

/** A service that stands in for the real one, and the requests that it got. */
export interface Real {
  /** Its base URL. */
  readonly url: string;
  /** The methods and targets of its requests. */
  readonly requests: readonly string[];
  /** The arguments of a command that reach and trust it. */
  readonly flags: readonly string[];
}

/** The responses of a service by path: a value as JSON, or a function that responds. */
export type Responses = Readonly<Record<string, unknown>>;

/**
 * Starts a service that checks the key as the contract states. It is closed when the test is over.
 *
 * @param responses may change while it runs
 */
export async function startReal(responses: Responses, over?: Over): Promise<Real> {
  return await startRealServer((request, response) => {
    const { pathname, searchParams } = new URL(`${request.url}`, 'https://localhost');
    const own = responses[pathname];
    if (searchParams.get('apikey') !== KEY) {
      sendJson(response, { success: false, code: 'UNAUTHORIZED' }, 401);
    } else if (typeof own === 'function') own(request, response);
    else if (own === undefined) sendJson(response, { code: 'NOT_FOUND' }, 404);
    else sendJson(response, own);
  }, over);
}

/** Starts a service that responds to each request with a function. */
export async function startRealServer(
  listener: RequestListener,
  over: Over = onTestFinished,
): Promise<Real> {
  // It is there, but in a run without the global setup.
  await certsDirCertificate({ certsDir: CERTS, hosts: [] });
  const pair = readFileSync(join(CERTS, 'momo-mock-key.pem'));
  const requests: string[] = [];
  const server = createServer({ key: pair, cert: pair }, (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  over(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const url = `https://localhost:${port}`;
  return { url, requests, flags: flagsFor(url) };
}

function flagsFor(url: string): string[] {
  return ['--real-url', url, '--real-ca-file', CERTIFICATE];
}

/** Sends a value as JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Runs `check` or `record` against a service, with its key. */
export async function runReal(
  command: 'check' | 'record',
  { flags }: Pick<Real, 'flags'>,
  ...more: readonly string[]
): Promise<Ended> {
  return await run([command, ...flags, ...more], { env: { MOMO_MOCK_REAL_KEY: KEY } });
}

/** Responses with headers and a body. */
export function sendText(
  text: string | Buffer,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
  status = 200,
) {
  return (_request: unknown, response: ServerResponse): void => {
    response.writeHead(status, headers).end(text);
  };
}

/**
 * Starts a port that responds to plain HTTP with a text, and passes TLS on to a service.
 *
 * @returns the service, by the address of the port
 */
export async function alsoOverPlainHttp(real: Real, text: string): Promise<Real> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      // A handshake of TLS begins with 22.
      if (bytes[0] !== 22) return socket.end(text);
      const inner = connect(Number(new URL(real.url).port), '127.0.0.1');
      inner.on('error', () => {});
      inner.write(bytes);
      return socket.pipe(inner).pipe(socket);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  return { ...real, url, flags: flagsFor(url) };
}
