// Makes the published folder dist/: `npm run build`.
//
// Plain tsc makes a program that runs with node_modules: `npm run build:plain`. The other steps
// make it start fast and install without dependencies: they bundle the program and its libraries
// into a few files, and add a loader.
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { contentsOf, LATER, leaveOut } from './later.mjs';
import { buildPage } from './page.mjs';
import { replaceFolder } from './replace-folder.mjs';
import { writeSchemas } from './schemas.mjs';
import { describeThirdParty } from './third-party.mjs';
import { compiledValidators } from './validators.mjs';

const ROOT = resolve(import.meta.dirname, '..');
process.chdir(ROOT);

/** What test runners load: small modules that are not bundled. */
const RUNNERS = [
  'vitest.js',
  'jest.js',
  'runners/matchers.js',
  'runners/strict-check.js',
  'mock/verify/contained.js',
  'mock/json/exact-json.js',
];

/** Files of src that Node, Python or Ruby loads by itself. */
const ON_THEIR_OWN = [
  'fixtures/tree-import.cjs',
  'redirect/preload.cjs',
  'redirect/sitecustomize.py',
  'redirect/tls-redirect.cjs',
  'redirect/momo_mock_redirect.rb',
];

/** The program, and the commands and the library that it exports. */
const PROGRAM = `exports.cli = () => require('./src/cli.cts');
  exports.library = () => require('./src/index.ts');`;

const began = new Date();
await replaceFolder(join(ROOT, 'dist'), buildAll);

/** Fills a folder with what is published. */
async function buildAll(dist) {
  tsc('-p', 'tsconfig.build.json', '--outDir', dist);
  const schemas = await writeSchemas(dist);
  const validators = await compiledValidators(dist);
  const runners = RUNNERS.map((file) => join(dist, file));
  leaveOnly(dist, [...entryTypes(dist), ...runners, ...schemas]);
  cpSync('build/loader', dist, { recursive: true });
  for (const file of ON_THEIR_OWN) cpSync(join('src', file), join(dist, basename(file)));
  const program = await bundle(dist, validators, { minify: true });
  describeThirdParty([...program, ...(await buildPage(dist))], dist);
  // `prepare` compares this: what is changed during a build is newer.
  utimesSync(join(dist, 'momo-mock.cjs'), began, began);

  // For profiles: the same bundle in a folder, with the names of functions and modules.
  const { readable } = parseArgs({ options: { readable: { type: 'string' } } }).values;
  if (readable) await bundle(readable, validators, { minify: false });
}

/** The type declarations that the exports of the package need. */
function entryTypes(dist) {
  const entries = ['index', 'vitest', 'jest'].map((name) => join(dist, `${name}.d.ts`));
  const listed = tsc('--listFilesOnly', '--ignoreConfig', '--module', 'nodenext', ...entries);
  return listed.split(/\r?\n/).map((file) => resolve(file));
}

/** Removes all other files from the folder. */
function leaveOnly(dist, files) {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !files.includes(file)) rmSync(file);
  }
}

/** Bundles the program and its libraries into a few files. Returns the bundled files. */
async function bundle(folder, validators, { minify }) {
  const bundled = async (name, contents, plugins) => {
    const { metafile } = await build({
      stdin: { contents, resolveDir: ROOT },
      outfile: join(folder, `${name}.cjs`),
      absWorkingDir: ROOT,
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      mainFields: ['module', 'main'],
      // V8 only keeps the compiled code of scripts, which have no import() and no import.meta.
      format: 'cjs',
      supported: { 'dynamic-import': false },
      define: { 'import.meta.url': 'BUNDLE_URL' },
      banner: { js: "const BUNDLE_URL = require('node:url').pathToFileURL(__filename).href;" },
      minify,
      // Node shows the line of an error that nobody catches.
      lineLimit: 120,
      legalComments: 'none',
      plugins,
      metafile: true,
    });
    return Object.keys(metafile.inputs);
  };
  const inputs = [await bundled('momo-mock', PROGRAM, [validators, leaveOut])];
  for (const [name, names] of Object.entries(LATER)) {
    inputs.push(await bundled(name, contentsOf(names), []));
  }
  return inputs.flat();
}

function tsc(...args) {
  const command = ['node_modules/typescript/bin/tsc', ...args];
  const stdio = ['ignore', 'pipe', 'inherit'];
  return execFileSync(process.execPath, command, { stdio, encoding: 'utf8' });
}
