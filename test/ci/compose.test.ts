import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, type TestContext } from 'vitest';
import { blockOf, readDocument } from '../docs/documents.ts';
import { keepPackages, registryEnv, restorePackages } from '../package/kept-packages.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { schemaCheck } from './schema-check.ts';
import { parseYaml, readYaml } from './written.ts';

const run = promisify(execFile);
const problemsOf = schemaCheck('compose');
const [example] = readYaml('examples/ci/compose.yaml');
const PAGE = readDocument('docs/containers-and-ci.md');
const [shown] = parseYaml(blockOf(PAGE, 'yaml compose'));
const [webhooks] = parseYaml(blockOf(PAGE, 'yaml webhooks'));

it.each([
  ['the example', example],
  ['what docs/containers-and-ci.md shows', shown],
  ['what it shows for webhooks', webhooks],
])('%s is a file by the Compose specification', (_which, file) => {
  expect(problemsOf(file)).toEqual([]);
});

it('the tests reach the mock by an alias in its certificate, on the port it serves', () => {
  const { 'momo-mock': mock, tests } = example.services;
  const { hostname, port } = new URL(tests.environment.MOMO_BASE_URL);
  expect(mock.networks.default.aliases).toContain(hostname);
  expect(mock.environment.MOMO_MOCK_TLS_HOSTS.split(',')).toContain(hostname);
  expect(port || '443').toBe(String(mock.environment.MOMO_MOCK_PORT));
});

it('docs/containers-and-ci.md allows webhooks to the service that gets them', () => {
  const { 'momo-mock': mock, ...others } = webhooks.services;
  const { hostname } = new URL(others.shop.environment.WEBHOOK_URL);
  expect(mock.environment.MOMO_MOCK_WEBHOOK_HOSTS).toBe(hostname);
  expect(Object.keys(others)).toEqual([hostname]);
});

it('waits for a health check that the image has', () => {
  expect(example.services.tests.depends_on['momo-mock'].condition).toBe('service_healthy');
  expect(readDocument('Dockerfile')).toMatch(/^HEALTHCHECK /m);
});

const PASSES = `require('node:test').test('a test', () => {});`;
const FAILS = `require('node:test').test('a test', () => { throw new Error('on purpose'); });`;

it('docs/containers-and-ci.md runs the tests with the command of the example', () => {
  const { image, command, volumes, working_dir } = example.services.tests;
  expect(shown.services.tests).toMatchObject({ image, command, volumes, working_dir });
});

it('the example runs the tests in ./tests', async (context) => {
  const { image, command, volumes, working_dir } = example.services.tests;
  expect(volumes).toContain(`./tests:${working_dir}:ro`);
  const parent = temporaryFolder();
  // A package.json in a folder above it could make the tests ES modules.
  writeFileSync(join(parent, 'package.json'), '{"private":true}');
  const cwd = join(parent, 'tests');
  mkdirSync(cwd);
  const [program, ...args] = command.split(' ');
  expect(program).toBe('node');
  const node = await nodeOf(image, parent, context);
  writeFileSync(join(cwd, 'balance.test.js'), PASSES);
  expect((await run(node, args, { cwd, env: {} })).stdout).toContain('pass 1\n');
  writeFileSync(join(cwd, 'balance.test.js'), FAILS);
  await expect(run(node, args, { cwd, env: {} })).rejects.toMatchObject({ code: 1 });
});

/** The Node of an image such as `node:24-slim`, from npm. */
async function nodeOf(image: string, folder: string, context: TestContext): Promise<string> {
  const [, major] = /^node:(\d+)-slim$/.exec(image) ?? [];
  if (process.versions.node.split('.')[0] === major) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (restorePackages(folder, `${name}@${major}`)) return program;
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0'];
  const args = ['install', ...flags, `${name}@${major}`];
  await run('npm', args, { cwd: folder, env: registryEnv() }).catch(({ stderr }) => {
    if (/E(NOTFOUND|AI_AGAIN|CONNREFUSED|TIMEDOUT)/.test(stderr)) {
      context.skip(`npm's registry, for Node ${major}, cannot be reached`);
    }
    throw new Error(stderr);
  });
  keepPackages(folder, `${name}@${major}`);
  return program;
}
