import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  connectMomoMock,
  type MomoMock,
  type StartOptions,
  startMomoMock,
} from '../support/momo-mock.ts';
import { get } from './client.ts';

const UNREACHABLE = 'MOMO_MOCK_CONTROL_UNREACHABLE';

async function started(options: StartOptions = {}): Promise<MomoMock & { controlUrl: string }> {
  const mock = await startMomoMock({ control: true, ...options });
  onTestFinished(() => mock.close());
  return mock as MomoMock & { controlUrl: string };
}

/** Something else that answers on plain HTTP. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, 'localhost');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

/** What answers as momo-mock does, but for one thing. */
function answering(health: object, certificate = '-----BEGIN CERTIFICATE-----'): RequestListener {
  return ({ url }, response) =>
    response.end(url === '/certificate' ? certificate : JSON.stringify(health));
}

describe('what cannot be connected to', () => {
  it('nobody listens', async () => {
    const { controlUrl, close } = await started();
    await close();
    await expect(connectMomoMock(controlUrl)).rejects.toMatchObject({
      name: 'MomoMockError',
      code: UNREACHABLE,
      message: `Failed to use the control API at ${controlUrl}: ECONNREFUSED. Check that momo-mock is running and its control API is on.`,
    });
  });

  it.each<[string, RequestListener]>([
    ['a web page', (_request, response) => response.end('<h1>It works!</h1>')],
    ['other JSON', (_request, response) => response.end('{"ready":true}')],
    ['null', (_request, response) => response.end('null')],
    ['404', (_request, response) => response.writeHead(404).end('not found')],
    ['503', (_request, response) => response.writeHead(503).end('{"error":{"code":503}}')],
    [
      'a redirection',
      (_request, response) => response.writeHead(302, { location: 'http://localhost:8480' }).end(),
    ],
    ['JSON with a URL that is none', answering({ url: 5 })],
    ['JSON with a path for a URL', answering({ url: '/momo' })],
    ['JSON without a certificate', answering({ url: 'https://localhost:1' }, 'none')],
  ])('%s answers', async (_what, listener) => {
    await expect(connectMomoMock(await serving(listener))).rejects.toMatchObject({
      code: UNREACHABLE,
      message: expect.stringContaining('another program answers there'),
    });
  });

  it('a server refuses by its own rules', async () => {
    const error = { code: 'MOMO_MOCK_HOST_REFUSED', message: 'Failed to answer: why. Do this.' };
    const url = await serving((_request, response) =>
      response.writeHead(403).end(JSON.stringify({ error })),
    );
    await expect(connectMomoMock(url)).rejects.toMatchObject({
      code: UNREACHABLE,
      message: `Failed to use the control API at ${url}: ${error.code}. ${error.message}`,
    });
  });

  it('a connection breaks', async () => {
    const url = await serving((request) => request.socket.destroy());
    await expect(connectMomoMock(url)).rejects.toMatchObject({ code: UNREACHABLE });
  });

  it('the service is there, not its control API', async () => {
    const { url } = await started();
    await expect(connectMomoMock(url)).rejects.toMatchObject({ code: UNREACHABLE });
  });

  it.each([
    'localhost:8480',
    '',
    'ftp://localhost',
    'xhttp://localhost',
    'httpx://localhost',
    'http://me:secret-one@localhost:8480',
  ])('the URL is %j', async (url) => {
    await expect(connectMomoMock(url)).rejects.toMatchObject({
      code: UNREACHABLE,
      message:
        'Failed to connect: controlUrl is not the URL of a control API. Use one such as http://localhost:8480.',
    });
  });
});

describe('the token', () => {
  it('opens the control API', async () => {
    const { controlUrl, url } = await started({ control: { token: 'open-sesame' } });
    await using mock = await connectMomoMock(controlUrl, { token: 'open-sesame' });
    expect(mock.url).toBe(url);
    expect((await get(mock)).status).toBe(200);
  });

  it.each<[object, string]>([
    [{}, 'the token is missing'],
    [{ token: 'secret-one' }, 'the token is wrong'],
  ])('%j is refused by a sentence', async (options, why) => {
    const { controlUrl } = await started({ control: { token: 'open-sesame' } });
    await expect(connectMomoMock(controlUrl, options)).rejects.toMatchObject({
      code: UNREACHABLE,
      message: `Failed to use the control API at ${controlUrl}: ${why}. Set the option token to its MOMO_MOCK_CONTROL_TOKEN.`,
    });
  });
});

describe('the key', () => {
  it('is of an account that is made for it, and gone after close', async () => {
    const server = await started();
    const [one, other] = [
      await connectMomoMock(server.controlUrl),
      await connectMomoMock(server.controlUrl),
    ];
    expect(new Set([server.apikey, one.apikey, other.apikey]).size).toBe(3);
    await other.close();
    expect((await get(one)).status).toBe(200);
    expect((await get(other)).status).toBe(401);
    await one.close();
  });

  it('is the one given, and good after close', async () => {
    const { controlUrl, apikey } = await started();
    const mock = await connectMomoMock(controlUrl, { apikey });
    await mock.reset();
    await mock.close();
    expect(mock.apikey).toBe(apikey);
    expect((await get(mock)).status).toBe(200);
  });

  it.each<[object, string]>([
    [{ apikey: 'secret-one' }, 'MOMO_MOCK_ACCOUNT_UNKNOWN'],
    [{ apikey: 'secret-one\n' }, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ token: 'secret-one é' }, 'MOMO_MOCK_REQUEST_INVALID'],
  ])('%j is refused', async (options, code) => {
    const { controlUrl } = await started();
    await expect(connectMomoMock(controlUrl, options)).rejects.toMatchObject({
      code,
      message: expect.not.stringContaining('secret-one'),
    });
  });
});
