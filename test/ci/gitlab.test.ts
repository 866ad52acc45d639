import { expect, it } from 'vitest';
import { schemaCheck } from './schema-check.ts';
import { readYaml } from './written.ts';

const problemsOf = schemaCheck('gitlab-ci');
const [pipeline] = readYaml('examples/ci/gitlab-ci.yml');

it('the pipeline is one by the schema of GitLab', () => {
  expect(problemsOf(pipeline)).toEqual([]);
});

it('asks the service by the name that is on the certificate of the image', () => {
  const [{ alias }] = pipeline.test.services;
  expect(alias).toBe('momo-mock');
  expect(new URL(pipeline.test.variables.MOMO_BASE_URL).hostname).toBe(alias);
});

it('names no variable of the job like a setting: they reach the service, too', () => {
  const names = Object.keys(pipeline.test.variables);
  expect(names.filter((name) => name.startsWith('MOMO_MOCK_'))).toEqual([]);
});

it('gives the certificate to the job alone: the service would warn of a file that it cannot find', () => {
  expect(pipeline.test.variables).not.toHaveProperty('NODE_EXTRA_CA_CERTS');
  const [fetched, exported] = pipeline.test.before_script;
  expect(fetched).toMatch(/--output momo-mock\.pem$/);
  expect(exported).toBe('export NODE_EXTRA_CA_CERTS="$CI_PROJECT_DIR/momo-mock.pem"');
});
