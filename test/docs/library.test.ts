import { expect, it } from 'vitest';
import { SETTINGS } from '../support/program.ts';
import { membersOf } from './declarations.ts';
import { blockOf, readDocument } from './documents.ts';
import { openNodeProject } from './node-project.ts';
import { tablesIn } from './tables.ts';

const PAGE = readDocument('docs/library.md');

it('MomoStartOptions has an option for each setting that is not for commands only', () => {
  const settings = Object.entries<object>(SETTINGS).filter(
    ([name, setting]) => !('forCommands' in setting) && !name.startsWith('CONTROL_'),
  );
  const options = settings.map(([name]) =>
    name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  const names = membersOf('MomoStartOptions').map(({ name }) => name);
  expect(options.filter((option) => !names.includes(option))).toEqual([]);
});

/** What a user of the library gets: the page has a table of each. */
const INTERFACES = [
  ...['MomoStartOptions', 'MomoConnectOptions', 'RedirectOptions', 'MomoAccountOptions'],
  ...['MomoScope', 'MomoTarget', 'MomoMock', 'MomoAccount', 'MomoState'],
];

it('docs/library.md has tables of all options and members', () => {
  const shown = tablesIn(PAGE).flatMap(({ of }) => of.split(' '));
  expect(shown).toEqual(expect.arrayContaining(INTERFACES));
});

it.each(INTERFACES)('%s has a comment above each member', (name) => {
  const members = membersOf(name);
  expect(members).not.toEqual([]);
  expect(members.filter(({ summary }) => summary === '')).toEqual([]);
});

it('docs/library.md shows what the methods of the state return', () => {
  const project = openNodeProject();
  project.write('main.js', blockOf(PAGE, 'js state'));
  expect(project.run('node main.js')).toBe(blockOf(PAGE, 'text state'));
});

it('docs/library.md shows a program that prints what it says', () => {
  const project = openNodeProject();
  const [, program = '', printed = ''] =
    /```js run\n(.*?)```\s+It prints `([^`]+)`/s.exec(PAGE) ?? [];
  project.write('main.js', program);
  expect(project.run('node main.js')).toBe(`${printed}\n`);
});
