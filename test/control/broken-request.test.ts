import { expect, test } from 'vitest';
import { forSuite, startServer } from '../support/mock.ts';
import { openTcp, statusesIn, talk } from '../support/raw-connection.ts';

const mock = forSuite((over) => startServer({}, { CLIENT_TIMEOUT: '5000' }, over));

function send(bytes: string): Promise<string> {
  const socket = openTcp(mock().controlUrl);
  return talk(socket, socket, [bytes], 'wait');
}

const HEAD = 'PUT /balance HTTP/1.1\r\nHost: localhost\r\napikey: good\r\n';
const JSON_HEAD = `${HEAD}Content-Type: application/json\r\n`;
const HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';

test.each([
  ['a line that is not HTTP', 'apikey=good\r\n\r\n', 400],
  ['a broken header', `${HEAD}good\r\n\r\n`, 400],
  ['a second content-length', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400],
  ['an unknown coding', `${JSON_HEAD}Transfer-Encoding: xchunked\r\n\r\n{}`, 400],
  ['a broken chunk', `${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\ngood\r\n`, 400],
  ['headers of 20 KB', `${HEAD}X: ${'good'.repeat(5000)}\r\n\r\n`, 431],
  ['an endless header', HEAD, 408],
])('%s gets an error in the usual format, which does not repeat it', async (_, bytes, status) => {
  const response = await send(bytes);
  expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(response).toMatch(/\r\nconnection: close\r\n/i);
  expect(JSON.parse(response.slice(response.indexOf('\r\n\r\n')))).toEqual({
    error: {
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: expect.stringMatching(/^Failed to read/),
    },
  });
  expect(response).not.toContain('good');
});

test('a request without a host gets an error in the usual format, and its connection is closed', async () => {
  const response = await send(`GET /health HTTP/1.1\r\n\r\n${HEALTH}`);
  expect(response).toMatch(/^HTTP\/1\.1 403 .*MOMO_MOCK_HOST_REFUSED/s);
  expect(response).toMatch(/\r\nconnection: close\r\n/i);
  expect(statusesIn(response)).toEqual([403]);
});

test('a request before a broken one gets its response first', async () => {
  expect(statusesIn(await send(`${HEALTH}nonsense\r\n\r\n`))).toEqual([200, 400]);
});
