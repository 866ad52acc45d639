import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { type Files, temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { problemsIn, startMock } from '../support/mock.ts';

/** Whether this Node strips types, which Node 20 does not know of. */
const RUNS_TYPESCRIPT = Boolean(Reflect.get(process.features, 'typescript'));

/** The text of a handler whose body is a JavaScript expression. */
const handlerOf = (code: string) => `export default () => ({ body: ${code} });`;

/** The folder of a fixture tree in another one, which is that of files whose paths begin with `../`. */
function treeOf(files: Files): string {
  const folder = join(temporaryFolder(), 'user');
  writeFiles(folder, files);
  return folder;
}

/** The body of the handler when a separate mock loads the tree. */
async function bodyOf(fixturesDir: string, path = '/a'): Promise<unknown> {
  const { json, text } = await ask(await startMock({}, { fixturesDir }), path);
  return json ?? text;
}

describe('a handler', () => {
  it.each<{ name: string; files: Files; path: string; body: unknown }>([
    { name: 'a .js file', files: { 'a.get.js': handlerOf('1') }, path: '/a', body: 1 },
    {
      name: 'a file with a byte order mark',
      files: { 'a.get.js': `\uFEFF${handlerOf('1')}` },
      path: '/a',
      body: 1,
    },
    { name: 'a .mjs file', files: { 'a.get.mjs': handlerOf('1') }, path: '/a', body: 1 },
    {
      name: 'in place of a shipped file',
      files: { 'momo/balance.get.js': handlerOf('1') },
      path: '/momo/balance',
      body: 1,
    },
    {
      name: 'in place of a shipped error',
      files: { 'errors/404.js': handlerOf('1') },
      path: '/nowhere',
      body: 1,
    },
    {
      name: 'an ES module like its imports, whatever a package.json says',
      files: {
        'a/[x].get.js': `import { b } from '../_b.js';
          import c from '../_c.json' with { type: 'json' };
          export default () => ({ body: [b, c] });`,
        '_b.js': "import { x } from './_lib/x y%2520é.js'; export const b = x;",
        '_lib/x y%20é.js': 'export const x = 1;',
        '_c.json': '2',
        '../package.json': { type: 'commonjs' },
      },
      path: '/a/7',
      body: [1, 2],
    },
    {
      name: 'a module with its own packages, and packages of shared modules',
      files: {
        'package.json': '{"type":"commonjs","dependencies":{"b":"*"}}',
        'a.get.js': `import b from 'b'; import { c } from './_lib/c.js';
          export default () => ({ body: [b, c] });`,
        'node_modules/b/package.json': '{"main":"b.js"}',
        'node_modules/b/b.js': 'module.exports = "b";',
        '_lib/c.js': "import c from 'c'; export { c };",
        '_lib/node_modules/c/index.js': 'module.exports = "c";',
      },
      path: '/a',
      body: ['b', 'c'],
    },
    {
      name: 'a module that imports Node modules, packages and files outside the tree',
      files: {
        'a.get.js': `import { sep } from 'node:path'; import b from 'b'; import c from '../c.mjs';
          export default () => ({ body: [sep, b, new URL(c).pathname.split('/').at(-1), new URL(c).search] });`,
        '../node_modules/b/index.js': 'module.exports = "b";',
        '../c.mjs': 'export default import.meta.url;',
      },
      path: '/a',
      body: ['/', 'b', 'c.mjs', ''],
    },
  ])('may be $name', async ({ files, path, body }) => {
    expect(await bodyOf(treeOf(files), path)).toEqual(body);
  });

  it('may be TypeScript, if this Node strips types', async (context) => {
    context.skip(!RUNS_TYPESCRIPT, 'this Node does not run TypeScript');
    const folder = treeOf({
      'a.get.ts': "import { b } from './_b.ts'; export default (): object => ({ body: b });",
      '_b.ts': 'export const b: number = 1;',
    });
    expect(await bodyOf(folder)).toBe(1);
    writeFiles(folder, {
      '../package.json': { type: 'commonjs' },
      '_b.ts': 'export const b: number = 2;',
    });
    expect(await bodyOf(folder)).toBe(2);
  });

  it('in TypeScript is a problem if this Node does not strip types', async (context) => {
    context.skip(RUNS_TYPESCRIPT, 'this Node runs TypeScript');
    const files = { 'a.get.ts': handlerOf('1'), 'b.get.js': "import './_b.ts';", '_b.ts': '' };
    const why =
      'it, or a module that it imports, is TypeScript, which this Node does not run. Use Node 22.18 or newer, or write .js.';
    expect(await problemsIn(treeOf(files))).toEqual([
      `Failed to read a.get.ts: ${why}`,
      `Failed to read b.get.js: ${why}`,
    ]);
  });
});

describe('a reloaded tree', () => {
  /** The number of responses of a module shows whether it is the same module. */
  const FILES: Files = {
    'a.get.js': `import { b } from './_lib/b.js'; let calls = 0;
      export default () => ({ body: [b, ++calls] });`,
    'd.get.json': 1,
    '_lib/b.js': "import c from './data/c.json' with { type: 'json' }; export const b = c;",
    '_lib/data/c.json': 1,
  };

  it.each<{ path: string; content: string; b: number }>([
    { path: '_lib/b.js', content: 'export const b = 2;', b: 2 },
    { path: '_lib/data/c.json', content: '3', b: 3 },
    { path: 'a.get.js', content: 'export default () => ({ body: [4, 1] });', b: 4 },
  ])('has the changes of $path, even when it changes back', async ({ path, content, b }) => {
    const folder = treeOf(FILES);
    expect(await bodyOf(folder)).toEqual([1, 1]);
    writeFiles(folder, { [path]: content });
    expect(await bodyOf(folder)).toEqual([b, 1]);
    writeFiles(folder, { [path]: FILES[path] });
    expect((await bodyOf(folder)) as number[]).toEqual([1, 1]);
  });

  it.each([
    ['d.get.json', true],
    ['a.get.js~', true],
    ['_lib/node_modules/b/index.js', true],
    ['../outside/x.js', true],
    ['_a~b.js', false],
    ['_phones.json', false],
  ])('keeps its modules after %s was written: %s', async (path, isSame) => {
    const folder = treeOf(FILES);
    writeFiles(folder, { '../outside/y.js': '1' });
    symlinkSync('..', join(folder, '_lib/loop'));
    symlinkSync('../../outside', join(folder, '_lib/outside'));
    expect(await bodyOf(folder)).toEqual([1, 1]);
    writeFiles(folder, { [path]: '1' });
    expect(await bodyOf(folder)).toEqual([1, isSame ? 2 : 1]);
  });

  it('follows links in the tree, as in a ConfigMap, and ignores broken links', async () => {
    const folder = treeOf({
      '..data/a.get.js': "import { b } from './_link/b.js'; export default () => ({ body: b });",
      '..data/lib/b.js': 'export const b = 1;',
    });
    symlinkSync('..data/a.get.js', join(folder, 'a.get.js'));
    symlinkSync('..data/lib', join(folder, '_link'));
    symlinkSync('lib', join(folder, '..data/_link'));
    for (const gone of ['_gone.js', '_gone']) symlinkSync('nowhere', join(folder, gone));
    symlinkSync('_self.js', join(folder, '_self.js'));
    expect(await bodyOf(folder)).toBe(1);
    writeFiles(folder, { '..data/lib/b.js': 'export const b = 2;' });
    expect(await bodyOf(folder)).toBe(2);
  });

  it('loads a failed module again, even if nothing in the tree changed', async () => {
    const folder = treeOf({ 'a.get.js': "import b from 'b'; export default b;" });
    expect(await problemsIn(folder)).toHaveLength(1);
    writeFiles(folder, { '../node_modules/b/index.js': 'module.exports = () => ({});' });
    expect(await problemsIn(folder)).toEqual([]);
  });
});

describe('a module that does not load is a problem, with its position if Node names one:', () => {
  const SHARED: Files = {
    '_b.js': 'export const b = 1;',
    '_syntax.js': '\nlet a = 1;\n  let a = 2;\n',
    '_throws.js': '\n  null.x;\n',
    '_bad.json': '{"a":\n oops}',
    '_d.json': '{}',
  };
  const NO_FUNCTION = 'Write export default (request, context) => ({ body: … }).';

  it.each([
    [
      'a syntax error',
      'export default () => {\n  const a = ;\n};\n',
      "a.get.js: it, or a module that it imports, does not load (SyntaxError: Unexpected token ';'). Correct it.",
    ],
    [
      'a syntax error in an imported file',
      'import "./_syntax.js";',
      "a.get.js: it, or a module that it imports, does not load (SyntaxError: Identifier 'a' has already been declared). Correct it.",
    ],
    [
      'a name that is not exported',
      'import {\n  nope } from "./_b.js";',
      /a\.get\.js:2:3: it does not load \(SyntaxError: .*'nope'.*\)\. Correct it\.$/,
    ],
    [
      'a missing file',
      '\nimport { c } from "./_c.js";',
      /a\.get\.js: it does not load \(Error: Cannot find module '.*_c\.js' imported from .*a\.get\.js\)\. Correct it\.$/,
    ],
    [
      'a missing package',
      '\nimport "./_b.js";\nimport "@x/y/z";',
      /a\.get\.js: it does not load \(Error: Cannot find package '@x\/y' imported from .*a\.get\.js\)\. Correct it\.$/,
    ],
    [
      'a missing Node module',
      "import 'node:nope';",
      /a\.get\.js: it does not load \(Error: No such built-in module: node:nope\)\. Correct it\.$/,
    ],
    [
      'JSON without an attribute',
      "import d from './_d.json';",
      /a\.get\.js: it does not load \(TypeError: Module ".*_d\.json" needs an import attribute .*\)\. Correct it\.$/,
    ],
    [
      'JSON with a mistake',
      "import d from './_bad.json' with { type: 'json' };",
      /a\.get\.js: it, or .*, does not load \(SyntaxError: .*_bad\.json: .*\)\. Correct it\.$/,
    ],
    [
      'an error',
      '\n   throw new RangeError("boom.");',
      'a.get.js:2:10: it throws while it is loaded (RangeError: boom). Correct it.',
    ],
    [
      'a Node error',
      'export default new URL("x");',
      'a.get.js:1:16: it throws while it is loaded (TypeError: Invalid URL). Correct it.',
    ],
    [
      'an error in an imported file',
      'import "./_throws.js";',
      /_throws\.js:2:8: it throws while it is loaded \(TypeError: .*null.*\)\. Correct it\.$/,
    ],
    [
      'a thrown value that is not an error',
      'throw "x";',
      'a.get.js: it throws while it is loaded (string: x). Correct it.',
    ],
    [
      'CommonJS',
      '\nmodule.exports = () => ({});',
      /a\.get\.js:2:1: it throws while it is loaded \(ReferenceError: module is not defined.*\)\. Correct it\.$/,
    ],
    [
      'no default export',
      'export const a = 1;',
      `a.get.js: its default export is not a function. ${NO_FUNCTION}`,
    ],
    [
      'a default export that is not a function',
      'export default { body: 1 };',
      `a.get.js: its default export is not a function. ${NO_FUNCTION}`,
    ],
  ])('%s', async (_what, code, expected) => {
    const wanted =
      typeof expected === 'string' ? `Failed to read ${expected}` : expect.stringMatching(expected);
    expect(await problemsIn(treeOf({ ...SHARED, 'a.get.js': code }))).toEqual([wanted]);
  });
});

describe('the name of a module', () => {
  it.each([
    ['phones.js', 'contains no HTTP method', 'Name it _phones.js if handlers import it, or like'],
    ['balance.gte.js', 'does not have the form', 'Did you mean balance.get.js?'],
    ['a.get.cjs', 'does not have the form', 'Name it like balance.get.json'],
    ['a.get.schema.js', '"schema" is reserved', 'Name the schema a.get.schema.json'],
    ['errors/x.js', 'is reserved for error responses', 'Name it by its status'],
    [
      'a.get.b.js',
      'its default file a.get.json (or .http, .js, .response.json) is missing',
      'Add that file',
    ],
  ])('%s is reported with the right name', async (path, cause, fix) => {
    const [problem, ...others] = await problemsIn(treeOf({ [path]: handlerOf('1') }));
    expect(problem).toContain(`Failed to read ${path}: `);
    expect(problem).toContain(cause);
    expect(problem).toContain(`. ${fix}`);
    expect(others).toEqual([]);
  });
});
