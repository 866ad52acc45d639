// What a start, a request and the memory consist of, so that it can be seen why a figure is what it is.
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { memoryByPurpose } from '../heap.mjs';
import { timeByPurpose } from '../profile.mjs';
import { startServer } from '../server.mjs';
import { MOMO_MOCK, withFlags } from '../sides.mjs';
import { NO_LOAD } from '../sizes.mjs';
import { median } from '../statistics.mjs';
import { ROOT } from '../workshop.mjs';
import { operations } from './growth.mjs';

/** A copy of what is published, whose functions still have their names, with compiled code. */
async function readableSide(side, workshop) {
  const copy = workshop.newFolder();
  execFileSync(process.execPath, ['build.mjs', '--readable', join(copy, 'dist')], { cwd: ROOT });
  for (const part of ['fixtures', 'package.json']) {
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  }
  const readable = {
    ...workshop,
    cli: join(copy, 'dist/cli.cjs'),
    compiled: join(copy, 'dist/compiled'),
  };
  await workshop.compile(readable);
  return { ...side, command: (options) => side.command({ ...options, workshop: readable }) };
}

/** Runs a side under the profiler. `act` gets the server, and gives since when it counts, in ms. */
async function profileOf(side, workshop, options, act) {
  const folder = workshop.newFolder();
  const flags = ['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', folder];
  const ending = ['--require', join(ROOT, 'bench/end-on-signal.cjs')];
  const server = await startServer(withFlags(side, [...flags, ...ending]), options);
  const since = await act(server);
  await server.stop('SIGTERM');
  const [name] = readdirSync(folder);
  return timeByPurpose(join(folder, name), since);
}

/** What is profiled: by its name, the sides that it is of, and what is done. */
function subjects(sizes, workshop) {
  const { count } = sizes.keptAlive;
  const start = { unit: 'ms of a start, spent on', per: 1, act: () => 0 };
  return {
    'A start': start,
    'The very first start': { ...start, options: { firstStart: true }, own: true },
    'A start with 1,000 operations': { ...start, options: operations(workshop, 1000), own: true },
    'A request on kept-alive connections': {
      unit: 'µs of a request, spent on',
      per: count / 1000,
      act: async (server) => {
        const since = performance.now() - server.began;
        await server.load('kept-alive', {
          ...sizes.keptAlive,
          seconds: 60,
          warmUp: NO_LOAD,
        });
        return since;
      },
    },
  };
}

export async function profile({ sides, sizes, note, workshop }) {
  const own = await Promise.all(
    sides.map((side) => (side.name === MOMO_MOCK ? readableSide(side, workshop) : side)),
  );
  const profiles = {};
  for (const [name, subject] of Object.entries(subjects(sizes, workshop))) {
    const { unit, per, act, options = {} } = subject;
    const spent = {};
    for (const side of own.filter((one) => !subject.own || one.name === MOMO_MOCK)) {
      const runs = [];
      for (let run = 0; run < sizes.profiles; run++) {
        runs.push(await profileOf(side, workshop, options, act));
      }
      spent[side.name] = middleOf(runs, per);
      note(`${name}, ${side.name}`);
    }
    profiles[name] = { unit, spent };
  }
  const counts = [sizes.few.count, sizes.some];
  const spent = await memoryByPurpose(sides, counts, workshop);
  profiles['Memory after requests'] = { unit: 'MB of memory, for', spent };
  return { figures: [], profiles };
}

/** The median of what was spent on each purpose. */
function middleOf(runs, per) {
  const purposes = new Set(runs.flatMap((run) => Object.keys(run)));
  return Object.fromEntries(
    [...purposes].map((purpose) => [purpose, median(runs.map((run) => run[purpose] ?? 0)) / per]),
  );
}
