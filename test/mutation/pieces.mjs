// The pieces of src that are mutated, each with the tests that see its mutants. All of them run in
// one process: Stryker changes nothing in a process that a test starts.

/**
 * @typedef {object} Piece
 * @property {string[]} mutate
 * @property {string[]} tests files and folders
 * @property {string[]} [without] files of `tests` that are left out, since they start processes or fail
 *   on a busy machine
 * @property {boolean} [isolate] whether tests replace modules of Node, so that each file has to load
 *   the modules of src again
 */

/** The files of the page that have tests in this process. test/page tries all of it in Chromium. */
const PAGE = [
  ...['answer-fields', 'callback-words', 'clock-words', 'entry-words', 'event-parser'],
  ...['json-check', 'kept-attempts', 'kept-requests', 'rates', 'request-curl', 'shell'],
  'shown-requests',
];
/** The controllers that are tested with the piece of the same name. */
const CONTROLLERS = {
  journal: 'src/mock/controller/journal-*.ts',
  callbacks: 'src/mock/controller/callback-*.ts',
};

/** @type {Readonly<Record<string, Piece>>} */
export const PIECES = {
  mock: {
    mutate: [
      ...['src/mock/*.ts', 'src/mock/state/*.ts', 'src/mock/controller/*.ts'],
      ...Object.values(CONTROLLERS).map((path) => `!${path}`),
    ],
    tests: [
      'test/mock/*.test.ts',
      ...['callbacks', 'controller', 'state'].map((name) => `test/mock/${name}`),
      'test/handlers/handlers.test.ts',
      ...[
        'accounts',
        'balance',
        'clock',
        'definitions',
        'operations',
        'state',
        'whole-service',
      ].map((name) => `test/control/${name}.test.ts`),
    ],
  },
  clock: {
    mutate: ['src/mock/clock/*.ts'],
    tests: ['test/mock/clock', 'test/control/clock.test.ts'],
    isolate: true,
  },
  redaction: {
    mutate: ['src/mock/redaction/*.ts'],
    tests: ['test/mock/redaction', 'test/hostile/redaction.test.ts'],
    without: ['linear-redaction'],
  },
  journal: {
    mutate: ['src/mock/journal/*.ts', 'src/mock/verify/*.ts', CONTROLLERS.journal],
    tests: [
      'test/mock/journal',
      'test/mock/verify',
      ...['callbacks', 'events', 'requests', 'verify'].map(
        (name) => `test/control/${name}.test.ts`,
      ),
    ],
  },
  callbacks: {
    mutate: ['src/callback/*.ts', 'src/mock/callbacks/*.ts', CONTROLLERS.callbacks],
    tests: ['test/callback', 'test/mock/callbacks', 'test/control/callbacks.test.ts'],
    isolate: true,
  },
  service: {
    mutate: ['src/service/**/*.ts'],
    tests: [
      'test/service',
      'test/handlers',
      ...['callbacks', 'faults', 'handle', 'state'].map((name) => `test/library/${name}.test.ts`),
      'test/mock/clock/clock.test.ts',
      ...['half-closed', 'preflight', 'smuggling'].map((name) => `test/hostile/${name}.test.ts`),
    ],
    without: ['broken-request', 'unsettled'],
    isolate: true,
  },
  control: { mutate: ['src/control/**/*.ts', '!src/control/page/*.ts'], tests: ['test/control'] },
  // The other files of the page only run in a browser, where Stryker changes nothing.
  page: { mutate: PAGE.map((name) => `src/control/page/${name}.ts`), tests: ['test/control/page'] },
  net: {
    mutate: ['src/net/**/*.ts'],
    tests: ['test/net', 'test/service', 'test/control'],
    isolate: true,
  },
  fixtures: { mutate: ['src/fixtures/**/*.ts'], tests: ['test/fixtures'], isolate: true },
  tls: {
    mutate: ['src/tls/**/*.ts'],
    tests: ['test/tls'],
    without: ['killed-start', 'simultaneous-starts', 'strict-clients', 'unwritable-folder'],
    isolate: true,
  },
  config: {
    mutate: ['src/config/**/*.ts'],
    tests: ['test/config', 'test/library/start-options.test.ts'],
  },
  library: {
    mutate: ['src/library/**/*.ts', 'src/runners/**/*.ts', 'src/vitest.ts'],
    tests: ['test/library', 'test/runners'],
    without: ['close'],
  },
  cli: {
    mutate: ['src/cli/**/*.ts'],
    tests: ['test/cli', 'test/run'],
    without: ['built-in-url', 'exit', 'test/run/run'],
  },
  root: {
    mutate: ['src/*.ts', '!src/vitest.ts', '!src/jest.ts'],
    tests: [
      'test/*.test.ts',
      'test/net',
      ...['app', 'journal', 'plain-http', 'request-lifecycle', 'swap'].map(
        (name) => `test/service/${name}.test.ts`,
      ),
      ...['events', 'listening', 'proxy'].map((name) => `test/control/${name}.test.ts`),
      ...['errors', 'start-options', 'tls'].map((name) => `test/library/${name}.test.ts`),
    ],
    isolate: true,
  },
};
