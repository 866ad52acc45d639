import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, ROOT, readDocument } from '../docs/documents.ts';

/** The folder of all examples. */
export const EXAMPLES = join(ROOT, 'examples');

/** The names of all recipes: each has a page in docs/recipes, and one or more projects in examples. */
export const RECIPES = readdirSync(join(ROOT, 'docs/recipes'))
  .filter((file) => file !== 'README.md')
  .map((file) => file.replace('.md', ''));

/** The names of all example projects that a recipe explains. */
export const PROJECTS = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['ci', 'grafana'].includes(entry.name))
  .map(({ name }) => name);

/** The path of a recipe's page. */
export function pageOf(recipe: string): string {
  return `docs/recipes/${recipe}.md`;
}

/** The recipe that explains a project. One recipe explains all projects for Node. */
export function recipeOf(project: string): string {
  return RECIPES.includes(project) ? project : 'node';
}

/** The command that a project's recipe prints, without the installation of packages before it. */
export function commandOf(project: string): string {
  const recipe = recipeOf(project);
  const blocks = blocksOf(readDocument(pageOf(recipe)));
  const lines = blocks.filter(({ info }) => info === 'sh').flatMap(({ text }) => text.split('\n'));
  const [command, ...more] = lines.filter((line) => line !== '' && line !== INSTALL);
  if (!command || more.length > 0) throw new Error(`${pageOf(recipe)} is not for one command`);
  return command;
}

/** How a recipe installs the packages of Node that it needs. */
const INSTALL = 'npm install --install-links';
const LEFT_BY_RUNS = /^(\.|node_modules$|package-lock\.json$|__pycache__$)/;

/** The files of a project. */
export function filesOf(project: string): string[] {
  return readdirSync(join(EXAMPLES, project)).filter((file) => !LEFT_BY_RUNS.test(file));
}
