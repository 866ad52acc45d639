import { expect, it } from 'vitest';
import { blockOf, readDocument } from '../docs/documents.ts';
import { schemaCheck } from './schema-check.ts';
import { parseYaml, readYaml } from './written.ts';

const problemsOf = schemaCheck('compose');
const [example] = readYaml('examples/ci/compose.yaml');
const [shown] = parseYaml(blockOf(readDocument('README.md'), 'yaml'));

it.each([
  ['the example', example],
  ['what README shows', shown],
])('%s is a file by the Compose specification', (_which, file) => {
  expect(problemsOf(file)).toEqual([]);
});

it.each([
  ['a key that there is not', { depend_on: {} }],
  ['a condition that there is not', { depends_on: { 'momo-mock': { condition: 'healthy' } } }],
  ['a command that is none', { command: 5 }],
])('it would be refused for %s', (_what, change) => {
  const tests = { ...example.services.tests, ...change };
  expect(problemsOf({ ...example, services: { ...example.services, tests } })).not.toEqual([]);
});

it('reaches the mock by an alias that is on its certificate, at the port it serves', () => {
  const { 'momo-mock': mock, tests } = example.services;
  const { hostname, port } = new URL(tests.environment.MOMO_BASE_URL);
  expect(mock.networks.default.aliases).toContain(hostname);
  expect(mock.environment.MOMO_MOCK_TLS_HOSTS.split(',')).toContain(hostname);
  expect(port || '443').toBe(String(mock.environment.MOMO_MOCK_PORT));
});

it('waits for a health check that the image has', () => {
  expect(example.services.tests.depends_on['momo-mock'].condition).toBe('service_healthy');
  expect(readDocument('Dockerfile')).toMatch(/^HEALTHCHECK /m);
});
