import { expect, it } from 'vitest';
import { layer } from '../../src/config/sources.ts';
import { createAccessCheck } from '../../src/control/plugins/access-check.ts';
import { parseHttpResponse } from '../../src/fixtures/http-response.ts';
import { END_SLASHES } from '../../src/library/remote-control.ts';
import { isKeyName, isSecretHeader } from '../../src/mock/key-names.ts';
import { Secrets } from '../../src/mock/secrets.ts';
import { parseTarget } from '../../src/mock/target.ts';
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

const secrets = new Secrets(() => ['a_good_key']);
const redact = secrets.redactor();
const checkAccess = createAccessCheck({ hosts: [], token: 'sekret' });

// By npm run torture -- linear alone: it compares times, which a busy machine spoils.
it.skipIf(!isLong).each<[string, (text: string) => unknown]>([
  ['taking keys out', redact],
  ['looking for keys in a body', (text) => new Secrets(() => []).rememberText(text)],
  [
    'looking for keys in headers',
    (text) => new Secrets(() => []).rememberHeaders({ cookie: text }),
  ],
  ['reading a target', parseTarget],
  ['looking at a name', (text) => [isKeyName(text), isSecretHeader(text)]],
  ['looking at a token', (text) => checkAccess({ host: 'localhost', authorization: text })],
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
])('%s takes time in proportion to the text, whatever the text', (_what, run) => {
  walk();
  const linear = Math.max(timeOf(walk), timeOf(walk));
  // Quadratic time would be some ten thousand times as much as linear time.
  for (const text of worst) {
    const shown = `${JSON.stringify(text.slice(0, 20))}…`;
    expect(timeOf(() => run(text)) / linear, shown).toBeLessThan(200);
  }
});
