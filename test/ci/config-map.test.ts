import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { startServer } from '../support/mock.ts';
import { readYaml } from './written.ts';

const objects = readYaml('examples/ci/kubernetes.yaml');
const { data } = objects.find(({ kind }) => kind === 'ConfigMap');
const { spec: pod } = objects.find(({ kind }) => kind === 'Deployment').spec.template;
const [{ configMap }] = pod.volumes;
const items: { key: string; path: string }[] = configMap.items;

/** Puts a version of a ConfigMap into a volume as the kubelet does: one rename shows all of it. */
function project(volume: string, version: string, content: Record<string, string>): void {
  const own = join(volume, `..${version}`);
  for (const { key, path } of items) {
    mkdirSync(dirname(join(own, path)), { recursive: true });
    writeFileSync(join(own, path), content[key] ?? '');
  }
  symlinkSync(`..${version}`, join(volume, '..data_tmp'));
  renameSync(join(volume, '..data_tmp'), join(volume, '..data'));
}

it('a mock serves the fixtures of a ConfigMap from its volume, and then those of its next version', async () => {
  const volume = temporaryFolder();
  project(volume, '2026_01_01', data);
  for (const top of new Set(items.map(({ path }) => path.split('/')[0] ?? ''))) {
    symlinkSync(join('..data', top), join(volume, top));
  }

  const mock = await startServer({}, { FIXTURES_DIR: volume });
  const body = async (path: string) => (await ask(mock, path)).json;
  expect(await body('/momo/balance')).toEqual(JSON.parse(data['balance.get.json']));
  expect(await body('/momo/status/any')).toEqual(JSON.parse(data['status.get.json']));

  project(volume, '2026_01_02', { ...data, 'balance.get.json': '{ "balance": 1 }' });
  rmSync(join(volume, '..2026_01_01'), { recursive: true });
  await expect.poll(() => body('/momo/balance')).toEqual({ balance: 1 });
});

it('each item is a file of the ConfigMap, mounted where the image looks for fixtures', () => {
  expect(items.map(({ key }) => key).sort()).toEqual(Object.keys(data).sort());
  const [{ volumeMounts }] = pod.containers;
  const [fixtures] = volumeMounts;
  expect(fixtures).toMatchObject({ name: pod.volumes[0].name, mountPath: '/momo/fixtures' });
});
