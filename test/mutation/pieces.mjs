// The behaviours whose code is mutated, each with the tests that see its mutants. All of them run in
// one process: Stryker changes nothing in a process that a test starts.

/**
 * @typedef {object} Piece
 * @property {string[]} mutate
 * @property {string[]} tests without `.test.ts` at their end
 * @property {string[]} [without] those of `tests` that are left out, since they start processes or
 *   fail on a busy machine
 * @property {boolean} [isolate] whether tests replace modules of Node, so that each file has to load
 *   the modules of src again
 */

/** @type {Readonly<Record<string, Piece>>} */
export const PIECES = {
  // What is answered, and what a test or a handler makes of it.
  answers: {
    mutate: ['src/mock/*.ts', 'src/mock/{account,json,operations,requests,responses,state}/*.ts'],
    tests: [
      'test/{answers,state}/*',
      'test/internals/{delay,semaphore,state}',
      'test/handlers/{context,errors,handle,request-schema,response}',
      'test/control/{bodies,overview,refusals}',
    ],
    // Where code is mutated, it takes minutes.
    without: ['test/state/sizes'],
  },
  // The way of a request, from its head to the end of its answer.
  requests: {
    mutate: ['src/service/**/*.ts'],
    tests: [
      'test/{answers,service,handlers}/*',
      'test/internals/{request-lifecycle,uncaught-errors}',
      'test/webhooks/attempts',
      'test/clock/*',
      'test/hostile/http',
    ],
    without: ['test/handlers/unsettled', 'test/service/broken-request'],
    isolate: true,
  },
  // What handlers do later.
  later: {
    mutate: ['src/{webhook,mock/webhooks,mock/clock}/*.ts'],
    tests: [
      'test/{webhooks,clock,limits}/*',
      'test/internals/clock',
      'test/handlers/unsettled',
      'test/journal/filters',
    ],
    without: ['test/webhooks/certificates'],
    isolate: true,
  },
  // What happened, and whether that was expected.
  journal: {
    mutate: ['src/mock/{journal,verify}/*.ts'],
    tests: ['test/{journal,webhooks}/*', 'test/internals/{quiet-events,waiting-clients}'],
    without: ['test/webhooks/certificates'],
    isolate: true,
  },
  secrets: {
    mutate: ['src/mock/redaction/*.ts'],
    tests: ['test/internals/redaction/*'],
    without: ['test/internals/redaction/linear-redaction'],
  },
  control: {
    mutate: ['src/control/**/*.ts'],
    tests: ['test/control/**/*'],
  },
  // The files of the page with tests in this process. The others run in a browser alone.
  page: {
    mutate: ['src/page/{curl,journal,json,rates}.ts'],
    tests: ['test/internals/page/*'],
  },
  connections: {
    mutate: ['src/net/**/*.ts'],
    tests: [
      'test/service/*',
      'test/internals/{host,listen,request-lifecycle}',
      'test/control/{bodies,broken-request,overview,proxy,routes}',
    ],
    isolate: true,
  },
  // From a start to a stop, with the log.
  starts: {
    mutate: ['src/*.ts', 'src/{log,server,shipped}/*.ts', '!src/{vitest,jest}.ts'],
    tests: [
      'test/internals/{errors,fastify-options,listen,logger,server,service-url}',
      'test/internals/log-output',
      'test/service/{plain-http,leaving-clients}',
      'test/control/{overview,proxy}',
      'test/journal/events',
      'test/tls/modes',
      'test/internals/settings/start-options',
    ],
    isolate: true,
  },
  certificates: {
    mutate: ['src/tls/**/*.ts'],
    tests: ['test/tls/*', 'test/internals/tls/*'],
    without: [
      'test/internals/tls/{simultaneous-starts,unwritable-folder}',
      'test/tls/strict-clients',
    ],
    isolate: true,
  },
  fixtures: {
    mutate: ['src/fixtures/**/*.ts'],
    tests: [
      'test/fixtures/*',
      'test/internals/fixtures/*',
      'test/internals/handler-module',
      'test/handlers/modules',
    ],
    isolate: true,
  },
  commands: {
    mutate: ['src/{settings,cli}/**/*.ts', '!src/cli/{check,record,real-settings}.ts'],
    tests: ['test/{cli,run}/*', 'test/internals/settings/*'],
    without: ['test/cli/{npm,output,stop,terminal}', 'test/run/{clients,output,process}'],
  },
  // What compares and records the real service.
  shapes: {
    mutate: ['src/shape/*.ts', 'src/cli/{check,record,real-settings}.ts'],
    tests: ['test/shape/*', 'test/internals/shape/*'],
    isolate: true,
  },
  library: {
    mutate: ['src/{library,runners}/**/*.ts', 'src/vitest.ts'],
    // The tests of what a mock remembers run by the library, in this process and over HTTP.
    tests: [
      'test/{library,runners,state,clock}/*',
      'test/journal/{filters,verify,waits}',
      'test/webhooks/{attempts,script,verify}',
      'test/answers/{accounts,balance,rate-limit,scripted}',
      'test/internals/{process-trust,strict-check}',
    ],
    without: ['test/library/{close,output}', 'test/state/sizes'],
  },
};
