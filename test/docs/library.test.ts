import { expect, it } from 'vitest';
import { readSources } from '../architecture/sources.ts';
import { SETTINGS } from '../support/program.ts';
import { readDocument, rowsBelow } from './documents.ts';
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
    /(?:^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n)?^ {2}(?:readonly )?(\w+)\??[:(]/gms,
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
  ['startMomoMock\\(options\\)', ['MomoStartOptions']],
  ['connectMomoMock\\(controlUrl, options\\)', ['MomoConnectOptions']],
])('docs/library.md shows below "%s" each option of %j, and its default', (heading, interfaces) => {
  const properties = interfaces.flatMap(propertiesOf).filter(({ name }) => name !== 'account');
  const rows = rowsOf(heading);
  expect(rows.map(([name]) => name)).toEqual(properties.map(({ name }) => name));
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

it('docs/library.md names the members of a mock and an account', () => {
  const scope = propertiesOf('MomoScope');
  const target = propertiesOf('MomoTarget');
  const mock = [...scope, ...target, ...propertiesOf('MomoMock')].map(({ name }) => name);
  expect(new Set(rowsOf('The mock').map(([name]) => name))).toEqual(new Set(mock));
  const [, except = '', also = ''] =
    /^An account has these .+, except (.+)\. It also has (.+)\.$/m.exec(PAGE) ?? [];
  const account = propertiesOf('MomoAccount').map(({ name }) => name);
  const common = new Set([...scope, ...target].map(({ name }) => name).concat(account));
  expect(namesIn(except)).toEqual(mock.filter((name) => !common.has(name)).sort());
  expect(namesIn(also)).toEqual(account.filter((name) => !mock.includes(name)));
});

it('docs/library.md names the options of a new account', () => {
  const [row = ''] = /^\| `createAccount.*$/m.exec(PAGE) ?? [];
  const [, options = ''] = row.split('are ');
  expect(namesIn(options)).toEqual(
    propertiesOf('MomoAccountOptions')
      .map(({ name }) => name)
      .sort(),
  );
});

it('docs/library.md shows a program with its output', () => {
  const project = openNodeProject();
  const [, program = '', printed = ''] =
    /```js run\n(.*?)```\s+It prints `([^`]+)`/s.exec(PAGE) ?? [];
  project.write('main.js', program);
  expect(project.run('node main.js')).toBe(`${printed}\n`);
});
