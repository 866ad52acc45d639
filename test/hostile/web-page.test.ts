import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { runMock } from '../support/running-mock.ts';
import { talk } from './client.ts';

const FORM = 'Content-Type: application/x-www-form-urlencoded';

it.each([
  ['a form of another origin', ['Host: localhost', 'Origin: http://evil.example', FORM], 403],
  ['a form without an origin', ['Host: localhost', FORM], 415],
  ['a simple request', ['Host: localhost', 'Content-Type: text/plain'], 415],
  ['one without a type', ['Host: localhost'], 415],
  ['a name that was bound to this machine', ['Host: evil.example'], 403],
  ['the same with its origin', ['Host: evil.example', 'Origin: http://evil.example'], 403],
  ['a sandboxed page', ['Host: localhost', 'Origin: null'], 403],
  ['a page of another site', ['Host: localhost', 'Sec-Fetch-Site: cross-site'], 403],
])('a web page changes nothing by %s', async (_what, headers, status) => {
  const mock = await runMock();
  const before = await mock.get('/momo/balance?apikey=good');
  const json = '{"status":500,"times":"always"}';
  for (const line of ['POST /responses', 'PUT /balance', 'POST /accounts']) {
    const port = Number(new URL(mock.controlUrl ?? '').port);
    const socket = connect({ port, host: '127.0.0.1' });
    const head = [`${line} HTTP/1.1`, ...headers, `Content-Length: ${json.length}`].join('\r\n');
    const reply = await talk(socket, socket, [`${head}\r\n\r\n${json}`]);
    expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(reply).not.toMatch(/access-control-/i);
  }
  expect((await mock.get('/momo/balance?apikey=good')).body).toBe(before.body);
});
