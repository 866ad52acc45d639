import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { blockOf, ROOT, readDocument } from '../docs/documents.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { startServer } from '../support/mock.ts';
import { parseYaml, type Written } from './written.ts';

const TEXT = readDocument('examples/ci/kubernetes.yaml');
/** Of which kinds' types the objects are. */
const MODULES: Record<string, string> = {
  ConfigMap: 'core/v1',
  PersistentVolumeClaim: 'core/v1',
  Service: 'core/v1',
  Deployment: 'apps/v1',
};

/** What the compiler says of the objects as those of the types of Kubernetes' own schema. */
function problemsOf(text: string): string {
  const folder = temporaryFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const lines = parseYaml(text).map(
    (object, index) =>
      `export const object${index}: import('kubernetes-types/${MODULES[object.kind]}').${object.kind} = ${JSON.stringify(object)};`,
  );
  const file = join(folder, 'objects.ts');
  writeFileSync(file, lines.join('\n'));
  const options =
    '--ignoreConfig --noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler';
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  try {
    execFileSync(process.execPath, [tsc, ...options.split(' '), '--types', '', file], {
      encoding: 'utf8',
    });
    return '';
  } catch (error) {
    return String((error as { stdout: string }).stdout);
  }
}

it('each object is valid by the types of the Kubernetes schema', () => {
  expect(problemsOf(TEXT)).toBe('');
});

it('the deployment runs one mock at a time, with its snapshot and certificate on a volume', () => {
  const objects = parseYaml(TEXT);
  const named = (kind: string) => objects.find((object) => object.kind === kind);
  const { replicas, strategy, template } = named('Deployment').spec;
  expect({ replicas, strategy }).toEqual({ replicas: 1, strategy: { type: 'Recreate' } });
  const { securityContext, volumes, containers } = template.spec;
  const [{ env, volumeMounts }] = containers;
  const { name } = volumes.find(
    ({ persistentVolumeClaim: claim }: Written) =>
      claim?.claimName === named('PersistentVolumeClaim').metadata.name,
  );
  const mount = volumeMounts.find((one: Written) => one.name === name);
  expect(mount.readOnly).toBeUndefined();
  const settings = Object.fromEntries(env.map((one: Written) => [one.name, one.value]));
  for (const setting of ['MOMO_MOCK_SNAPSHOT_FILE', 'MOMO_MOCK_CERTS_DIR']) {
    expect(dirname(settings[setting]), setting).toBe(mount.mountPath);
  }
  expect(settings.MOMO_MOCK_TLS_HOSTS.split(',')).toContain(named('Service').metadata.name);
  const [, group] = /^USER \d+:(\d+)$/m.exec(readDocument('Dockerfile')) ?? [];
  expect(`${securityContext.fsGroup}`).toBe(group);
});

/** The status of what a probe asks, as Kubernetes asks it: at the address of the pod. */
async function statusOf({ httpGet }: Written, settings: Record<string, string>): Promise<number> {
  const mock = await startServer({}, settings);
  const { port } = new URL(mock.controlUrl ?? '');
  const headers = Object.fromEntries(
    (httpGet.httpHeaders ?? []).map((one: Written) => [one.name, one.value]),
  );
  const { status } = await fetch(`http://127.0.0.1:${port}${httpGet.path}`, { headers });
  return status;
}

it('each probe asks the control API, which needs no process', async () => {
  const { containers } = parseYaml(TEXT).find(({ kind }) => kind === 'Deployment').spec.template
    .spec;
  const [{ startupProbe, readinessProbe, livenessProbe }] = containers;
  for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
    expect(probe.httpGet.port).toBe('control');
    expect(await statusOf(probe, {})).toBe(200);
  }
});

it('the probe for a mock with a token asks the control API with it', async () => {
  const block = blockOf(readDocument('docs/containers-and-ci.md'), 'yaml probe');
  const [{ readinessProbe }] = parseYaml(block);
  expect(await statusOf(readinessProbe, { CONTROL_TOKEN: 'TOKEN' })).toBe(200);
  expect(await statusOf(readinessProbe, { CONTROL_TOKEN: 'other' })).toBe(401);
  const indented = block.trim().replaceAll(/^/gm, ' '.repeat(10));
  const shown = TEXT.replace(/ {10}readinessProbe:\n(?: {12}.*\n)+/, `${indented}\n`);
  expect(shown).toContain('value: Bearer TOKEN');
  expect(problemsOf(shown)).toBe('');
});
