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

/** A place that takes a text from somebody else. */
type Place = (mock: LocalTestMock, text: string) => Promise<unknown>;

const target =
  (before: string): Place =>
  (mock, text) =>
    send(mock, `${before}${text.replaceAll(' ', '+')}`);
const header =
  (name: string): Place =>
  (mock, text) =>
    ask(mock, undefined, { headers: { [name]: text } });
const body =
  (type: string, before = ''): Place =>
  (mock, text) => {
    const headers = { 'content-type': type };
    return ask(mock, '/momo/balance', { method: 'POST', headers, body: before + text });
  };
const toControl =
  (name: string): Place =>
  (mock, text) =>
    control(mock, 'GET /health', { headers: { [name]: text } });

// By npm run torture -- linear alone: it compares times, which a busy machine spoils.
it.for<[string, number, Place]>([
  ['a path', HEAD, target('/momo/')],
  ['a query', HEAD, target('/momo/balance?')],
  ['a header', HEAD, header('x-trace')],
  ['cookies', HEAD, header('cookie')],
  ['an authorization', HEAD, header('authorization')],
  ['a text', BODY, body('text/plain')],
  ['JSON', BODY, body('application/json', '{"')],
  ['XML', BODY, body('application/xml', '<')],
  ['a form', BODY, body('application/x-www-form-urlencoded', 'key=')],
  ['multipart', BODY, body('multipart/form-data; boundary=a', '--a')],
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
      await place(mock, length === HEAD ? text.replace(/[^\x20-\x7e]/g, '-') : text);
      // Takes secrets out of what was sent.
      await mock.requests();
      return performance.now() - began;
    };
    const usual = filled('', 'abc', length);
    for (let warm = 0; warm < 5; warm++) await timeOf(usual);
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
