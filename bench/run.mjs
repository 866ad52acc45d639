// Measures momo-mock beside a bare server and its peers, and writes
// docs/internals/performance.md. Needs Linux, which tells the CPU time and memory of a process.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { performancePage } from './page.mjs';
import { PARTS } from './parts.mjs';
import { peerSides } from './peers.mjs';
import { profile } from './profile.mjs';
import { momoMock, openWorkshop, ROOT, reference, run } from './sides.mjs';
import { figureOf, inRounds } from './statistics.mjs';

/** How much is measured in a round: starts, seconds of load, requests before memory is measured. */
const SIZES = { starts: 5, load: { warmUp: 3, duration: 6 }, few: 10_000, many: 200_000 };
const QUICK = { starts: 1, load: { warmUp: 1, duration: 1 }, few: 1000, many: 5000 };

const say = (text) => process.stdout.write(`${text}\n`);

function readArguments() {
  const options = { rounds: { type: 'string' }, quick: { type: 'boolean' } };
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const names = [...Object.keys(PARTS), 'profile'];
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown) throw new Error(`there is no part ${unknown}. Use ${names.join(', ')}.`);
  const rounds = Number(values.rounds ?? (values.quick ? 2 : 7));
  if (!(Number.isInteger(rounds) && rounds > 0)) throw new Error('--rounds must be 1 or more.');
  return { rounds, isQuick: values.quick, parts: positionals.length > 0 ? positionals : names };
}

/** When, where and of which state of the project a part was measured. */
async function describeRun(rounds) {
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const commit = await run('git', ['describe', '--always', '--dirty'], { cwd: ROOT });
  const machine = `${cpus().length} cores of ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)}`;
  return `${date} UTC at ${commit}, Node ${process.version}, ${machine}, rounds: ${rounds}`;
}

async function main() {
  const { rounds, isQuick, parts } = readArguments();
  // A quick run leaves the project's figures as they are.
  const folder = isQuick ? join(ROOT, 'bench/quick') : ROOT;
  for (const name of ['bench', 'docs/internals'])
    mkdirSync(join(folder, name), { recursive: true });
  const file = join(folder, 'bench/results.json');
  const results = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};

  const workshop = await openWorkshop();
  const [bare, fastify] = ['bare', 'fastify'].map((name) => reference(name, workshop));
  const sides = { bare, fastify, momo: momoMock(workshop), peers: peerSides(workshop) };
  const sizes = isQuick ? QUICK : SIZES;
  for (const name of parts) {
    const measured = await describeRun(rounds);
    if (name === 'profile') {
      results[name] = { measured, profiles: await profile(workshop, sizes, say) };
    } else {
      const { figures, ...part } = PARTS[name]({ workshop, ...sides, sizes });
      const { samples, notRun } = await inRounds({ rounds, ...part }, (text) =>
        say(`${name}: ${text}`),
      );
      results[name] = { measured, notRun, figures: figures.map((one) => figureOf(samples, one)) };
    }
    // Written after each part, so that a later failure loses nothing.
    writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
    writeFileSync(join(folder, 'docs/internals/performance.md'), performancePage(results));
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
try {
  await main();
} catch (error) {
  process.stderr.write(`Failed to run the benchmark: ${error.message}\n`);
  process.exitCode = 1;
}
process.exit();
