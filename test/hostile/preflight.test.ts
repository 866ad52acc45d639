import { expect, it } from 'vitest';
import { sendOverTls } from '../support/raw-connection.ts';
import { runMock } from '../support/running-mock.ts';

const ask = (headers: string) =>
  `OPTIONS /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nOrigin: http://a.example\r\nAccess-Control-Request-Method: GET\r\nConnection: close\r\n${headers}\r\n\r\n`;

it('headers that a preflight names make no others, whatever they hold', async () => {
  const mock = await runMock();
  const injected = ['\rx-injected: 1', '\nx-injected: 1', '\0', '\x7f', '\xff\xfe', '\t', ' '];
  for (const piece of [...injected, 'a'.repeat(15_000), 'a'.repeat(20_000), '__proto__']) {
    const reply = await sendOverTls(mock, ask(`Access-Control-Request-Headers: a${piece}b`));
    expect(reply).toMatch(/^HTTP\/1\.1 (?:204|400|431) /);
    expect(reply).not.toMatch(/^x-injected/im);
  }
  expect((await mock.get('/momo/balance?apikey=good')).status).toBe(200);
});

it('a configured key in them is in neither the journal nor the log', async () => {
  const mock = await runMock({ API_KEYS: 'good-key' });
  const reply = await sendOverTls(mock, ask('Access-Control-Request-Headers: x, good-key'));
  expect(reply).toMatch(/^HTTP\/1\.1 204 /);
  const journal = JSON.stringify(await mock.controller.requests(undefined, {}));
  expect(journal).toContain('preflight');
  expect(journal + JSON.stringify(mock.records)).not.toContain('good-key');
});
