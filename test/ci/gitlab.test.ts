import { expect, it } from 'vitest';
import { schemaCheck } from './schema-check.ts';
import { readYaml } from './written.ts';

const problemsOf = schemaCheck('gitlab-ci');
const [pipeline] = readYaml('examples/ci/gitlab-ci.yml');

it('the pipeline is valid by the GitLab schema', () => {
  expect(problemsOf(pipeline)).toEqual([]);
});

it('the job calls the service by the name in the certificate of the image', () => {
  const [{ alias }] = pipeline.test.services;
  expect(alias).toBe('momo-mock');
  expect(new URL(pipeline.test.variables.MOMO_BASE_URL).hostname).toBe(alias);
});

it('no variable of the job is named like a setting, because variables also reach the service', () => {
  const names = Object.keys(pipeline.test.variables);
  expect(names.filter((name) => name.startsWith('MOMO_MOCK_'))).toEqual([]);
});

it('only the job gets the certificate, because the service would warn of a file that it cannot find', () => {
  expect(pipeline.test.variables).not.toHaveProperty('NODE_EXTRA_CA_CERTS');
  const [fetched, exported] = pipeline.test.before_script;
  expect(fetched).toMatch(/--output momo-mock\.pem$/);
  expect(exported).toBe('export NODE_EXTRA_CA_CERTS="$CI_PROJECT_DIR/momo-mock.pem"');
});
