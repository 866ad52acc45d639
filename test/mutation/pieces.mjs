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
  // The response that a request gets, and what a test or a handler changes about it.
  responses: {
    mutate: ['src/mock/*.ts', 'src/mock/{json,operations,responses,state}/*.ts'],
    tests: [
      'test/{accounts,responses,state}/*',
      'test/requests/{contract,key-in,request-schema,routing}',
      'test/verify/exact-numbers',
      'test/webhooks/semaphore.unit',
      'test/handlers/{context,errors,handle,response}',
      'test/control/{bodies,limits,overview,refusals}',
    ],
    // Where code is mutated, it takes minutes. The other one counts objects of its process.
    without: ['test/state/sizes', 'test/accounts/kept.unit'],
  },
  // What an account remembers, and what a snapshot has of it.
  accounts: {
    mutate: ['src/mock/account/*.ts'],
    tests: [
      'test/accounts/*',
      'test/snapshot/snapshot',
      'test/handlers/tokens',
      'test/responses/{balance,rate-limit,scripted}',
      'test/verify/matchers',
      'test/webhooks/script',
    ],
    without: ['test/accounts/kept.unit'],
  },
  // What is read from a request: its target, its key and its body; and the ledger of a provider.
  keys: {
    mutate: ['src/mock/{ledger,requests}/*.ts'],
    tests: [
      'test/drill/ledger',
      'test/requests/*',
      'test/verify/forms',
      'test/handlers/{refusal,request,tokens}',
    ],
    without: ['test/requests/request-lifecycle.unit'],
  },
  // The path of a request, from its head to the end of its response.
  requests: {
    mutate: ['src/service/**/*.ts'],
    tests: [
      'test/{accounts,responses,requests,handlers}/*',
      'test/connections/{leaving-clients,plain-http,protocols,running-requests,slow-clients}',
      'test/webhooks/attempts',
      'test/clock/*',
    ],
    without: [
      'test/handlers/{uncaught,unsettled}',
      'test/clock/system-clock.unit',
      'test/accounts/kept.unit',
    ],
    isolate: true,
  },
  // What handlers do later.
  later: {
    mutate: ['src/{webhook,mock/webhooks,mock/clock,mock/prompts}/*.ts'],
    tests: [
      'test/{webhooks,clock,prompts}/*',
      'test/accounts/account.unit',
      'test/{control,requests}/limits',
      'test/handlers/unsettled',
      'test/journal/filters',
    ],
    without: ['test/webhooks/certificates'],
    isolate: true,
  },
  // What happened, and whether that was expected.
  journal: {
    mutate: ['src/mock/{journal,verify}/*.ts'],
    tests: ['test/{journal,verify,webhooks}/*', 'test/accounts/forgotten-keys.unit'],
    without: ['test/webhooks/certificates'],
    isolate: true,
  },
  secrets: {
    mutate: ['src/mock/redaction/*.ts'],
    tests: ['test/secrets/{*.unit,not-secret}', 'test/accounts/forgotten-keys.unit'],
    without: ['test/secrets/linear-redaction.unit'],
  },
  control: {
    mutate: ['src/control/**/*.ts'],
    tests: [
      'test/control/**/*',
      'test/library/over-http',
      'test/state/control',
      'test/accounts/accounts',
      'test/journal/events',
      'test/requests/key-hints',
      'test/webhooks/script',
    ],
  },
  // The files of the page with tests in this process. The others run in a browser alone.
  page: {
    mutate: ['src/page/{curl,journal,json,rates}.ts'],
    tests: ['test/page/*.unit'],
  },
  connections: {
    mutate: ['src/net/**/*.ts'],
    tests: [
      'test/connections/{broken-request,leaving-clients,plain-http,protocols,running-requests,slow-clients}',
      'test/connections/{host,listen}.unit',
      'test/requests/request-lifecycle.unit',
      'test/control/{bodies,broken-request,overview,proxy,routes}',
    ],
    isolate: true,
  },
  // From a start to a stop, with the log.
  starts: {
    mutate: ['src/*.ts', 'src/{log,server,shipped}/*.ts', '!src/{vitest,jest}.ts'],
    tests: [
      'test/log/*',
      'test/connections/listen.unit',
      'test/connections/{plain-http,leaving-clients}',
      'test/control/{mock-server.unit,overview,proxy}',
      'test/journal/events',
      'test/tls/modes',
      'test/settings/start-options.unit',
    ],
    isolate: true,
  },
  certificates: {
    mutate: ['src/tls/**/*.ts'],
    tests: ['test/tls/*'],
    without: ['test/tls/{simultaneous-starts,unwritable-folder}.unit', 'test/tls/strict-clients'],
    isolate: true,
  },
  fixtures: {
    mutate: ['src/fixtures/**/*.ts'],
    tests: [
      'test/fixtures/*',
      'test/requests/request-schema.unit',
      'test/handlers/{handler-module.unit,modules}',
    ],
    isolate: true,
  },
  commands: {
    mutate: ['src/{settings,cli}/**/*.ts', '!src/cli/{check,record,real-settings}.ts'],
    tests: ['test/{cli,run,settings}/*'],
    without: [
      'test/cli/{npm,output,stop,terminal}',
      'test/run/{clients,output,process,redirect-python,redirect-runtimes}',
    ],
  },
  // What compares and records the real service.
  shapes: {
    mutate: ['src/shape/*.ts', 'src/cli/{check,record,real-settings}.ts'],
    tests: ['test/real-service/*'],
    isolate: true,
  },
  library: {
    mutate: ['src/{library,runners}/**/*.ts', 'src/vitest.ts'],
    // The tests of what a mock remembers run by the library in this process. over-http compares.
    tests: [
      'test/{library,state,clock}/*',
      'test/journal/{filters,waits}',
      'test/verify/{matchers,strict-check.unit,verify,webhooks}',
      'test/webhooks/{attempts,script}',
      'test/accounts/accounts',
      'test/responses/{balance,rate-limit,scripted}',
    ],
    without: ['test/library/{close,output,redirect-kept-connections}', 'test/state/sizes'],
  },
};
