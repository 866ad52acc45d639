// The pieces of src that are mutated, each with the tests that see its mutants soonest.

/** @type {Readonly<Record<string, { mutate: string[], tests: string[], spawns?: boolean, command?: boolean }>>} */
export const PIECES = {
  mock: {
    mutate: ['src/mock/**/*.ts'],
    tests: ['test/mock', 'test/hostile/redaction.test.ts', 'test/control'],
  },
  service: {
    mutate: ['src/service/**/*.ts'],
    tests: ['test/service', 'test/hostile', 'test/library'],
  },
  control: { mutate: ['src/control/**/*.ts'], tests: ['test/control'] },
  net: { mutate: ['src/net/**/*.ts'], tests: ['test/net', 'test/service', 'test/control'] },
  fixtures: { mutate: ['src/fixtures/**/*.ts'], tests: ['test/fixtures'] },
  tls: { mutate: ['src/tls/**/*.ts'], tests: ['test/tls'], spawns: true },
  config: {
    mutate: ['src/config/**/*.ts'],
    tests: ['test/config', 'test/library/start-options.test.ts'],
  },
  library: { mutate: ['src/library/**/*.ts', 'src/vitest.ts'], tests: ['test/library'] },
  cli: {
    mutate: ['src/cli/**/*.ts'],
    tests: ['test/cli', 'test/run', 'test/e2e/commands.test.ts'],
    spawns: true,
    command: true,
  },
  root: {
    mutate: ['src/*.ts', '!src/vitest.ts'],
    tests: ['test/service', 'test/control', 'test/library'],
  },
};
