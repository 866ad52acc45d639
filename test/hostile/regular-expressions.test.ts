import { expect, it } from 'vitest';
import { layer } from '../../src/config/sources.ts';
import { createAccessCheck } from '../../src/control/plugins/access-check.ts';
import { parseHttpResponse } from '../../src/fixtures/http-response.ts';
import { END_SLASHES } from '../../src/library/remote-control.ts';
import { loggablePath, Redactor } from '../../src/mock/redaction/redaction.ts';
import { isKeyName, isSecretName } from '../../src/mock/redaction/secret-names.ts';
import { parseTarget } from '../../src/mock/request-target.ts';
import { isLong } from '../endurance/scale.ts';

const LENGTH = 100_000;
const fill = (text: string) => text.repeat(Math.ceil(LENGTH / text.length));
const PIECES = [
  ' ',
  '\t',
  'a',
  '%',
  '%0',
  '=',
  '/',
  ':',
  '1',
  '.',
  '-',
  'key',
  'key ',
  'key=',
  ';',
];
const MORE = [
  '_SERVICE_PORT_',
  '_PORT_1',
  '_SERVICE_',
  'apikey',
  'key"\' ',
  'key%3a',
  '\\',
  '?',
  'bearer ',
  '__',
  'api',
  'a=a',
  'auth',
  'idempotency',
  '<',
  '<key>',
  '<key a="',
  "<key a='",
  '<!--',
  '<![CDATA[',
  '"key":[',
  '"key":"',
  '"',
  "'",
  "key:'",
  '&key=',
  '\n--',
  '\n\n',
  'name=',
  'a_go',
];
const worst = [...PIECES, ...MORE].flatMap((piece) =>
  ['', 'key', 'bearer ', 'a:', 'http://', '/?'].map((start) => `${start}${fill(piece)}\0 !`),
);

const timeOf = (run: () => void): number => {
  const began = performance.now();
  run();
  return performance.now() - began;
};
/** Goes through a text of that length, character by character, as what is linear does. */
const walk = () => {
  const seen = new Map<string, number>();
  for (const letter of fill('abc')) seen.set(letter, (seen.get(letter) ?? 0) + 1);
};

const redactor = new Redactor();
redactor.remember('a_good_key');
const NOTHING = {
  headers: {},
  path: null,
  operation: null,
  query: [],
  body: '',
  bodyCut: true,
} as const;
const redactBody = (body: string) => redactor.redactRequest({ ...NOTHING, body });
const checkAccess = createAccessCheck({ hosts: [], token: 'sekret' });

// By npm run torture -- linear alone: it compares times, which a busy machine spoils.
it.for<[string, (text: string) => unknown]>([
  ['taking keys out of a text', (text) => redactor.redact(text)],
  ['taking secrets out of a body', redactBody],
  ['taking secrets out of JSON', (text) => redactBody(`{"${text}`)],
  ['taking secrets out of XML', (text) => redactBody(`<${text}`)],
  ['taking secrets out of a form', (text) => redactBody(`key=${text}`)],
  ['taking secrets out of multipart', (text) => redactBody(`--${text}`)],
  [
    'taking secrets out of headers',
    (text) =>
      redactor.redactRequest({ ...NOTHING, headers: { cookie: text, authorization: text } }),
  ],
  ['looking for words in a path', (text) => loggablePath([text], () => false)],
  ['reading a target', parseTarget],
  ['looking at a name', (text) => [isKeyName(text), isSecretName(text)]],
  ['looking at a token', (authorization) => checkAccess({ host: 'localhost', authorization })],
  ['taking slashes off a URL', (text) => text.replace(END_SLASHES, '')],
  [
    'looking at the name of a setting',
    (text) => layer({ flags: {}, dotenv: {}, env: { [`MOMO_MOCK_${text}`]: text } }),
  ],
  ['looking at a host', (text) => checkAccess({ host: text })],
  [
    'reading a header of a file',
    (text) => {
      try {
        parseHttpResponse('a.http', Buffer.from(`HTTP/1.1 200 ${text}\nx: ${text}`));
      } catch {}
    },
  ],
])('%s takes time in proportion to the text, whatever the text', ([, run], { skip }) => {
  skip(!isLong, 'npm run torture runs it');
  walk();
  const linear = Math.max(timeOf(walk), timeOf(walk));
  // Quadratic time would be some ten thousand times as much as linear time.
  for (const text of worst) {
    const shown = `${JSON.stringify(text.slice(0, 20))}…`;
    expect(timeOf(() => run(text)) / linear, shown).toBeLessThan(200);
  }
});
