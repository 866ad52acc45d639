// Shows what momo-mock spends its time on, so that one sees why a figure is what it is.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from './server.mjs';
import { momoMock, ROOT, run } from './sides.mjs';

/** Prints a profile of a start and one of requests. */
export async function profile(workshop, sizes, say) {
  // A build with the names of functions and modules.
  const installed = workshop.newFolder();
  cpSync(workshop.packed, installed, { recursive: true });
  const dist = join(installed, 'node_modules/momo-mock/dist');
  await run('npm', ['run', 'build', '--', '--readable', dist], { cwd: ROOT });

  const profiled = async (use) => {
    const folder = workshop.newFolder();
    const nodeFlags = ['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', folder];
    const server = await startServer(momoMock(workshop, { installed, nodeFlags }));
    await use(server);
    await server.stop('SIGTERM');
    return heaviest(join(folder, readdirSync(folder)[0]));
  };
  // The first start keeps the code that V8 compiled.
  await profiled(() => {});
  say(`A start\n\n${await profiled(() => {})}`);
  say(`Requests\n\n${await profiled(({ load }) => load(sizes.load))}`);
}

/** The 15 packages, parts of `src` or modules of Node that take most time, and the 15 functions. */
function heaviest(file) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
  const [took, packages, functions] = [{}, {}, {}];
  const add = (sums, name, ms) => {
    sums[name] = (sums[name] ?? 0) + ms;
  };
  for (const [at, id] of samples.entries()) add(took, id, timeDeltas[at] / 1000);
  for (const { id, callFrame } of nodes) {
    if (!(id in took) || callFrame.functionName === '(idle)') continue;
    const module = moduleOf(callFrame);
    const [name] =
      /(?<=node_modules\/)(@[^/]+\/)?[^/]+|^src\/[^/]+|^node:(internal\/)?\w+/.exec(module) ?? [];
    add(packages, name ?? module, took[id]);
    add(functions, `${callFrame.functionName} ${module}`, took[id]);
  }
  const list = (sums) =>
    Object.entries(sums)
      .sort(([, one], [, other]) => other - one)
      .slice(0, 15)
      .map(([name, ms]) => `${ms.toFixed(1).padStart(8)} ms  ${name}\n`);
  return [...list(packages), '\n', ...list(functions)].join('');
}

/** The module of a function. In a bundle, a comment before each module names it. */
function moduleOf({ url, lineNumber }) {
  if (url === '' || url.startsWith('node:')) return url || 'native';
  const lines = readFileSync(url.replace('file://', ''), 'utf8').split('\n', lineNumber + 1);
  return lines.findLast((line) => /^\/\/ (src|node_modules)\//.test(line))?.slice(3) ?? url;
}
