import { expect, it } from 'vitest';
import { sendOverTls } from '../support/raw-connection.ts';
import { runMock } from '../support/running-mock.ts';

const SMUGGLED = 'GET /momo/smuggled?apikey=good HTTP/1.1\r\nHost: x\r\n\r\n';

it.each([
  ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked']],
  ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 4']],
  ['two lengths', ['Content-Length: 0', 'Content-Length: 64']],
  ['a list of lengths', ['Content-Length: 0, 64']],
  ['a signed length', ['Content-Length: +0']],
  ['a length in hex', ['Content-Length: 0x0']],
  ['a length with a space before the colon', ['Content-Length : 0']],
  ['a coding that is none', ['Transfer-Encoding: xchunked']],
  ['chunks that are not the last coding', ['Transfer-Encoding: chunked, identity']],
  ['a coding behind a vertical tab', ['Transfer-Encoding: \x0bchunked']],
  ['a folded coding', ['X: y\r\n Transfer-Encoding: chunked', 'Transfer-Encoding : chunked']],
])(
  '%s: one answer, and nothing of what is behind is taken for a request',
  async (_what, framing) => {
    const mock = await runMock();
    const head = ['GET /momo/balance?apikey=good HTTP/1.1', 'Host: x', ...framing].join('\r\n');
    const reply = await sendOverTls(mock, `${head}\r\n\r\n0\r\n\r\n${SMUGGLED}`);
    expect((reply.match(/HTTP\/1\.1 \d{3}/g) ?? []).join()).toBe('HTTP/1.1 400');
    const seen = await mock.controller.requests(undefined, {});
    expect(seen.filter(({ account }) => account !== null)).toEqual([]);
  },
);
