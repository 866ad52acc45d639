import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replaceBuiltin } from '../support/builtin.ts';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import { connectMomoMock, type MomoStartOptions } from '../support/momo-mock.ts';

const UNREACHABLE = 'MOMO_MOCK_CONTROL_UNREACHABLE';

/** A mock with a control API, and its URL. */
async function started(options: MomoStartOptions = {}) {
  const mock = await startMock({}, { control: true, ...options });
  return { mock, controlUrl: `${mock.controlUrl}` };
}

/** Another server on plain HTTP. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, 'localhost');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

/** A server that responds like momo-mock, except for one thing. */
function likeMomoMock(
  health: object,
  certificate = '-----BEGIN CERTIFICATE-----',
): RequestListener {
  return ({ url }, response) =>
    response.end(
      url === '/certificate'
        ? certificate
        : JSON.stringify({ ...health, accounts: [{ id: 'account-1', variant: null }] }),
    );
}

describe('connectMomoMock fails if', () => {
  it('nobody listens', async () => {
    const { controlUrl, mock } = await started();
    await mock.close();
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
    ['another protocol', ({ socket }) => socket.end('hello\r\n')],
    ['JSON with an invalid URL', likeMomoMock({ url: 5 })],
    ['JSON with a path for a URL', likeMomoMock({ url: '/momo' })],
    ['JSON without a certificate', likeMomoMock({ url: 'https://localhost:1' }, 'none')],
  ])('the server responds with %s', async (_what, listener) => {
    await expect(connectMomoMock(await serving(listener))).rejects.toMatchObject({
      code: UNREACHABLE,
      message: expect.stringContaining('another program responds there'),
    });
  });

  it('a server refuses by its own rules', async () => {
    const error = { code: 'MOMO_MOCK_HOST_REFUSED', message: 'Access denied: why. Do this.' };
    const url = await serving((_request, response) =>
      response.writeHead(403).end(JSON.stringify({ error })),
    );
    await expect(connectMomoMock(url)).rejects.toMatchObject({
      code: UNREACHABLE,
      message: `Failed to use the control API at ${url}: ${error.code}. ${error.message}`,
    });
  });

  it('the connection breaks', async () => {
    const url = await serving((request) => request.socket.destroy());
    await expect(connectMomoMock(url)).rejects.toMatchObject({ code: UNREACHABLE });
  });

  it('the URL is of the service, not of its control API', async () => {
    const { mock } = await started();
    await expect(connectMomoMock(mock.url)).rejects.toMatchObject({ code: UNREACHABLE });
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

it('the token gives access to the control API, and a missing token has a clear error', async () => {
  const { controlUrl, mock } = await started({ control: { token: 'open-sesame' } });
  await using connected = await connectMomoMock(controlUrl, { token: 'open-sesame' });
  expect(connected.url).toBe(mock.url);
  expect((await ask(connected)).status).toBe(200);
  for (const [options, why] of [
    [{}, 'the token is missing'],
    [{ token: 'secret-one' }, 'the token is wrong'],
  ] as const) {
    await expect(connectMomoMock(controlUrl, options)).rejects.toMatchObject({
      code: UNREACHABLE,
      message: `Failed to use the control API at ${controlUrl}: ${why}. Set the option token to its MOMO_MOCK_CONTROL_TOKEN.`,
    });
  }
});

describe('the key', () => {
  it('is of an account that is created for the connection, and removed by close', async () => {
    const { controlUrl, mock } = await started();
    const [one, other] = [await connectMomoMock(controlUrl), await connectMomoMock(controlUrl)];
    expect(new Set([mock.apiKey, one.apiKey, other.apiKey]).size).toBe(3);
    await other.close();
    expect((await ask(one)).status).toBe(200);
    expect((await ask(other)).status).toBe(401);
    await one.close();
  });

  it('is still valid after a reset of everything', async () => {
    const { controlUrl } = await started();
    await using mock = await connectMomoMock(controlUrl);
    await mock.reset();
    expect((await ask(mock)).status).toBe(200);
  });

  it('is the given key, and still valid after close', async () => {
    const { controlUrl, mock } = await started();
    const { apiKey } = mock;
    const connected = await connectMomoMock(controlUrl, { apiKey });
    await connected.reset();
    await connected.close();
    expect(connected.apiKey).toBe(apiKey);
    expect((await ask(connected)).status).toBe(200);
  });

  it.each<[object, string]>([
    [{ apiKey: 'secret-one' }, 'MOMO_MOCK_ACCOUNT_UNKNOWN'],
    [{ apiKey: 'secret-one\n' }, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ token: 'secret-one é' }, 'MOMO_MOCK_REQUEST_INVALID'],
  ])('%j is refused', async (options, code) => {
    const { controlUrl } = await started();
    await expect(connectMomoMock(controlUrl, options)).rejects.toMatchObject({
      code,
      message: expect.not.stringContaining('secret-one'),
    });
  });
});

// A mock in a container says localhost, and is reached where its control API is.
it.each([
  ['https://localhost:8443', 'https://control.test:8443'],
  ['https://127.0.0.1:8443', 'https://control.test:8443'],
  ['https://[::1]:8443', 'https://control.test:8443'],
  ['https://momo.test:8443', 'https://momo.test:8443'],
  ['https://db.127.test:8443', 'https://db.127.test:8443'],
])('a mock elsewhere that reports %s is reached at %s', async (reported, reached) => {
  const { lookup } = dns;
  replaceBuiltin(dns, 'lookup', (name: string, ...more: never[]) => {
    lookup(name.replace('control.test', 'localhost'), ...(more as unknown as [() => void]));
  });
  const url = await serving(likeMomoMock({ url: reported }));
  const mock = await connectMomoMock(url.replace('localhost', 'control.test'), { apiKey: 'good' });
  onTestFinished(() => mock.close());
  expect(mock.url).toBe(reached);
});

it.each(['localhost', '127.0.0.1'])('a mock that is reached by %s keeps its host', async (host) => {
  const { controlUrl, mock } = await started();
  await using connected = await connectMomoMock(controlUrl.replace('localhost', host));
  expect(connected.url).toBe(mock.url);
});

/** What a mock elsewhere got: the calls after those that connect. */
interface Sent {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
}

/** Connects to a server with these responses, in order: a status, and the code of an error. */
async function connectedTo(...responses: (readonly [status: number, code?: string])[]) {
  const sent: Sent[] = [];
  const connecting = likeMomoMock({ url: 'https://localhost:1' });
  const controlUrl = await serving((request, response) => {
    const { method, url, headers } = request;
    if (/^\/(health|certificate|accounts)$/.test(`${url}`)) return connecting(request, response);
    sent.push({ line: `${method} ${url}`, headers });
    const [status, code] = responses.shift() ?? [204];
    response.writeHead(status).end(code && JSON.stringify({ error: { code, message: 'Failed.' } }));
  });
  const options = { apiKey: 'good', url: 'https://elsewhere:8443//' };
  const mock = await connectMomoMock(`${controlUrl}//`, options);
  onTestFinished(() => mock.close());
  return { mock, sent, controlUrl };
}

const NOT_YET = [422, 'MOMO_MOCK_NOT_VERIFIED'] as const;

describe('a call over HTTP', () => {
  it('goes to the URL without its last slashes, with the given values and nothing else', async () => {
    const { mock, sent, controlUrl } = await connectedTo([200]);
    expect([mock.controlUrl, mock.url]).toEqual([controlUrl, 'https://elsewhere:8443']);
    await mock.requests({ status: undefined, method: 'GET' } as object).catch(() => {});
    await mock.setVariant('empty');
    const [{ line, headers }, change] = sent as [Sent, Sent];
    expect(line).toMatch(/^GET \/requests\?(?!.*status).*method=GET/);
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('content-type');
    expect([change.line, change.headers['content-type']]).toEqual([
      'PUT /variant',
      'application/json',
    ]);
  });

  it('that waits is one request, however long', async () => {
    const { mock, sent } = await connectedTo([200], NOT_YET);
    await mock.requests({ waitFor: 2, timeout: 570_000 });
    const verified = mock.verify({ path: '/momo/balance' }, { timeout: 600_000 });
    await expect(verified).rejects.toMatchObject({ code: 'MOMO_MOCK_NOT_VERIFIED' });
    expect(sent.map(({ line }) => line)).toEqual([
      'GET /requests?waitFor=2&timeout=570000',
      'POST /verify?timeout=600000',
    ]);
  });

  it('that fails is not repeated', async () => {
    const { mock, sent } = await connectedTo([400, 'MOMO_MOCK_REQUEST_INVALID'], [204]);
    const verified = mock.verify({ path: '/momo/balance' }, { timeout: 130_000 });
    await expect(verified).rejects.toMatchObject({ code: 'MOMO_MOCK_REQUEST_INVALID' });
    expect(sent).toHaveLength(1);
  });

  it.each([
    [[300], 'another program responds there'],
    [[404, 'NOT_MOMO_MOCK_OURS'], 'another program responds there'],
    [[500, 'MOMO_MOCK_OURS'], 'MOMO_MOCK_OURS. Failed.'],
  ] as const)(
    'with the response %j is an error about an unknown server',
    async (response, problem) => {
      const { mock } = await connectedTo(response);
      await expect(mock.setVariant('empty')).rejects.toMatchObject({
        code: UNREACHABLE,
        message: expect.stringContaining(problem),
      });
    },
  );

  it('about a name of the state that no URL can contain is refused', async () => {
    const { controlUrl } = await started();
    await using mock = await connectMomoMock(controlUrl);
    for (const name of ['.', '..']) {
      await expect(mock.state.get(name)).rejects.toMatchObject({
        code: 'MOMO_MOCK_STATE_INVALID',
        message: expect.stringContaining('a URL cannot contain this name. Use another name'),
      });
    }
    for (const name of ['...', '.a', 'a..', 'a/..b']) {
      await mock.state.set(name, name);
      expect(await mock.state.get(name)).toBe(name);
    }
  });

  it('after close fails and says so', async () => {
    const { mock } = await connectedTo();
    await mock.close();
    await expect(mock.setVariant('empty')).rejects.toMatchObject({
      code: 'MOMO_MOCK_CLOSED',
      message: 'Failed to use the mock: it was closed. Start another one, or connect again.',
    });
  });
});
