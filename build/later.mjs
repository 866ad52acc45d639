// Most of what is bundled is not needed at a start, and V8 reads a whole file when it compiles it. So
// these packages have files of their own, which are loaded when they are needed first.

/** The packages of each file, and the names under which they are imported. */
export const LATER = {
  certificates: ['selfsigned'],
  control: ['typebox', 'typebox/schema', 'light-my-request'],
  schemas: ['ajv', 'ajv-formats', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'],
  files: ['chokidar', 'jsonc-parser'],
};

/** What the file of {@link LATER} exports: a function for each name, which loads the package. */
export function contentsOf(names) {
  return names.map((name) => `exports['${name}'] = () => require('${name}');`).join('\n');
}

/** An esbuild plugin that leaves the packages of {@link LATER} out of a bundle. */
export const leaveOut = {
  name: 'later',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/program\.cjs$/ }, ({ path }) => ({ path, external: true }));
    for (const [file, names] of Object.entries(LATER)) {
      const isImported = new RegExp(`^(${names.join('|')})$`);
      onResolve({ filter: isImported }, ({ path }) => ({ path, namespace: file }));
      onLoad({ filter: /./, namespace: file }, ({ path }) => ({
        contents: `module.exports = require('./program.cjs').part('${file}.cjs')['${path}']();`,
      }));
    }
  },
};
