import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT, readDocument } from '../docs/documents.ts';
import { openNodeProject } from '../docs/node-project.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { NOBODY, PACKAGES } from '../support/machine.ts';
import { ciFiles, readYaml, type Written } from './written.ts';

describe('.ci/languages', () => {
  /** What it prints, and the lines that it installs by, on a Debian that has none of the packages. */
  function languages(env: Record<string, string>) {
    const folder = temporaryFolder();
    const log = join(folder, 'log');
    programs(folder, {
      dpkg: 'exit 1',
      'apt-get': `echo "$*" >> ${log}`,
      id: 'echo 1000',
      sudo: `echo sudo >> ${log}; exec "$@"`,
    });
    const PATH = `${join(folder, 'bin')}:/usr/bin:/bin`;
    const printed = execFileSync('bash', [join(ROOT, '.ci/languages')], { env: { ...env, PATH } });
    return { printed: `${printed}`, installed: existsSync(log) ? readFileSync(log, 'utf8') : '' };
  }

  it('prints outside CI what is missing, and installs nothing', () => {
    const { printed, installed } = languages({});
    expect(installed).toBe('');
    expect(printed).toMatch(/^not installed: .*nginx-light.* ruby .*\. CI=true \.ci\/languages/);
  });

  it('installs in CI each package that the reason of a skip names, with sudo if it is not root', () => {
    const { installed } = languages({ CI: 'true' });
    expect(installed).toMatch(/^sudo\nupdate -qq\nsudo\ninstall .*nginx-light/);
    const packages = new Set(installed.match(/[\w-]+/g));
    const reasons = ['test/control/metrics.test.ts', 'test/support/machine.ts'].flatMap((file) =>
      [...readDocument(file).matchAll(/apt-get install ([\w-]+)/g)].map(([, name = '']) => name),
    );
    expect(reasons).toHaveLength(3);
    for (const name of [...Object.values(PACKAGES), ...reasons]) expect(packages).toContain(name);
  });
});

it('the workflows for a change and for the night allow no skipped test', () => {
  const steps = ciFiles(/\.yml$/, '.github/workflows').flatMap((path) =>
    readYaml(path).flatMap(({ jobs }) => Object.values<Written>(jobs)),
  );
  const checks = steps
    .flatMap(({ steps = [] }) => steps)
    .filter(({ run }: Written) => run === '.ci/run');
  expect(checks.map(({ env }: Written) => env)).toEqual([{ TEST_SKIPS: 'none' }]);
  expect(readDocument('.ci/nightly')).toMatch(/^export TEST_SKIPS=none$/m);
});

/** Makes programs of a folder for the PATH of a test: shell scripts by name. */
function programs(folder: string, scripts: Readonly<Record<string, string>>): string {
  for (const [name, script] of Object.entries(scripts)) {
    writeFiles(folder, { [`bin/${name}`]: `#!/bin/sh\n${script}\n` });
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  return `${join(folder, 'bin')}:${process.env.PATH}`;
}

describe('.ci/run', () => {
  /** The exit code and the steps of a run in which one fails. */
  function check(failing: string) {
    const folder = temporaryFolder();
    const log = join(folder, 'log');
    const step = `echo "$name" >> ${log}; test "$name" != '${failing}'`;
    const PATH = programs(folder, {
      npm: `test "$1" = --version && exit; name="$1 $2"; ${step}`,
      languages: `name=languages; ${step}`,
    });
    writeFiles(folder, {
      '.ci/run': readDocument('.ci/run'),
      '.ci/tests.mjs': `import { appendFileSync } from 'node:fs';
        appendFileSync('log', 'tests');
        process.exit(${failing === 'tests' ? 1 : 0});`,
    });
    renameSync(join(folder, 'bin/languages'), join(folder, '.ci/languages'));
    const args = [join(folder, '.ci/run')];
    const { status } = spawnSync('bash', args, { env: { PATH }, stdio: 'ignore' });
    // At the same time as the others.
    const steps = readFileSync(log, 'utf8').trim().split('\n');
    return { status, steps: steps.filter((name) => name !== 'languages') };
  }
  const STEPS = ['ci --ignore-scripts', 'run typecheck', 'run lint', 'run build', 'tests'];

  it('runs all checks, the tests last', () => {
    expect(check('none')).toEqual({ status: 0, steps: STEPS });
  });

  it.each([...STEPS, 'languages'])('stops with an error at the step that fails: %s', (failing) => {
    const { status, steps } = check(failing);
    expect(status).toBe(1);
    expect(steps).toEqual(STEPS.slice(0, failing === 'languages' ? 4 : STEPS.indexOf(failing) + 1));
  });
});

describe('.ci/tests.mjs', () => {
  const RUNS = NOBODY === undefined ? 1 : 2;

  /** Its exit code and last line, where each run of vitest ends with a code and a report. */
  function check(code: number, report: object) {
    const folder = temporaryFolder();
    const PATH = programs(folder, { npm: `exec '${process.execPath}' vitest.mjs "$@"` });
    writeFiles(folder, {
      'vitest.mjs': `import { writeFileSync } from 'node:fs';
        const file = process.argv.find((it) => it.startsWith('--outputFile.json='));
        writeFileSync(file.slice(file.indexOf('=') + 1), '${JSON.stringify(report)}');
        process.exit(${code});`,
      '.ci/tests.mjs': readDocument('.ci/tests.mjs'),
      'test/support/run-folder.mjs': readDocument('test/support/run-folder.mjs'),
      // What root runs again.
      'test/a.test.ts': "skip('only root can do it');",
    });
    const TMPDIR = temporaryFolder();
    // For another user, where this is root.
    for (const path of [folder, TMPDIR]) chmodSync(path, 0o755);
    const options = { cwd: folder, env: { PATH, TMPDIR }, encoding: 'utf8' } as const;
    const { status, stdout } = spawnSync(process.execPath, ['.ci/tests.mjs'], options);
    expect(readdirSync(TMPDIR)).toEqual([]);
    return { status, tally: stdout.trim().split('\n').at(-1) };
  }
  const tally = (...counts: [passed: number, failed: number, skipped: number]) => {
    const [passed, failed, skipped] = counts.map((count) => count * RUNS);
    return `${passed} passed, ${failed} failed, ${skipped} skipped`;
  };
  const file = (status: string, ...tests: string[]) => ({
    status,
    assertionResults: tests.map((status) => ({ status })),
  });

  it.each<{ name: string; code: number; report: object; status: number; line: string }>([
    {
      name: 'all pass',
      code: 0,
      report: { numPassedTests: 5, numPendingTests: 1 },
      status: 0,
      line: tally(5, 0, 1),
    },
    {
      name: 'tests fail',
      code: 1,
      report: { numPassedTests: 5, testResults: [file('failed', 'passed', 'failed', 'failed')] },
      status: 1,
      line: tally(5, 2, 0),
    },
    {
      name: 'a file fails before its tests',
      code: 1,
      report: { numPassedTests: 5, testResults: [file('failed'), file('passed', 'passed')] },
      status: 1,
      line: tally(5, 1, 0),
    },
    {
      name: 'a test leaves something behind',
      code: 1,
      report: { numPassedTests: 5 },
      status: 1,
      line: tally(5, 0, 0),
    },
    {
      name: 'there are no tests',
      code: 0,
      report: { numPassedTests: 0 },
      status: 1,
      line: tally(0, 0, 0),
    },
  ])('has the right exit code and tally when $name', ({ code, report, status, line }) => {
    const whole = { numPendingTests: 0, testResults: [], ...report };
    expect(check(code, whole)).toEqual({ status, tally: line });
  });
});

describe('at the end of a run', () => {
  /** What vitest prints for a test file with the reporters of this project, and its exit code. */
  function report(code: string, variables = '', flags = '') {
    const project = openNodeProject();
    project.write('a.test.js', `import { describe, expect, it } from 'vitest';\n${code}`);
    const reporters = ['skips', 'failures'].map(
      (name) => `'--reporter=${join(ROOT, `test/support/${name}.ts`)}'`,
    );
    const own =
      'env -u VITEST -u VITEST_WORKER_ID -u VITEST_POOL_ID -u CI -u TEST_BUILD -u TEST_SKIPS';
    const vitest = `node node_modules/vitest/vitest.mjs run --root . ${reporters.join(' ')} ${flags}`;
    const printed = project.run(`${own} ${variables} ${vitest} 2>&1; echo "code $?"`);
    return printed.slice(printed.indexOf('\n\n') + 1).trim();
  }

  it('a skipped test without a reason is an error', () => {
    const lines = 'Tests were skipped:\n    1  no reason given: give one';
    expect(report("it.skipIf(true)('a', () => {}); it('b', () => {});")).toBe(`${lines}\ncode 1`);
  });

  it('tests that were not selected do not count as skipped', () => {
    expect(report("it('a', () => {}); it('b', () => {});", '', '-t a')).toBe('code 0');
  });

  it.each([
    ['curl is not installed', '', 0],
    ['curl is not installed', 'TEST_SKIPS=none', 1],
    ['this Node has no such thing', 'TEST_SKIPS=none', 0],
  ])(
    'the reason for a skipped test is printed: "%s" with the variables "%s"',
    (reason, variables, code) => {
      const tests = `for (const name of ['a', 'b']) it(name, ({ skip }) => skip('${reason}'));
      describe('suite', { skip: true, meta: { whySkipped: '${reason}' } }, () => it('c', () => {}));`;
      const lines = `Tests were skipped:\n    3  ${reason}`;
      expect(report(tests, variables)).toBe(`${lines}\ncode ${code}`);
    },
  );

  it('a failed test is followed by the line that runs it again', () => {
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

it('a run removes the files and processes that a killed run left, and none of a run in progress', async () => {
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
