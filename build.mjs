// Builds what is published into dist/: the program in one file with all that it needs, the modules
// that stand before it, its types, and whose work is in it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { describeContents } from './build-contents.mjs';
import { leftOut } from './build-left-out.mjs';
import { precompiledValidators } from './build-validators.mjs';

process.chdir(import.meta.dirname);
const { readable } = parseArgs({ options: { readable: { type: 'string' } } }).values;
const DIST = readable ?? 'dist';
const target = 'node20.19';

/** Each part is run when it is asked for: the command does not pay for the library. */
const PROGRAM = `
exports.cli = () => require('./src/cli/main.ts');
exports.library = () => require('./src/index.ts');
exports.firstStart = () => require('./src/first-start.ts');
`;

/** Not an ES module: these take longer to load. */
const CLI = `#!/usr/bin/env node
require('./load.cjs')
  .cli()
  .main(process.argv.slice(2))
  .then((code) => {
    process.exitCode = code;
  });
`;

const INDEX = `import { library } from './load.cjs';

export const { connectMomoMock, MomoMockError, startMomoMock } = library();
`;

/** Libraries that no start needs, in files of their own, so that none has to read them. */
const LATE = {
  'control.cjs': ['fastify'],
  'json-places.cjs': ['jsonc-parser'],
  'certificate.cjs': ['selfsigned'],
  'schemas.cjs': [
    'ajv',
    'ajv/dist/2020.js',
    'ajv-formats',
    '@fastify/ajv-compiler',
    '@fastify/fast-json-stringify-compiler',
    '@fastify/swagger',
  ],
  'watch.cjs': ['chokidar'],
};

/** Has a file of the bundle take those that are in another from there. */
const lateLibraries = (taker) => ({
  name: 'late-libraries',
  setup({ onResolve, onLoad }) {
    const namespace = 'late';
    const others = Object.keys(LATE).filter((file) => file !== taker);
    const fileOf = (library) => others.find((file) => LATE[file].includes(library));
    onResolve({ filter: /^[@a-z]/ }, ({ path }) => fileOf(path) && { path, namespace });
    onResolve({ filter: /^\.\/[a-z-]+\.cjs$/, namespace }, ({ path }) => ({
      path,
      external: true,
    }));
    onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `module.exports = require('./${fileOf(path)}')['${path}']();`,
    }));
  },
});

/** One file of the bundle. Gives what it was made from. */
async function bundle(file, contents, plugins = []) {
  const { metafile } = await build({
    stdin: { contents, resolveDir: '.' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target,
    outfile: join(DIST, file),
    minify: readable === undefined,
    legalComments: 'none',
    mainFields: ['module', 'main'],
    // Code that V8 is handed by itself has no import(); all of it becomes require().
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'BUNDLE_URL' },
    banner: { js: "const BUNDLE_URL = require('node:url').pathToFileURL(__filename).href;" },
    plugins: [...plugins, lateLibraries(file)],
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

/** The program, and the libraries that it loads late. Gives what they were made from. */
async function buildProgram() {
  const late = Object.entries(LATE).map(([file, libraries]) => {
    const lines = libraries.map((name) => `exports['${name}'] = () => require('${name}');`);
    return bundle(file, lines.join('\n'), [leftOut]);
  });
  const main = bundle('momo-mock.cjs', PROGRAM, [precompiledValidators, leftOut]);
  return (await Promise.all([main, ...late])).flat();
}

/** Runs the program by code that was compiled before, where there is any. */
async function buildLoader() {
  const hashes = ['momo-mock.cjs', ...Object.keys(LATE)].map((file) => {
    const hash = createHash('sha256').update(readFileSync(join(DIST, file)));
    return [file, hash.digest('hex')];
  });
  await build({
    entryPoints: ['src/bundle/load.ts'],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target,
    outfile: join(DIST, 'load.cjs'),
    define: { HASHES: JSON.stringify(Object.fromEntries(hashes)) },
  });
}

/** vitest's entry takes the library from the one beside it, so that there is one of it. */
async function buildVitestEntry() {
  const besideIt = {
    name: 'beside-it',
    setup: ({ onResolve }) =>
      onResolve({ filter: /index\.ts$/ }, () => ({ path: './index.js', external: true })),
  };
  await build({
    entryPoints: ['src/vitest.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target,
    external: ['vitest'],
    plugins: [besideIt],
    outfile: join(DIST, 'vitest.js'),
  });
}

/** The types that the entries lead to, and no others. */
function buildTypes() {
  const compiler = 'node_modules/typescript/bin/tsc';
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
  const reached = new Set();
  const reach = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    const imports = readFileSync(file, 'utf8').matchAll(
      /(?:from |import\()['"](\..+?)\.[jt]s['"]/g,
    );
    for (const [, path] of imports) reach(join(dirname(file), `${path}.d.ts`));
  };
  for (const entry of ['index.d.ts', 'vitest.d.ts']) reach(join(DIST, entry));
  for (const path of readdirSync(DIST, { recursive: true })) {
    const file = join(DIST, path);
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
}

rmSync(DIST, { recursive: true, force: true });
const files = await buildProgram();
await Promise.all([buildLoader(), buildVitestEntry()]);
writeFileSync(join(DIST, 'cli.cjs'), CLI, { mode: 0o755 });
writeFileSync(join(DIST, 'index.js'), INDEX);
if (readable === undefined) {
  describeContents(files, DIST);
  buildTypes();
}
