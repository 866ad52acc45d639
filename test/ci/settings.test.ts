import { describe, expect, it } from 'vitest';
import { readDocument } from '../docs/documents.ts';
import { loadConfig, PREFIX, SETTINGS } from '../support/program.ts';
import { ciFiles, readYaml, type Written } from './written.ts';

/** What each file gives the mock. */
const GIVEN: Record<string, (file: Written[]) => Record<string, unknown>> = {
  'compose.yaml': ([file]) => file.services['momo-mock'].environment,
  'github-service.yml': ([file]) => file.jobs.test.services['momo-mock'].env,
  'gitlab-ci.yml': ([file]) => file.test.services[0].variables,
  'kubernetes.yaml': (objects) => {
    const [{ env }] = objects.find(({ kind }) => kind === 'Deployment').spec.template.spec
      .containers;
    return Object.fromEntries(env.map(({ name, value }: Written) => [name, value]));
  },
};

describe.each(Object.keys(GIVEN))('%s', (name) => {
  it('gives the mock valid settings', async () => {
    const given = GIVEN[name]?.(readYaml(`examples/ci/${name}`)) ?? {};
    expect(Object.keys(given).filter((key) => !key.startsWith(PREFIX))).toEqual([]);
    const env = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, `${value}`]));
    const config = await loadConfig({ flags: {}, env, dotenv: {}, readKeysFile: async () => '' });
    expect(config.keys.map(({ key }) => key)).toContain('test_alice');
  });
});

it.each(ciFiles(/./))('%s names only settings that exist', (path) => {
  const names = readDocument(path).match(/\bMOMO_MOCK_[A-Z_]+/g) ?? [];
  expect(names.filter((name) => !(name.slice(PREFIX.length) in SETTINGS))).toEqual([]);
});

it.each(ciFiles(/./))('%s uses the default ports, or sets others', (path) => {
  const ports = readDocument(path).match(/\b8\d{3}\b/g) ?? [];
  const defaults = [SETTINGS.PORT, SETTINGS.CONTROL_PORT].map(({ schema }) => `${schema.default}`);
  expect(ports.filter((port) => !defaults.includes(port))).toEqual([]);
});
