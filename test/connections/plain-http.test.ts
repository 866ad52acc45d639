import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { sharedMock } from '../support/mock.ts';
import { openTcp } from '../support/raw-connection.ts';

const mock = sharedMock();
const GET = 'GET /momo/balance?apikey=momo_test_key HTTP/1.1\r\nHost: x\r\n';
/** More than what the buffers of a connection hold, so that it must be read. */
const LARGE = 8_000_000;

it.each([
  ['a request', `${GET}\r\n`],
  ['a request with a large body', `${GET}Content-Length: ${LARGE}\r\n\r\n${'a'.repeat(LARGE)}`],
  ['a line that is not a request', 'nonsense'],
])('%s without TLS gets the https:// URL, and no data', async (_what, bytes) => {
  const socket = openTcp(mock().url);
  await once(socket, 'connect');
  // Only who has sent all reads what comes back.
  await new Promise((done) => socket.write(bytes, done));
  const response = await text(socket);
  socket.end();
  expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(response).toContain(mock().url);
  expect(response).not.toContain('balance');
  expect(await mock().requests()).toMatchObject([
    { status: 400, reason: 'plain-http', tls: null, hint: expect.any(String) },
  ]);
  expect(await ask(mock())).toMatchObject({ status: 200 });
});
