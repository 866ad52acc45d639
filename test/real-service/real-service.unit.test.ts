import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { KeyRule } from '../../src/mock/requests/key-rule.ts';
import {
  MAX_RETRY_WAIT,
  RealService,
  RealServiceProblem,
  TIME_LIMIT,
} from '../../src/shape/real-service.ts';
import { CERTIFICATE, sendJson, startRealServer } from '../support/real-service.ts';

vi.mock('../../src/timers.ts', () => import('../support/fakeable-timers.ts'));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Starts a service and its client. */
async function start(respond: (response: ServerResponse, count: number) => void) {
  let count = 0;
  const real = await startRealServer((_request, response) => respond(response, ++count));
  const ca = readFileSync(CERTIFICATE, 'utf8');
  const service = new RealService({ url: real.url, ca, userAgent: 'momo-mock/test' });
  return { service, real };
}

it.each<[string, (response: ServerResponse) => void]>([
  ['a response that does not begin', () => {}],
  ['a body that does not end', (response) => response.writeHead(200).write('{')],
])(
  'a request with %s is given up after 30 s, and the connection is closed',
  async (_what, respond) => {
    let closed: Promise<void> | undefined;
    const { service } = await start((response) => {
      closed = new Promise((resolve) => response.on('close', resolve));
      respond(response);
      vi.advanceTimersByTime(TIME_LIMIT - 1);
      // After what was sent above has been received.
      response.socket?.write('', () => vi.advanceTimersByTime(1));
    });
    await expect(service.get('/x')).rejects.toEqual(
      new RealServiceProblem('the real service took more than 30 s. Try again later.'),
    );
    await closed;
  },
);

it.each([
  ['seconds', () => `${MAX_RETRY_WAIT / 1000}`],
  ['a time', () => new Date(Date.now() + MAX_RETRY_WAIT).toUTCString()],
])('a retry-after in %s is waited for, once', async (_what, when) => {
  // A whole second, as the header has it, and the present: in the past, the certificate that tests
  // share would not be valid yet, and be replaced.
  vi.setSystemTime(Math.floor(Date.now() / 1000) * 1000);
  const { service, real } = await start((response) => {
    response.writeHead(429, { 'retry-after': when() }).end();
  });
  const { setTimeout } = globalThis;
  // Not `expect.poll`, which moves the clock.
  const wait = new Promise<number | undefined>((resolve) => {
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((callback, ms) => {
      if (ms !== TIME_LIMIT) resolve(ms);
      return setTimeout(callback, ms);
    });
  });
  const response = service.get('/x');
  expect(await wait).toBe(MAX_RETRY_WAIT);
  vi.advanceTimersByTime(MAX_RETRY_WAIT - 1);
  await nextTurn();
  expect(real.requests).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect((await response).status).toBe(429);
  expect(real.requests).toHaveLength(2);
});

it.each([
  { name: 'too long a time', status: 429, text: `${MAX_RETRY_WAIT / 1000 + 1}` },
  { name: 'text that is not a time', status: 503, text: 'soon' },
  { name: 'a response with another status', status: 404, text: '0' },
])('a retry-after of $name is not waited for', async ({ status, text }) => {
  const { service, real } = await start((response) => {
    response.writeHead(status, { 'retry-after': text }).end();
  });
  expect((await service.get('/x')).status).toBe(status);
  expect(real.requests).toHaveLength(1);
});

it.each([
  ['query:k', '/x?a=1&k=key', {}],
  ['header:X-Id', '/x?a=1', { 'x-id': 'key' }],
  ['bearer', '/x?a=1', { authorization: 'Bearer key' }],
  ['basic', '/x?a=1', { authorization: `Basic ${btoa('key:')}` }],
  ['none', '/x?a=1', {}],
])('the key is in its place: %s', async (place, target, headers) => {
  const { real } = await start((response) => sendJson(response, response.req.headers));
  const ca = readFileSync(CERTIFICATE, 'utf8');
  const keyRule = new KeyRule(place);
  const service = new RealService({ url: real.url, ca, userAgent: 'momo-mock/test', keyRule });
  const { body } = await service.get('/x', [['a', '1']], 'key');
  expect(real.requests).toEqual([`GET ${target}`]);
  expect(JSON.parse(body.toString())).toMatchObject(headers);
});

it.each<[what: string, respond: (response: ServerResponse) => void, code: string]>([
  [
    'has more than 16 KiB of headers',
    (response) => response.setHeader('x-a', 'a'.repeat(17_408)).end(),
    'HPE_HEADER_OVERFLOW',
  ],
  [
    'is not valid HTTP/1.1',
    ({ socket }) =>
      socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n'),
    'HPE_INVALID_TRANSFER_ENCODING',
  ],
])('a response that %s is not reported as a failed connection', async (what, respond, code) => {
  const { service } = await start(respond);
  const message = `the response of the real service ${what} (${code}).`;
  await expect(service.get('/x')).rejects.toThrow(message);
});

it('a request is a GET of JSON, with the key last, below the path of the base URL', async () => {
  const { real } = await start((response) => sendJson(response, response.req.headers));
  const ca = readFileSync(CERTIFICATE, 'utf8');
  const service = new RealService({ url: `${real.url}/v1/`, ca, userAgent: 'momo-mock/test' });
  const { body } = await service.get('/x%2Fy', [['a', '1&2']], 'k+');
  expect(real.requests).toEqual(['GET /v1/x%2Fy?a=1%262&apikey=k%2B']);
  expect(JSON.parse(body.toString())).toMatchObject({
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'momo-mock/test',
  });
});
