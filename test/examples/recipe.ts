import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, ROOT, readDocument } from '../docs/documents.ts';

/** The folder of all examples. */
export const EXAMPLES = join(ROOT, 'examples');

/** The names of all recipes: each has a page in docs/recipes, and a folder in examples. */
export const RECIPES = readdirSync(join(ROOT, 'docs/recipes'))
  .filter((file) => file !== 'README.md')
  .map((file) => file.replace('.md', ''));

/** The path of a recipe's page. */
export function pageOf(recipe: string): string {
  return `docs/recipes/${recipe}.md`;
}

/** The command that a recipe prints, without the installation of packages before it. */
export function commandOf(recipe: string): string {
  const blocks = blocksOf(readDocument(pageOf(recipe)));
  const lines = blocks.filter(({ info }) => info === 'sh').flatMap(({ text }) => text.split('\n'));
  const [command, ...more] = lines.filter((line) => line !== '' && line !== INSTALL);
  if (!command || more.length > 0) throw new Error(`${pageOf(recipe)} is not for one command`);
  return command;
}

/** How a recipe installs the packages of Node that it needs. */
const INSTALL = 'npm install --install-links';
const LEFT_BY_RUNS = /^(\.|node_modules$|package-lock\.json$|__pycache__$)/;

/** The files of a recipe's example. */
export function filesOf(recipe: string): string[] {
  return readdirSync(join(EXAMPLES, recipe)).filter((file) => !LEFT_BY_RUNS.test(file));
}
