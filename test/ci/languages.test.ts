import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandOf, EXAMPLES } from '../examples/recipe.ts';
import { readYaml, type Written } from './written.ts';

/** What gets momo-mock where no package.json names it. Nothing is released, so there is no tag. */
const FETCHED = /^npx --yes --package=git\+https:\/\/\S+\/OWNER\/momo-mock\.git momo-mock /;

describe.each(['python', 'go', 'java'])('the workflow for a %s repository', (language) => {
  const [workflow] = readYaml(`examples/ci/github-${language}.yml`);
  const lines: string[] = workflow.jobs.test.steps.flatMap((step: Written) => step.run ?? []);
  const line = lines.at(-1) ?? '';

  it('runs the command of the recipe, and installs momo-mock', () => {
    expect(line).toMatch(FETCHED);
    const own = line.replace(FETCHED, 'npx momo-mock ').replace(' --expect-requests', '');
    expect(commandOf(language).replace(/^(\w+=\S+ )+/, '')).toBe(own);
  });

  it('needs no Node files in the repository', () => {
    expect(lines.filter((one) => /\bnpm\b/.test(one))).toEqual([]);
    expect(existsSync(join(EXAMPLES, language, 'package.json'))).toBe(false);
  });
});
