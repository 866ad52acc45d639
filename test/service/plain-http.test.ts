import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { sendPlain } from '../support/raw-connection.ts';
import { runMock } from '../support/running-mock.ts';

test('a client that sends all its request before it reads is answered too', async () => {
  const mock = await runMock();
  const socket = connect({ port: mock.port, host: '127.0.0.1' });
  await once(socket, 'connect');
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n';
  await new Promise((done) => socket.write(head + 'a'.repeat(8_000_000), done));
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
});

test('plain HTTP gets the https:// URL, and no data', async () => {
  const mock = await runMock();
  for (const request of [
    'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\n\r\n',
    `POST /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n${'a'.repeat(300_000)}`,
    'nonsense',
  ]) {
    const reply = await sendPlain(mock, request);
    expect(reply).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(reply).toContain(mock.url);
    expect(reply).not.toContain('balance');
  }
  expect(mock.records.at(-1)).toMatchObject({ reason: 'plain-http', hint: expect.any(String) });
  expect(await mock.get('/momo/balance?apikey=good')).toMatchObject({ status: 200 });
});
