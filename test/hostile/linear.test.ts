import { expect, it } from 'vitest';
import { isLong } from '../endurance/scale.ts';
import { ask, control, send } from '../support/client.ts';
import { run } from '../support/command-in-process.ts';
import { type LocalTestMock, startMock } from '../support/mock.ts';
import { connectMomoMock } from '../support/momo-mock.ts';

/** What Node takes in the head of a request, and more than the journal keeps of a body. */
const HEAD = 15_000;
const BODY = 100_000;

/** What the checks of texts look for: those with white space in them, and the others. */
const PIECES = [
  ...[' ', '\t', '\n\n', '\n--', 'key ', 'key"\' ', 'bearer ', '<key a="', "<key a='"],
  ...'a % %0 = / : 1 . - ; \\ ? " \' __ < <!-- <![CDATA[ <key> key key= key%3a apikey api'.split(
    ' ',
  ),
  ...'_SERVICE_PORT_ _PORT_1 _SERVICE_ a=a auth idempotency &key= name= a_go'.split(' '),
  ...'"key":[ "key":" key:\''.split(' '),
];
const STARTS = ['', 'key', 'bearer ', 'a:', 'http://', '/?'];

const filled = (start: string, piece: string, length: number) =>
  `${start}${piece.repeat(Math.ceil(length / piece.length)).slice(0, length)}`;
const inHead = (text: string) => text.replace(/[^\x20-\x7e]/g, '-');

/** A place that takes a text from somebody else. */
type Place = (mock: LocalTestMock, text: string) => Promise<unknown>;

/** Sends a request, and reads the journal, which takes secrets out of it. */
const journaled = async (mock: LocalTestMock, sent: Promise<unknown>) => {
  await sent;
  await mock.requests();
};
const withBody =
  (type: string, before: string): Place =>
  (mock, text) => {
    const body = `${before}${text}`;
    const options = { method: 'POST', headers: { 'content-type': type }, body };
    return journaled(mock, ask(mock, '/momo/balance', options));
  };
const withHeader =
  (name: string): Place =>
  (mock, text) =>
    journaled(mock, ask(mock, undefined, { headers: { [name]: inHead(text) } }));
const withTarget =
  (before: string): Place =>
  (mock, text) =>
    journaled(mock, send(mock, `${before}${inHead(text).replaceAll(' ', '+')}`));
const toControl =
  (name: string): Place =>
  (mock, text) =>
    control(mock, 'GET /health', { headers: { [name]: inHead(text) } });

// By npm run torture -- linear alone: it compares times, which a busy machine spoils.
it.for<[string, number, Place]>([
  ['a path', HEAD, withTarget('/momo/')],
  ['a query', HEAD, withTarget('/momo/balance?')],
  ['a header', HEAD, withHeader('x-trace')],
  ['cookies', HEAD, withHeader('cookie')],
  ['an authorization', HEAD, withHeader('authorization')],
  ['a text', BODY, withBody('text/plain', '')],
  ['JSON', BODY, withBody('application/json', '{"')],
  ['XML', BODY, withBody('application/xml', '<')],
  ['a form', BODY, withBody('application/x-www-form-urlencoded', 'key=')],
  ['multipart', BODY, withBody('multipart/form-data; boundary=a', '--a')],
  ['a token of the control API', HEAD, toControl('authorization')],
  ['a host', HEAD, toControl('host')],
  [
    'the name of a setting',
    BODY,
    (_mock, text) => {
      const name = `MOMO_MOCK_${text.replace(/[=\0]/g, '-')}`;
      return run(['health', '--control-port', '0'], { env: { [name]: 'x' } });
    },
  ],
  [
    'a URL',
    BODY,
    (_mock, text) => connectMomoMock(`http://127.0.0.1:1/${text}///`).catch(() => {}),
  ],
  [
    'a header of a fixture',
    BODY,
    (_mock, text) => {
      const file = `HTTP/1.1 200 ${text}\nx: ${text}\n\n`;
      return startMock({ 'momo/odd.get.http': file }).catch(() => {});
    },
  ],
])(
  '%s takes time in proportion to its length, whatever it is',
  async ([, length, place], { skip }) => {
    skip(!isLong, 'npm run torture runs it');
    const mock = await startMock({}, { control: { token: 'sekret' }, journalSize: 1 });
    const timeOf = async (text: string) => {
      const began = performance.now();
      await place(mock, text);
      return performance.now() - began;
    };
    const usual = filled('', 'abc', length);
    for (let warm = 0; warm < 5; warm++) await place(mock, usual);
    const linear = Math.max(await timeOf(usual), await timeOf(usual), 5);
    // Quadratic time would be some hundred times as much in a head, and thousands in a body.
    for (const piece of PIECES) {
      for (const start of STARTS) {
        const text = `${filled(start, piece, length - 20)}\0 !`;
        expect((await timeOf(text)) / linear, JSON.stringify(text.slice(0, 20))).toBeLessThan(50);
      }
    }
  },
);
