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

/** The files of src/mock that replace secrets. */
const REDACTION = [
  ...['aho-corasick', 'body-fields', 'json-fields', 'redaction', 'secret-finder', 'secret-names'],
  'xml-fields',
];
/** The files of src/mock that record requests, and verify them. */
const JOURNAL = [
  ...['callback-subject', 'difference', 'expectation', 'expectation-fields', 'expected-secrets'],
  ...['feed', 'journal', 'journal-controller'],
  ...['journal-entry', 'journal-events', 'journal-filter', 'journal-record', 'record-journal'],
  ...['records', 'request-subject', 'subject'],
  ...['request-fields', 'request-target', 'tally', 'turns', 'verification', 'verify', 'waiters'],
];
/** The files of src/mock that queue callbacks and record their attempts. */
const CALLBACKS = [
  ...['callback', 'callback-controller', 'callback-expectation', 'callback-fields'],
  ...['callback-filter', 'callback-journal', 'callback-match', 'callback-record'],
  ...['callback-script', 'callback-scripts', 'callback-url', 'callbacks', 'prepared-callback'],
  'slots',
];
const CALLBACK_TESTS = ['callbacks', 'callback-script', 'slots'];
/** The files of src/mock with the clock of handlers. */
const CLOCK = [
  ...['clock', 'clock-advance', 'clock-change', 'clock-time'],
  ...['timer-failure', 'timer-queue', 'timer-runner'],
];
/** The files of the page that have tests in this process. test/page tries all of it in Chromium. */
const PAGE = [
  ...['answer-fields', 'callback-words', 'clock-words', 'entry-words', 'event-parser'],
  ...['json-check', 'kept-attempts', 'kept-requests', 'rates', 'request-curl', 'shell'],
  'shown-requests',
];
const inMock = (name) => `src/mock/${name}.ts`;
const testOf = (name) => `test/mock/${name}.test.ts`;
const except = (names) => names.map((name) => `!${inMock(name)}`);

/** @type {Readonly<Record<string, Piece>>} */
export const PIECES = {
  mock: {
    mutate: ['src/mock/*.ts', ...except([...REDACTION, ...JOURNAL, ...CALLBACKS, ...CLOCK])],
    tests: [
      'test/mock',
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
    without: [
      ...[...REDACTION, ...JOURNAL, 'linear-redaction', 'journal-turns', 'requests'],
      ...['mock/clock', 'timer-queue'],
    ],
  },
  clock: {
    mutate: CLOCK.map(inMock),
    tests: [...['clock', 'timer-queue'].map(testOf), 'test/control/clock.test.ts'],
    isolate: true,
  },
  redaction: {
    mutate: REDACTION.map(inMock),
    tests: [
      ...['redaction', 'aho-corasick', 'secret-names'].map(testOf),
      'test/hostile/redaction.test.ts',
    ],
  },
  journal: {
    mutate: JOURNAL.map(inMock),
    tests: [
      ...['feed', 'journal', 'journal-turns', 'requests', 'request-target'].map(testOf),
      ...['tally', 'verify'].map(testOf),
      ...['callbacks', 'events', 'requests', 'verify'].map(
        (name) => `test/control/${name}.test.ts`,
      ),
    ],
  },
  callbacks: {
    mutate: ['src/callback/*.ts', ...CALLBACKS.map(inMock)],
    tests: ['test/callback', 'test/control/callbacks.test.ts', ...CALLBACK_TESTS.map(testOf)],
    isolate: true,
  },
  service: {
    mutate: ['src/service/**/*.ts'],
    tests: [
      'test/service',
      'test/handlers',
      ...['callbacks', 'faults', 'handle', 'state'].map((name) => `test/library/${name}.test.ts`),
      testOf('clock'),
      ...['half-closed', 'preflight', 'smuggling'].map((name) => `test/hostile/${name}.test.ts`),
    ],
    without: ['broken-request'],
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
