import { expect, it } from 'vitest';
import { readSources } from '../architecture/sources.ts';
import { SETTINGS } from '../support/program.ts';
import { blockOf, codeOf, readDocument, rowsBelow } from './documents.ts';
import { openNodeProject } from './node-project.ts';

const PAGE = readDocument('docs/library.md');

/** A property of an interface, with the comment above it. */
interface Property {
  readonly name: string;
  readonly comment: string;
}

/** The properties and methods of an interface of the sources, without those of what it extends. */
function propertiesOf(name: string): Property[] {
  const declared = new RegExp(`^export interface ${name}\\b.*?\\{\\n(.*?)^\\}`, 'ms');
  const texts = readSources().map(({ path }) => readDocument(`src/${path}`));
  const bodies = texts.flatMap((text) => declared.exec(text)?.[1] ?? []);
  expect(bodies).toHaveLength(1);
  const found = (bodies[0] ?? '').matchAll(
    /(?:^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n)?^ {2}(?:readonly )?(\w+)\??[:(<]/gms,
  );
  return [...found].map(([, comment = '', name = '']) => ({ name, comment }));
}

/** The names in the first cell of each row below a heading, and the row's second cell. */
function rowsOf(heading: string): [name: string, fallback: string][] {
  return rowsBelow(PAGE, heading).flatMap(([names = '', fallback = '']) =>
    [...names.matchAll(/`(\w+)[^`]*`/g)].map(
      ([, name = '']) => [name, fallback.replaceAll('`', '')] as [string, string],
    ),
  );
}

it.each([
  ['startMomoMock\\(options\\)', ['MomoStartOptions', 'RedirectOptions']],
  ['connectMomoMock\\(controlUrl, options\\)', ['MomoConnectOptions', 'RedirectOptions']],
])('docs/library.md shows below "%s" each option of %j, and its default', (heading, interfaces) => {
  const properties = interfaces.flatMap(propertiesOf).filter(({ name }) => name !== 'account');
  const rows = rowsOf(heading);
  expect(rows.map(([name]) => name).sort()).toEqual(properties.map(({ name }) => name).sort());
  const wrong = properties.filter(({ name, comment }) => {
    const value = /@default ('[^']*'|\[[^\]]*\]|\d+|true|false)/.exec(comment)?.[1];
    return value !== undefined && new Map(rows).get(name) !== value;
  });
  expect(wrong).toEqual([]);
});

it('MomoStartOptions has an option for each setting that is not for commands only', () => {
  const settings = Object.entries<object>(SETTINGS).filter(
    ([name, setting]) => !('forCommands' in setting) && !name.startsWith('CONTROL_'),
  );
  const options = settings.map(([name]) =>
    name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  const names = propertiesOf('MomoStartOptions').map(({ name }) => name);
  expect(options.filter((option) => !names.includes(option))).toEqual([]);
});

const namesIn = (sentence: string) =>
  [...sentence.matchAll(/`(\w+)/g)].map(([, name = '']) => name).sort();

/** The members that a part of "The mock" lists. */
function membersOf(heading: string): string[] {
  const [part = ''] = PAGE.split(`### ${heading}\n`)[1]?.split(/^##/m) ?? [];
  const cells = [...part.matchAll(/^\| (`.*?) \|/gm)];
  return cells.flatMap(([, cell = '']) => namesIn(cell)).sort();
}

it.each([
  ['A mock or an account', ['MomoScope', 'MomoTarget']],
  ['Only the mock', ['MomoMock']],
  ['Only an account', ['MomoAccount']],
])('docs/library.md names below "%s" the members of %j', (heading, interfaces) => {
  const properties = interfaces.flatMap(propertiesOf).map(({ name }) => name);
  // A mock has its own `reset`, which does more.
  const common = heading === 'Only the mock' ? ['reset'] : [];
  expect(membersOf(heading)).toEqual(properties.filter((name) => !common.includes(name)).sort());
});

it('docs/library.md names the methods of the state', () => {
  const named = rowsBelow(PAGE, 'State').flatMap(([cell = '']) => namesIn(cell));
  const methods = propertiesOf('MomoState').map(({ name }) => name);
  expect(named.sort()).toEqual(methods.sort());
});

it('docs/library.md names types that there are', () => {
  const index = readDocument('src/index.ts');
  const named = rowsBelow(PAGE, 'Types').flatMap(([cell = '']) => codeOf(cell));
  expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(index))).toEqual([]);
});

it('docs/library.md names the options of a new account', () => {
  const [row = ''] = /^\| `createAccount.*$/m.exec(PAGE) ?? [];
  const [, options = ''] = row.split('options are ');
  expect(namesIn(options)).toEqual(
    propertiesOf('MomoAccountOptions')
      .map(({ name }) => name)
      .sort(),
  );
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
