import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseSource, partOf, readSources, type Source } from './sources.ts';

/**
 * Who may import whom. A name is a folder of src, or a file in src itself. Each may import from
 * itself, and from those behind its arrow; so imports run from the top of this table to its end.
 */
const MAY_IMPORT: Readonly<Record<string, string>> = {
  'cli.cts': 'cli',
  cli: 'drill library server redirect shape settings fixtures mock tls net log shipped errors.ts',
  'vitest.ts': 'runners index.ts',
  'jest.ts': 'runners index.ts',
  // Of mock only what build.mjs lists besides them.
  runners: 'index.ts library mock',
  'index.ts': 'drill library mock tls errors.ts',
  drill: 'library mock errors.ts timers.ts',
  library: 'server redirect control settings mock tls log shipped errors.ts timers.ts',
  server: 'webhook control service shipped settings fixtures tls log mock errors.ts timers.ts',
  shape: 'redirect fixtures mock errors.ts timers.ts',
  service: 'net log mock errors.ts timers.ts',
  page: 'control mock tls',
  control: 'net log mock tls shipped errors.ts timers.ts',
  webhook: 'net redirect mock tls timers.ts',
  settings: 'net shipped tls mock errors.ts',
  net: 'log errors.ts timers.ts',
  fixtures: 'shipped log mock errors.ts timers.ts',
  redirect: 'shipped tls',
  shipped: 'mock errors.ts',
  tls: 'errors.ts timers.ts',
  log: 'mock errors.ts timers.ts',
  mock: 'errors.ts timers.ts',
  'errors.ts': '',
  'timers.ts': '',
};

/** What mock must not know of: the frameworks, the disk, the wire. */
const NOT_IN_MOCK = /^(fastify$|@fastify\/|pino|chokidar$|node:(fs|https?|net|tls)\b)/;

/**
 * Parts that may touch `process`, the module that `run` preloads into other processes, and the lock,
 * which names its process.
 */
const MAY_TOUCH_PROCESS = [
  ...['cli.cts', 'cli', 'control/metrics.ts', 'redirect/preload.cjs'],
  'server/snapshot-lock.ts',
];

/**
 * Parts that may use the global timers and clocks: the command shares its process with no test, nor
 * does the live page, which runs in a browser.
 */
const MAY_USE_GLOBAL_TIMERS = ['cli.cts', 'cli', 'page', 'timers.ts'];
const TIMER = /(?<![.\w])((?:set|clear)(?:Timeout|Interval|Immediate))\(/g;
const CLOCK = /\bDate\.now\b|\bDate\(\)|(?<![.\w])performance\./;

const GRAB_BAGS = /(^|\/)(utils?|helpers?|common|types?)(\.ts$|\/)/;

/** What a file does that it must not: a phrase each. */
function breaches(source: Source): string[] {
  const { path, part, local, packages, code } = source;
  const allowed = [part, ...(MAY_IMPORT[part] ?? '').split(' ')];
  const touchesProcess =
    /(?<![.\w-])process(?=[.[?!;,)])|= process\b|globalThis\b/.test(code) ||
    packages.some((name) => /^(node:)?process$/.test(name));
  return [
    ...(part in MAY_IMPORT ? [] : ['is in no row of the table above']),
    ...local
      .filter((to) => !allowed.includes(partOf(to)))
      .map((to) => `imports ${to}, which ${part} may not`),
    ...packages
      .filter((name) => part === 'mock' && NOT_IN_MOCK.test(name))
      .map((name) => `imports ${name}, which mock may not`),
    ...(part === 'page' ? valuesFromServer(source) : []),
    ...(touchesProcess && !MAY_TOUCH_PROCESS.some((one) => one === part || one === path)
      ? ['touches process']
      : []),
    ...(part !== 'page' && /(?<![.\w])fetch\(/.test(code)
      ? ['uses fetch, which asks the proxy of the environment and refuses some ports']
      : []),
    ...(usesGlobalTimers(source) ? ['uses timers or clocks that are not of timers.ts'] : []),
    ...(GRAB_BAGS.test(path) ? ['has a name that says nothing'] : []),
  ].map((phrase) => `src/${path} ${phrase}`);
}

/** Modules with constants and pure functions, which import nothing. */
const ALONE = [
  'mock/contract.ts',
  'mock/json/exact-json.ts',
  'mock/json/json-mistake.ts',
  'mock/redaction/secret-names.ts',
  'mock/requests/request-target.ts',
  'mock/responses/chosen-variant.ts',
  'mock/responses/faults.ts',
  'mock/responses/source-words.ts',
  'tls/tls-mode.ts',
];

/** What the page imports from the server apart from types and modules that import nothing: a browser would load all of it. */
function valuesFromServer({ values }: Source): string[] {
  return values
    .filter((to) => partOf(to) !== 'page' && !ALONE.includes(to))
    .map((to) => `imports more than types from ${to}`);
}

/** Whether a test that fakes the timers of its process would stop what a file does. */
function usesGlobalTimers({ part, packages, code }: Source): boolean {
  if (MAY_USE_GLOBAL_TIMERS.includes(part)) return false;
  const imported = [...code.matchAll(/\bimport \{([^}]*)\}/g)].join();
  return (
    [...code.matchAll(TIMER)].some(([, name = '']) => !imported.includes(name)) ||
    packages.some((name) => /^(node:)?(timers|perf_hooks)/.test(name)) ||
    CLOCK.test(code)
  );
}

it('src breaks none of the rules of this file', () => {
  expect(readSources().flatMap(breaches)).toEqual([]);
});

/** The circles of imports: one for each import that closes one, as a path. */
function circlesIn(sources: readonly Source[]): string[] {
  const imports = new Map(sources.map(({ path, local }) => [path, local]));
  const circles: string[] = [];
  const done = new Set<string>();
  const follow = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) {
      circles.push([...way.slice(way.indexOf(path)), path].join(' -> '));
    } else if (!done.has(path)) {
      for (const to of imports.get(path) ?? []) follow(to, [...way, path]);
      done.add(path);
    }
  };
  for (const path of imports.keys()) follow(path, []);
  return circles;
}

it('src has no import cycle, not even of types or dynamic imports', () => {
  expect(circlesIn(readSources())).toEqual([]);
});

it('the search for cycles finds a cycle, and not the files that import it', () => {
  const files = [
    parseSource('mock/a.ts', "import { B } from './b.ts';"),
    parseSource('mock/b.ts', "import './c.ts'; import type { D } from './d.ts';"),
    parseSource('mock/c.ts', "const b = await import('./b.ts'); import './e.ts';"),
    parseSource('mock/d.ts', "export * from './d.ts';"),
    parseSource('mock/e.ts', ''),
  ];
  expect(circlesIn(files)).toEqual([
    'mock/b.ts -> mock/c.ts -> mock/b.ts',
    'mock/d.ts -> mock/d.ts',
  ]);
});

it('only check and record load src/shape, so that starting a mock costs nothing for it', () => {
  const sources = readSources();
  const importers = (of: (path: string) => boolean) =>
    sources.filter(({ local }) => local.some(of)).map(({ path }) => path);
  const ofShape = importers((path) => partOf(path) === 'shape');
  const commands = ['cli/check.ts', 'cli/real-settings.ts', 'cli/record.ts'];
  expect(ofShape.filter((path) => partOf(path) !== 'shape')).toEqual(commands);
  // main.ts imports a command when it is called.
  expect(importers((path) => commands.includes(path))).toEqual([
    'cli/check.ts',
    'cli/main.ts',
    'cli/record.ts',
  ]);
  expect(sources.find(({ path }) => path === 'cli/main.ts')?.code).not.toMatch(
    /^import [^(]*check/m,
  );
});

it('src creates its KeyRule in one place, so that a setting about keys reaches everything that reads them', () => {
  const creators = readSources().filter(({ code }) => code.includes('new KeyRule('));
  // The first one is the default, without settings.
  expect(creators.map(({ path }) => path)).toEqual([
    'mock/requests/key-rule.ts',
    'settings/config.ts',
  ]);
});

/** The modules below `test`, as paths from there. */
const TEST_FILES = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('mutation/'),
);

/** What may import from src: `test/support`, which starts mocks for the other tests, and unit tests. */
const MAY_IMPORT_SRC = /^support\/|\.unit\.test\.ts$/;

it('the modules that the page shares with the server import nothing', () => {
  const alone = readSources().filter(({ path }) => ALONE.includes(path));
  expect(alone.map(({ path }) => path)).toEqual(ALONE);
  expect(alone.flatMap(({ local, packages }) => [...local, ...packages])).toEqual([]);
});

it('only test/support and unit tests import from src', () => {
  const importers = TEST_FILES.filter((path) =>
    /['"](\.\.\/)+src\//.test(readFileSync(`test/${path}`, 'utf8')),
  );
  expect(importers.filter((path) => !MAY_IMPORT_SRC.test(path))).toEqual([]);
});

it('CONTRIBUTING says for each folder of tests what belongs there', () => {
  const folders = [...new Set(TEST_FILES.map((path) => path.slice(0, path.indexOf('/'))))];
  const [, table = ''] = readFileSync('CONTRIBUTING.md', 'utf8').split('| folder of `test` |');
  const [rows = ''] = table.split('\n\n');
  expect(folders).toContain('requests');
  expect(folders.filter((name) => !rows.includes(`\`${name}\``))).toEqual([]);
});

it('tests call a response a response', () => {
  // A question and a prompt have an answer.
  const own = [
    ...['architecture/imports.test.ts', 'docs/questions.test.ts'],
    ...['page/phones.test.ts', 'prompts/prompts.test.ts'],
  ];
  const others = TEST_FILES.filter((path) => !own.includes(path));
  expect(
    others.filter((path) => /answer(?!Prompt)/i.test(readFileSync(`test/${path}`, 'utf8'))),
  ).toEqual([]);
});

it('every row of the table of imports matches a file, and its imports run one way', () => {
  const parts = new Set(readSources().map(({ part }) => part));
  const order = Object.keys(MAY_IMPORT);
  const upward = Object.entries(MAY_IMPORT).flatMap(([from, to]) =>
    to
      .split(' ')
      .filter((name) => name !== '' && order.indexOf(name) <= order.indexOf(from))
      .map((name) => `${from} -> ${name}`),
  );
  expect(order.filter((part) => !parts.has(part))).toEqual([]);
  expect(upward).toEqual([]);
});

it.each([
  ['an import against the direction', 'mock/a.ts', "import { x } from '../service/app.ts';"],
  ['a type against the direction', 'tls/a.ts', "import type { X } from '../settings/load.ts';"],
  [
    'a dynamic import against the direction',
    'fixtures/a.ts',
    "const x = await import('../server/mock-server.ts');",
  ],
  ['an export against the direction', 'net/a.ts', "export { x } from '../mock/mock.ts';"],
  ['an import over several lines', 'mock/a.ts', "import {\n  x,\n} from '../control/app.ts';"],
  ['a framework in mock', 'mock/a.ts', "import { fastify } from 'fastify';"],
  ['the disk in mock', 'mock/a.ts', "import { readFile } from 'node:fs/promises';"],
  ['process outside the command', 'settings/a.ts', 'const x = process.env.HOME;'],
  ['process through globalThis', 'server/a.ts', 'const { env } = globalThis.process;'],
  ['process by import', 'log/a.ts', "import { exit } from 'node:process';"],
  ['a global timer', 'mock/a.ts', "import { sleep } from '../timers.ts';\nsetTimeout(end, 1);"],
  ['a Node timer', 'net/a.ts', "import { setTimeout } from 'node:timers/promises';"],
  ['the system clock', 'tls/a.ts', 'const now = new Date();'],
  ['the system clock as a number', 'mock/a.ts', 'const now = Date.now();'],
  ['the performance clock', 'service/a.ts', 'const began = performance.now();'],
  ['a fetch, which may use a proxy', 'cli/a.ts', 'await fetch(url);'],
  ['a file without a row', 'extra.ts', 'export const x = 1;'],
  ['a folder without a row', 'extra/a.ts', 'export const x = 1;'],
  ['a value in the page', 'page/a.ts', "import { x } from '../mock/mock.ts';"],
  ['a grab bag', 'mock/utils.ts', ''],
  ['a folder of grab bags', 'cli/helpers/a.ts', ''],
])('the check of src finds %s', (_what, path, text) => {
  expect(breaches(parseSource(path, text))).toHaveLength(1);
});

it.each([
  ['process in a comment', "// the user's process.env is not read\n/* process.exit */"],
  ['process in a string', "const text = 'stop the process.';"],
  ['a comment that looks like an import', "// from '../server.ts'"],
  [
    'timers of timers.ts, and those of a socket',
    "import { clearTimeout, setTimeout } from '../timers.ts';\nclearTimeout(setTimeout(f, 1));\nsocket.setTimeout(1);",
  ],
  ['a date from a given time', 'new Date(time).toISOString()'],
  ['a name that contains process', 'subprocess.kill(); worker.process.kill();'],
])('the check of src allows %s', (_what, text) => {
  expect(breaches(parseSource('mock/a.ts', text))).toEqual([]);
});
