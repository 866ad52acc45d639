// What the double has no use for is left out of the libraries in the bundle, where Node would have to
// load modules of its own for it at each start.
import { readFileSync } from 'node:fs';

/** Parts of libraries, by the end of their path, and what becomes of their text. */
const ALTERED = [
  {
    // Transports, which log from another thread.
    file: /[\\/]pino[\\/]lib[\\/]transport\.js$/,
    alter: () =>
      `module.exports = () => { throw new Error('Failed to log: there are no transports here.'); };`,
  },
  {
    // The module is for one check of what pino hands over.
    file: /[\\/]sonic-boom[\\/]index\.js$/,
    alter: (text) =>
      text.replace(`require('assert')`, '(ok, text) => { if (!ok) throw new Error(text); }'),
  },
];

/** A plugin of esbuild. */
export const leftOut = {
  name: 'left-out',
  setup({ onLoad }) {
    for (const { file, alter } of ALTERED) {
      onLoad({ filter: file }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const contents = alter(text);
        if (contents === text) throw new Error(`Failed to build: ${path} is not what it was.`);
        return { contents };
      });
    }
  },
};
