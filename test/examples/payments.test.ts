import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../docs/documents.ts';
import { type NodeProject, openNodeProject } from '../docs/node-project.ts';
import { EXAMPLES } from './recipe.ts';
import { pathWith } from './workshop.ts';

const EXAMPLE = join(EXAMPLES, 'payments');
const HANDLERS = readdirSync(join(EXAMPLE, 'fixtures'), { recursive: true })
  .map((name) => `fixtures/${name}`)
  .filter((name) => name.endsWith('.js'));

/** A copy of the example, where `momo-mock` and `vitest` can be imported. */
function openExample(): NodeProject {
  const project = openNodeProject();
  const filter = (path: string) => !/(node_modules|__pycache__|\/\.pytest_cache)$/.test(path);
  cpSync(EXAMPLE, project.folder, { recursive: true, filter });
  return project;
}

describe('the simulator of payments', { timeout: 120_000 }, () => {
  it('has less than 200 lines', () => {
    const lines = HANDLERS.flatMap((file) =>
      readFileSync(join(EXAMPLE, file), 'utf8').trimEnd().split('\n'),
    );
    expect(lines.length).toBeLessThan(200);
  });

  it('passes its tests with vitest', () => {
    expect(openExample().vitest()).toMatch(/Tests .*12 passed/);
  });

  it('passes its tests in Python', ({ skip }) => {
    const { folder, run } = openExample();
    const env = { PATH: `${folder}:${pathWith(join(folder, 'bin'))}` };
    const isThere = run('python3 -c "import pytest, requests" 2>/dev/null || echo no', env) === '';
    skip(!isThere, 'python is not installed: docs/recipes/python.md');
    expect(run('momo-mock run -- python3 -m pytest', env)).toMatch(/10 passed/);
  });

  it('has the types of momo-mock, which find mistakes', () => {
    const { run, write } = openExample();
    const check = `node '${join(ROOT, 'node_modules/typescript/bin/tsc')}' -p jsconfig.json || true`;
    expect(run(check)).toBe('');
    const type = "/** @type {import('momo-mock').Handler<{ body: { amount: number } }>} */";
    write(
      'fixtures/wrong.get.js',
      `${type}\nexport default ({ body }) => ({ status: '200', body: body.amuont });`,
    );
    expect(run(check)).toMatch(/'string' is not assignable[\s\S]*'amuont' does not exist/);
  });
});
