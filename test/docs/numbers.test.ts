import { maxHeaderSize } from 'node:http';
import { expect, it } from 'vitest';
import {
  BATCH,
  FAULTS,
  HEALTH_TIMEOUT_MS,
  KEEP_ALIVE,
  limits,
  MAX_WAITING_BYTES,
  RENEWAL_DAYS,
  SAME_SIGNAL,
  SETTINGS,
  TLS_MODES,
} from '../support/program.ts';
import { readDocument, rowsBelow } from './documents.ts';

const MIB = 1024 * 1024;
const { engines } = JSON.parse(readDocument('package.json'));
const NODE = `Node ${engines.node.replace('>=', '')} or newer`;
const CLIENT_TIMEOUT = SETTINGS.CLIENT_TIMEOUT.schema.default;
const many = (count: number) => count.toLocaleString('en');
const listed = (names: readonly string[]) =>
  `\`${names.slice(0, -1).join('`, `')}\` and \`${names.at(-1)}\``;

/**
 * What a reader takes as it stands, in the paragraph or row with the words before it. Defaults of
 * settings: tables.test.ts. Limits: limits-and-errors.test.ts.
 */
it.each([
  { page: 'README.md', words: 'or newer', text: NODE },
  { page: 'docs/get-started.md', words: 'You need Node', text: NODE },
  { page: 'docs/support.md', words: 'not recommended', text: NODE.replace('Node', '| Node |') },
  { page: 'CONTRIBUTING.md', words: 'You need Node', text: NODE },
  { page: 'docs/contract.md', words: ': 431', text: `${maxHeaderSize / 1024} KB` },
  {
    page: 'docs/limits-and-errors.md',
    words: 'URL and headers',
    text: `${maxHeaderSize / 1024} KB`,
  },
  { page: 'docs/contract.md', words: ': 408', text: `${CLIENT_TIMEOUT / 1000} s` },
  { page: 'docs/contract.md', words: 'idle connections', text: ` ${KEEP_ALIVE / 1000} s` },
  {
    page: 'docs/control.md',
    words: '`dribble`',
    text: ` ${FAULTS.dribble.options.duration.default} ms`,
  },
  { page: 'docs/control.md', words: 'one event', text: ` ${BATCH} ms` },
  { page: 'docs/faults.md', words: 'The faults are', text: listed(Object.keys(FAULTS)) },
  { page: 'docs/control.md', words: 'The modes', text: listed(TLS_MODES) },
  // The first one is no wrong one.
  { page: 'docs/faults.md', words: 'The TLS modes', text: listed(TLS_MODES.slice(1)) },
  { page: 'docs/command-line.md', words: 'same one', text: ` ${SAME_SIGNAL} ms` },
  {
    page: 'docs/command-line.md',
    words: 'momo-mock health',
    text: ` ${HEALTH_TIMEOUT_MS / 1000} s`,
  },
  { page: 'docs/logs.md', words: 'log lines', text: ` ${MAX_WAITING_BYTES / 1024} KiB` },
  { page: 'docs/tls.md', words: 'renews', text: ` ${RENEWAL_DAYS} days` },
  {
    page: 'docs/real-service.md',
    words: 'A request can take',
    text: ` ${limits.MAX_FIXTURE_BYTES / MIB} MiB`,
  },
  {
    page: 'docs/real-service.md',
    words: 'elements',
    text: ` ${many(limits.MAX_COMPARED)} elements`,
  },
  {
    page: 'docs/real-service.md',
    words: 'differences',
    text: ` ${limits.MAX_FINDINGS} differences`,
  },
  { page: 'docs/real-service.md', words: 'recorded', text: ` ${many(limits.MAX_PLACES)} members` },
  {
    page: 'docs/real-service.md',
    words: 'a map of data',
    text: ` ${many(limits.MAX_MEMBERS)} names`,
  },
])('$page states at "$words" the value of the code: $text', ({ page, words, text }) => {
  const paragraphs = readDocument(page).split('\n');
  const about = paragraphs.filter((paragraph) => paragraph.includes(words));
  expect(about.join('\n')).toContain(text);
});

/** A figure that was measured, as README rounds it. */
function measured(part: string, side: string, column: number): string {
  const row = rowsBelow(readDocument('bench/performance.md'), part).find(([name = '']) =>
    name.startsWith(side),
  );
  return many(Math.round(Number(row?.[column]?.replace(',', ''))));
}

it('README compares momo-mock with the measured numbers', () => {
  const [own, wiremock, mockoon] = ['momo-mock', 'wiremock@', '@mockoon/'].map((side) =>
    measured('Start', side, 1),
  );
  const [size, other] = ['momo-mock', '@mockoon/'].map((side) => measured('Installed', side, 1));
  const packages = measured('Installed', '@mockoon/', 3);
  expect(readDocument('README.md')).toContain(
    `sends its first response ${own} ms after it starts (WireMock: ${wiremock} ms, Mockoon: ${mockoon} ms). It installs ${size} MB in one package (Mockoon: ${other} MB in ${packages})`,
  );
  expect(measured('Installed', 'momo-mock', 3)).toBe('1');
});
