import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFiles } from '../support/fixture-folder.ts';
import { ROOT } from './documents.ts';
import { openShell, type Shell } from './shell.ts';

/** A shell in a project of Node that has momo-mock, and vitest. */
export interface NodeProject extends Shell {
  /** Writes a file of the project. */
  write(name: string, text: string): void;
  /** Makes a package that momo-mock has for its own tests a package of the project. */
  link(name: string): void;
  /** Runs the project's tests with vitest; throws where one fails. */
  vitest(): string;
}

/** Makes a project in a temporary folder; it is gone after the test. */
export function openNodeProject(): NodeProject {
  const shell = openShell();
  const link = (name: string, target: string): void => {
    const path = join(shell.folder, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  link('momo-mock', ROOT);
  link('vitest', join(ROOT, 'node_modules/vitest'));
  const project: NodeProject = {
    ...shell,
    link: (name) => link(name, join(ROOT, 'node_modules', name)),
    write: (name, text) => writeFiles(shell.folder, { [name]: text }),
    // What vitest passes to its workers is not for a vitest inside of one.
    vitest: () =>
      shell.run(
        'env -u VITEST -u VITEST_WORKER_ID -u VITEST_POOL_ID node node_modules/vitest/vitest.mjs run --root . --testTimeout 60000',
      ),
  };
  project.write('package.json', '{ "type": "module" }');
  return project;
}
