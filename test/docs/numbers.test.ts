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
  SETTINGS,
  STALE_MS,
  TLS_MODES,
} from '../support/program.ts';
import { readDocument, rowsBelow } from './documents.ts';

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
  ['README.md', 'or newer', NODE],
  ['docs/get-started.md', 'You need Node', NODE],
  ['docs/compare.md', 'not recommended', NODE.replace('Node', '| Node |')],
  ['CONTRIBUTING.md', 'You need Node', NODE],
  ['docs/contract.md', ': 431', `${maxHeaderSize / 1024} KB`],
  ['docs/limits-and-errors.md', 'URL and headers', `${maxHeaderSize / 1024} KB`],
  ['docs/contract.md', ': 408', `${CLIENT_TIMEOUT / 1000} s`],
  ['docs/contract.md', 'Idle connections', ` ${KEEP_ALIVE / 1000} s`],
  [
    'docs/control-reference.md',
    '`dribble` takes',
    ` ${FAULTS.dribble.options.duration.default} ms`,
  ],
  ['docs/control-reference.md', 'one event', ` ${BATCH} ms`],
  ['docs/responses.md', 'The faults are', listed(Object.keys(FAULTS))],
  // The first one is no wrong one.
  ['docs/responses.md', 'The TLS modes', listed(TLS_MODES.slice(1))],
  ['docs/command-line.md', 'momo-mock health', ` ${HEALTH_TIMEOUT_MS / 1000} s`],
  ['docs/logs.md', 'log lines', ` ${MAX_WAITING_BYTES / 1024} KiB`],
  ['docs/snapshots.md', "can't be read", ` ${limits.MAX_SNAPSHOT_BYTES / 1_048_576} MiB`],
  ['docs/snapshots.md', 'has at most', ` ${limits.MAX_SNAPSHOT_BYTES / 1_048_576} MiB`],
  ['docs/snapshots.md', 'on the same machine', ` ${STALE_MS / 1000} s`],
  ['docs/tls.md', 'renews', ` ${RENEWAL_DAYS} days`],
])('%s, on "%s", says as it is:%s', (page, words, text) => {
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

it('README compares as was measured', () => {
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
