import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { ROOT } from '../docs/documents.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { startServer } from '../support/mock.ts';
import { writeStubs } from './java-stubs.ts';

// It compiles Java, which takes half a minute on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const run = promisify(execFile);

it('the Java test compiles, and trusts the certificate that the control API gives', async (context) => {
  needs(context, 'javac');
  const folder = temporaryFolder();
  const sources = [join(ROOT, 'examples/ci/MomoMockTest.java'), ...writeStubs(folder)];
  // Without a locale it finds no file whose path has other letters than ASCII.
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  await run('javac', ['-d', folder, ...sources], { env });

  const mock = await startServer({}, { API_KEYS: 'test_alice' });
  const control = new URL(mock.controlUrl ?? '').port;
  const ports = [`-Dport.8443=${mock.port}`, `-Dport.8480=${control}`];
  await run('java', ['-cp', folder, ...ports, 'Main']);
  expect(mock.records.filter(({ status }) => status === 200)).toHaveLength(1);
});
