// Makes the command of the mutated sources, for the tests that start it. build/build.mjs would also
// check types, which mutants break.
import { build } from 'esbuild';

await build({
  entryPoints: ['src/cli.cts'],
  outfile: 'dist/cli.cjs',
  bundle: true,
  platform: 'node',
  mainFields: ['module', 'main'],
  format: 'cjs',
  define: { 'import.meta.url': 'BUNDLE_URL' },
  banner: { js: "const BUNDLE_URL = require('node:url').pathToFileURL(__filename).href;" },
});
