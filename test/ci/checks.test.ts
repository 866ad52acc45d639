import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT, readDocument } from '../docs/documents.ts';
import { openNodeProject } from '../docs/node-project.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { PACKAGES } from '../support/machine.ts';
import { ciFiles, readYaml, type Written } from './written.ts';

describe('.ci/languages', () => {
  /** What it prints, and the lines that it installs by, on a Debian that has none of the packages. */
  function languages(env: Record<string, string>) {
    const folder = temporaryFolder();
    const log = join(folder, 'log');
    writeFiles(folder, {
      'bin/dpkg': 'exit 1',
      'bin/apt-get': `echo "$*" >> ${log}`,
      'bin/id': 'echo 1000',
      'bin/sudo': `echo sudo >> ${log}; exec "$@"`,
    });
    const bin = join(folder, 'bin');
    for (const name of readdirSync(bin)) {
      const text = readFileSync(join(bin, name), 'utf8');
      writeFiles(bin, { [name]: `#!/bin/sh\n${text}\n` });
      chmodSync(join(bin, name), 0o755);
    }
    const PATH = `${bin}:/usr/bin:/bin`;
    const printed = execFileSync('bash', [join(ROOT, '.ci/languages')], { env: { ...env, PATH } });
    return { printed: `${printed}`, installed: existsSync(log) ? readFileSync(log, 'utf8') : '' };
  }

  it('says outside of CI what it would install, and installs nothing', () => {
    const { printed, installed } = languages({});
    expect(installed).toBe('');
    expect(printed).toMatch(/^not installed: .*redis-server.* ruby .*\. CI=true \.ci\/languages/);
  });

  it('installs in CI each package that the reason of a skip names, by sudo where it is not root', () => {
    const { installed } = languages({ CI: 'true' });
    expect(installed).toMatch(/^sudo\nupdate -qq\nsudo\ninstall .*redis-server/);
    const packages = new Set(installed.match(/[\w-]+/g));
    const reasons = ['test/control/metrics.test.ts', 'test/docs/trust.test.ts'].flatMap((file) =>
      [...readDocument(file).matchAll(/apt-get install ([\w-]+)/g)].map(([, name = '']) => name),
    );
    expect(reasons).toHaveLength(2);
    for (const name of [...Object.values(PACKAGES), ...reasons]) expect(packages).toContain(name);
  });
});

it('each workflow that checks a change or the night allows no skip', () => {
  const steps = ciFiles(/\.yml$/, '.github/workflows').flatMap((path) =>
    readYaml(path).flatMap(({ jobs }) => Object.values<Written>(jobs)),
  );
  const checks = steps
    .flatMap(({ steps = [] }) => steps)
    .filter(({ run }: Written) => run === '.ci/run');
  expect(checks.map(({ env }: Written) => env)).toEqual([{ TEST_SKIPS: 'none' }]);
  expect(readDocument('.ci/nightly')).toMatch(/^export TEST_SKIPS=none$/m);
});

describe('at the end of a run', () => {
  /** What vitest prints for a test file with the reporters of this project, and its exit code. */
  function report(code: string, variables = '', flags = '') {
    const project = openNodeProject();
    project.write('a.test.js', `import { describe, expect, it } from 'vitest';\n${code}`);
    const reporters = ['skips', 'failures'].map(
      (name) => `--reporter=${join(ROOT, `test/support/${name}.ts`)}`,
    );
    const own = 'env -u VITEST -u VITEST_WORKER_ID -u VITEST_POOL_ID -u CI -u TEST_BUILD';
    const vitest = `node node_modules/vitest/vitest.mjs run --root . ${reporters.join(' ')} ${flags}`;
    const printed = project.run(`${own} ${variables} ${vitest} 2>&1; echo "code $?"`);
    return printed.slice(printed.indexOf('\n\n') + 1).trim();
  }

  it('a skip without a reason is an error', () => {
    const lines = 'Tests were skipped:\n    1  no reason given: give one';
    expect(report("it.skipIf(true)('a', () => {}); it('b', () => {});")).toBe(`${lines}\ncode 1`);
  });

  it('tests that were not chosen are no skips', () => {
    expect(report("it('a', () => {}); it('b', () => {});", '', '-t a')).toBe('code 0');
  });

  it.each([
    ['curl is not installed', '', 0],
    ['curl is not installed', 'TEST_SKIPS=none', 1],
    ['this Node has no such thing', 'TEST_SKIPS=none', 0],
  ])('the reason of a skip is said: %s %s', (reason, variables, code) => {
    const tests = `for (const name of ['a', 'b']) it(name, ({ skip }) => skip('${reason}'));
      describe('suite', { skip: true, meta: { whySkipped: '${reason}' } }, () => it('c', () => {}));`;
    const lines = `Tests were skipped:\n    3  ${reason}`;
    expect(report(tests, variables)).toBe(`${lines}\ncode ${code}`);
  });

  it('a failure is followed by the line that runs it again', () => {
    const tests = `describe("it's (a|b)", () => it('fails: $x', () => expect(1).toBe(2)));
      it('passes', () => {});`;
    const printed = report(
      tests,
      'TEST_BUILD=none TZ=UTC',
      '--sequence.shuffle.tests --sequence.seed=7',
    );
    const line = 'TEST_BUILD=none TZ=UTC npx vitest run a.test.js';
    expect(printed).toBe(
      `To run again what failed:
  ${line} -t '^it'\\''s \\(a\\|b\\) fails: \\$x$'
  ${line} --sequence.shuffle.tests --sequence.seed=7
code 1`,
    );
  });
});

it('a run removes what one that was killed has left, its processes too, and nothing of one that runs', async () => {
  const TMPDIR = temporaryFolder();
  const start = async () => {
    const code = `import { makeRunFolder } from '${join(ROOT, 'test/support/run-folder.mjs')}';
      import { spawn } from 'node:child_process';
      const folder = makeRunFolder('a-run-');
      const child = spawn('sleep', ['3600'], { cwd: folder, stdio: 'ignore' });
      console.log(JSON.stringify({ folder, pid: child.pid }));
      setInterval(() => {}, 1000);`;
    const args = ['--input-type=module', '-e', code];
    const run = spawn(process.execPath, args, { env: { TMPDIR, PATH: process.env.PATH } });
    const [text] = await once(run.stdout, 'data');
    const { folder, pid } = JSON.parse(text) as { folder: string; pid: number };
    onTestFinished(() => {
      run.kill('SIGKILL');
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    });
    return { run, folder, pid };
  };
  const [killed, runs] = [await start(), await start()];
  killed.run.kill('SIGKILL');
  await once(killed.run, 'exit');
  expect([existsSync(killed.folder), isRunning(killed.pid)]).toEqual([true, true]);
  await start();
  expect([existsSync(killed.folder), existsSync(runs.folder)]).toEqual([false, true]);
  await expect.poll(() => isRunning(killed.pid)).toBe(false);
  expect(isRunning(runs.pid)).toBe(true);
});

/** Whether a process runs. One that has ended may stay on the list where nobody waits for it. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
