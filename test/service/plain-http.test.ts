import { expect, test } from 'vitest';
import { sendPlain } from '../raw-connection.ts';
import { runMock } from '../running-mock.ts';

test('plain HTTP is told the https:// URL, and gets no data', async () => {
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
