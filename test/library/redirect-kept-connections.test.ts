import dns from 'node:dns';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Agent, get, globalAgent } from 'node:https';
import tls from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startMock } from '../support/mock.ts';
import { startRealServer } from '../support/real-service.ts';

const HOST = 'api.example.com';
const REAL = 418;

/** A server under the name of the real service, at which a client arrives without a redirect. */
async function startUnderName(
  respond: (response: ServerResponse) => unknown = (response) => response.writeHead(REAL).end(),
) {
  const real = await startRealServer((_request, response) => respond(response));
  const { port } = new URL(real.url);
  const { lookup } = dns;
  vi.spyOn(dns, 'lookup').mockImplementation(((name: string, ...rest: never[]) =>
    Reflect.apply(lookup, dns, [name === HOST ? '127.0.0.1' : name, ...rest])) as never);
  return { ...real, port: Number(port), url: `https://${HOST}:${port}/momo/balance?apikey=` };
}

async function statusWith(agent: Agent, url: string): Promise<number> {
  const [response] = await once(get(url, { agent, rejectUnauthorized: false }), 'response');
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

function newAgent(options: object = {}): Agent {
  const agent = new Agent({ keepAlive: true, ...options });
  onTestFinished(() => agent.destroy());
  return agent;
}

async function statusOfFetch(url: string): Promise<number> {
  const response = await fetch(url);
  await response.text();
  return response.status;
}

function trustEverything(): void {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe('a connection that was opened before redirect() is not used again', () => {
  it.each<[string, () => (url: string) => Promise<number>]>([
    [
      'by an agent',
      () => {
        const agent = newAgent();
        return (url) => statusWith(agent, url);
      },
    ],
    ['by the global agent', () => (url) => statusWith(globalAgent, url)],
    [
      'by fetch',
      () => {
        trustEverything();
        return statusOfFetch;
      },
    ],
  ])('%s', async (_client, create) => {
    const [real, mock] = [await startUnderName(), await startMock()];
    const ask = create();
    const url = real.url + mock.apiKey;
    expect([await ask(url), await ask(url)]).toEqual([REAL, REAL]);
    const undo = mock.redirect(HOST);
    expect([await ask(url), await ask(url)]).toEqual([200, 200]);
    expect([real.requests, await mock.requests()]).toMatchObject([{ length: 2 }, { length: 2 }]);
    undo();
    expect(await ask(url)).toBe(REAL);
    expect(Object.hasOwn(tls.TLSSocket.prototype, '_write')).toBe(false);
  });

  it('by a request in the queue of an agent', async () => {
    let arrive: (response: ServerResponse) => void = () => {};
    const arrived = new Promise<ServerResponse>((resolve) => {
      arrive = resolve;
    });
    const real = await startUnderName(arrive);
    const mock = await startMock();
    const agent = newAgent({ maxSockets: 1 });
    const url = real.url + mock.apiKey;
    const first = statusWith(agent, url);
    const response = await arrived;
    mock.redirect(HOST);
    const second = statusWith(agent, url);
    response.writeHead(REAL).end();
    await Promise.allSettled([first]);
    expect(await second).toBe(200);
    expect(real.requests).toHaveLength(1);
  });

  it('by a pool whose handshake was under way', async () => {
    trustEverything();
    const [real, mock] = [await startUnderName(), await startMock()];
    const early = statusOfFetch(real.url + mock.apiKey).catch((error) => error);
    mock.redirect(HOST);
    await early;
    expect(await statusOfFetch(real.url + mock.apiKey)).toBe(200);
    expect(real.requests).toEqual([]);
  });

  it('by a client that writes to it', async () => {
    const [real, mock] = [await startUnderName(), await startMock()];
    const socket = tls.connect({ host: HOST, port: real.port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    mock.redirect(HOST);
    socket.end('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    const [error] = await once(socket, 'error');
    expect(error.message).toMatch(
      /^Failed to use a connection to api\.example\.com: .* redirect\(\)/,
    );
    expect(real.requests).toEqual([]);
  });
});

it('redirect() does not let a client through that saved tls.connect', async () => {
  const { connect } = tls;
  const [real, mock] = [await startUnderName(), await startMock()];
  mock.redirect(HOST);
  const agent = newAgent({});
  Object.assign(agent, { createConnection: connect });
  await expect(statusWith(agent, real.url + mock.apiKey)).rejects.toThrow(
    /^Failed to use a connection to api\.example\.com: /,
  );
  expect(real.requests).toEqual([]);
});

it('redirect() redirects a client that resolves the name itself', async () => {
  const [real, mock] = [await startUnderName(), await startMock()];
  mock.redirect(HOST);
  const url = new URL(real.url + mock.apiKey);
  url.hostname = '127.0.0.1';
  const agent = newAgent({ servername: HOST });
  expect(await statusWith(agent, url.href)).toBe(200);
  expect(real.requests).toEqual([]);
});
