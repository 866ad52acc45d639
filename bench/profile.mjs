// Shows what momo-mock spends its time on, so that one sees why a figure is what it is.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startServer } from './server.mjs';
import { manyAccounts, manyOperations, momoMock, ROOT, run } from './sides.mjs';

/** What is profiled, by title: flags for momo-mock, and what it is asked once it has started. */
const PROFILED = ({ workshop, sizes }) => ({
  'A start': {},
  'A very first start': { isFirst: true },
  'A start with 10,000 accounts': manyAccounts(workshop),
  'A start with 1,000 operations': manyOperations(workshop),
  'Kept-alive requests': { use: ({ load }) => load(sizes.load) },
  'New TLS connections': { use: ({ connections }) => connections(sizes.load) },
});

/** The profile of each figure that has a target, as text by title. */
export async function profile(workshop, sizes, say) {
  // A build with the names of functions and modules.
  const packed = workshop.newFolder();
  cpSync(workshop.packed, packed, { recursive: true });
  const dist = join(packed, 'node_modules/momo-mock/dist');
  await run('npm', ['run', 'build', '--', '--readable', dist], { cwd: ROOT });
  const installed = workshop.newFolder();
  cpSync(packed, installed, { recursive: true });
  const readable = { ...workshop, packed, installed };

  /** The profile of what `act` runs with the flags for Node that it is given. */
  const recorded = async (act) => {
    const folder = workshop.newFolder();
    await act(['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', folder]);
    return heaviest(join(folder, readdirSync(folder)[0]), packed);
  };
  const profiled = async ({ use = () => {}, ...options }) => {
    return await recorded(async (nodeFlags) => {
      const server = await startServer(momoMock(readable, { nodeFlags, ...options }));
      await use(server);
      await server.stop('SIGTERM');
    });
  };
  // The first start keeps the code that V8 compiled.
  const warmUp = await startServer(momoMock(readable));
  await setTimeout(2000);
  await warmUp.stop('SIGTERM');
  const profiles = {};
  const add = (title, text) => {
    profiles[title] = text;
    say(`${title}\n\n${text}`);
  };
  for (const [title, options] of Object.entries(PROFILED({ workshop, sizes }))) {
    add(title, await profiled(options));
  }
  const library = join(dist, 'index.js');
  const program = [join(ROOT, 'bench/in-process.mjs'), library, workshop.cert, workshop.key];
  const starts = await recorded((flags) => run(process.execPath, [...flags, ...program]));
  add('110 starts in one process', starts);
  return profiles;
}

/** The 12 packages, parts of `src` or modules of Node that take most time, and the 8 functions. */
function heaviest(file, installed) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
  const [took, packages, functions] = [{}, {}, {}];
  const add = (sums, name, ms) => {
    sums[name] = (sums[name] ?? 0) + ms;
  };
  for (const [at, id] of samples.entries()) add(took, id, timeDeltas[at] / 1000);
  for (const { id, callFrame } of nodes) {
    if (!(id in took) || callFrame.functionName === '(idle)') continue;
    const module = moduleOf(callFrame, installed);
    const [name] =
      /(?<=node_modules\/)(@[^/]+\/)?[^/]+|^src\/[^/]+|^node:(internal\/)?\w+/.exec(module) ?? [];
    add(packages, name ?? module, took[id]);
    add(functions, `${callFrame.functionName} ${module}`, took[id]);
  }
  const list = (sums, length) =>
    Object.entries(sums)
      .sort(([, one], [, other]) => other - one)
      .slice(0, length)
      .map(([name, ms]) => `${ms.toFixed(1).padStart(8)} ms  ${name}\n`);
  return [...list(packages, 12), '\n', ...list(functions, 8)].join('');
}

/**
 * The module of a function. In a bundle, a comment before each module names it.
 *
 * @param installed where the same files still are, when those that were run have been removed
 */
function moduleOf({ url, lineNumber }, installed) {
  if (url === '' || url.startsWith('node:')) return url || 'native';
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  const file = path.replace(/^.*(?=\/node_modules\/momo-mock\/)/, installed);
  const lines = readFileSync(file, 'utf8').split('\n', lineNumber + 1);
  const comment = lines.findLast((line) => /^\/\/ (src|node_modules)\//.test(line));
  return comment?.slice(3) ?? basename(file);
}
