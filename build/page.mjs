// Builds the live page of the control API.
import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src/page');

/**
 * Builds the page.
 *
 * @param folder it is written to the folder `page` in it
 * @returns the bundled files
 */
export async function buildPage(folder) {
  const page = join(folder, 'page');
  const { metafile } = await build({
    entryPoints: { app: join(SOURCE, 'main.tsx'), style: join(SOURCE, 'style.css') },
    outdir: page,
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    minify: true,
    legalComments: 'none',
    metafile: true,
  });
  for (const file of ['index.html', 'icon.svg']) copyFileSync(join(SOURCE, file), join(page, file));
  return Object.keys(metafile.inputs);
}
