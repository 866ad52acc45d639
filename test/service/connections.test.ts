import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sendOverTls } from '../raw-connection.ts';
import { runMock } from '../running-mock.ts';

const balance = readFileSync('fixtures/momo/balance.get.json', 'utf8').trimEnd();

test.each([
  'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: close',
  'GET /momo/balance?apikey=good HTTP/1.0',
  'GET /momo/balance?apikey=good HTTP/1.0\r\nHost: x',
  'GET https://example.com/momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: close',
])('%j is answered, and the connection closed', async (head) => {
  const mock = await runMock();
  const reply = await sendOverTls(mock, `${head}\r\n\r\n`);
  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(reply).toMatch(/\r\nconnection: close\r\n/i);
  expect(reply.endsWith(`\r\n\r\n${balance}`)).toBe(true);
});
