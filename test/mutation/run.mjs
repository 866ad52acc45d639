// Breaks src in small ways and looks whether a test sees it: `npm run mutation`, or
// `npm run mutation -- responses` for one piece. A piece that ran before is quick: what neither its
// code nor its tests changed is taken from test/mutation/reports.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PIECES } from './pieces.mjs';

/** The least score of a piece, and of all, in percent. */
const LEAST = { piece: 80, all: 85 };

/** What Stryker calls the columns of the table, but the last three. */
const COLUMNS = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored', 'RuntimeError'];

/** The head of the table, and its rows. */
const TABLE = /(\| ---.*\n)((?:\|.*\n)*)/;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(ROOT, 'test/mutation/survivors.md');
const STRYKER = 'test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js';

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(PIECES, name));
if (unknown.length > 0) {
  const all = Object.keys(PIECES).join(', ');
  process.stderr.write(`Failed to run ${unknown.join(', ')}: there are ${all}.\n`);
  process.exit(2);
}
for (const name of names.length > 0 ? names : Object.keys(PIECES)) {
  process.stdout.write(`\n== ${name}\n`);
  const { status } = spawnSync(
    process.execPath,
    [STRYKER, 'run', 'test/mutation/stryker.config.mjs'],
    { cwd: ROOT, env: { ...process.env, MUTATION_PIECE: name }, stdio: 'inherit' },
  );
  if (status === 0) writeRow(name);
  else process.exitCode = 1;
}

/** Writes the figures of a piece, and those of all pieces, into the table of the page. */
function writeRow(name) {
  const report = JSON.parse(readFileSync(join(ROOT, `test/mutation/reports/${name}.json`), 'utf8'));
  const statuses = Object.values(report.files).flatMap(({ mutants }) =>
    mutants.map(({ status }) => status),
  );
  const counts = COLUMNS.map((status) => statuses.filter((one) => one === status).length);
  const commit = `${execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT })}`.trim();
  const day = new Date().toISOString().slice(0, 10);

  const page = readFileSync(PAGE, 'utf8');
  const [, , table] = TABLE.exec(page);
  const rows = new Map(
    table.split('\n').map((line) => [line.split(' ')[1], line.slice(2, -2).split(' | ').slice(1)]),
  );
  rows.set(name, [...counts, score(counts), day, commit]);
  const pieces = Object.keys(PIECES).filter((piece) => rows.has(piece));
  const all = COLUMNS.map((_, index) =>
    pieces.reduce((sum, piece) => sum + Number(rows.get(piece)[index]), 0),
  );
  rows.set('all', [...all, score(all), '', '']);
  const lines = [...pieces, 'all'].map(
    (piece) => `| ${[piece, ...rows.get(piece)].join(' | ')} |\n`,
  );
  writeFileSync(
    PAGE,
    page.replace(TABLE, (_found, head) => head + lines.join('')),
  );
  for (const [what, counted, least] of [
    [name, counts, LEAST.piece],
    ['all', all, LEAST.all],
  ]) {
    process.stdout.write(`${what}: ${score(counted)}\n`);
    if (Number.parseFloat(score(counted)) < least) process.exitCode = 1;
  }
}

/** How many of the mutants that ran were seen. */
function score([killed, timeout, survived, uncovered]) {
  const seen = killed + timeout;
  return `${((100 * seen) / (seen + survived + uncovered)).toFixed(1)} %`;
}
