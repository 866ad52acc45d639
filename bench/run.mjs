// Measures momo-mock beside a bare server and its peers: `npm run bench`, or `npm run bench -- PART…`
// for some parts; `--rounds N`, `--no-peers`, and `--quick` to try it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from './arguments.mjs';
import { chartOf } from './chart.mjs';
import { describeRun } from './machine.mjs';
import { performancePage } from './page.mjs';
import { connections } from './parts/connections.mjs';
import { firstAnswer } from './parts/first-answer.mjs';
import { growth } from './parts/growth.mjs';
import { inProcess } from './parts/in-process.mjs';
import { installed } from './parts/installed.mjs';
import { keptAlive } from './parts/kept-alive.mjs';
import { memory } from './parts/memory.mjs';
import { profile } from './parts/profile.mjs';
import { peerSides } from './peers/peers.mjs';
import { mergeResults, readResults, writeResults } from './results.mjs';
import { ownSides } from './sides.mjs';
import { DEFAULT, QUICK } from './sizes.mjs';
import { openWorkshop, ROOT } from './workshop.mjs';

const PARTS = {
  'first-answer': firstAnswer,
  'kept-alive': keptAlive,
  connections,
  memory,
  'in-process': inProcess,
  installed,
  growth,
  profile,
};
const WITH_PEERS = ['first-answer', 'kept-alive', 'memory', 'installed'];

const say = (text) => process.stdout.write(`${text}\n`);

/** Where results go: a run that only tries leaves the project as it is. */
function openPlaces(quick) {
  const folder = quick ? join(ROOT, 'bench/quick') : ROOT;
  mkdirSync(join(folder, 'bench'), { recursive: true });
  mkdirSync(join(folder, 'docs'), { recursive: true });
  return {
    results: join(folder, 'bench/results.json'),
    chart: join(folder, 'bench/chart.svg'),
    page: join(folder, 'docs/performance.md'),
  };
}

/** What the page says of the peers. */
function described(peers) {
  return Object.fromEntries(peers.map(({ name, version, how }) => [name, { version, how }]));
}

/** After each part, so that what was measured is not lost if a later part fails. */
function write(places, measured) {
  const results = mergeResults(readResults(places.results), measured, Object.keys(PARTS));
  writeResults(places.results, results);
  writeFileSync(places.chart, chartOf(results));
  writeFileSync(places.page, performancePage(results, '../bench/chart.svg'));
}

async function main() {
  const given = readArguments(process.argv.slice(2), Object.keys(PARTS));
  const { quick, withPeers, parts } = given;
  const sizes = quick ? QUICK : DEFAULT;
  const rounds = given.rounds ?? sizes.rounds;
  const run = describeRun({ rounds, quick });
  const places = openPlaces(quick);
  const workshop = await openWorkshop();
  const own = await ownSides(workshop);
  const asksPeers = withPeers && parts.some((name) => WITH_PEERS.includes(name));
  const none = { peers: [], peersNotRun: {} };
  const { peers, peersNotRun } = asksPeers ? await peerSides(workshop, say) : none;

  for (const name of parts) {
    const isWithPeers = WITH_PEERS.includes(name);
    const note = (text) => say(`${name}: ${text}`);
    const part = await PARTS[name]({
      sides: isWithPeers ? [...own, ...peers] : own,
      peers,
      peersNotRun,
      sizes,
      rounds,
      note,
      workshop,
    });
    const notRun = { ...(isWithPeers && peersNotRun), ...part.notRun };
    write(places, { run, peers: described(peers), parts: { [name]: { ...part, notRun } } });
  }
  say(`Written: ${Object.values(places).join(', ')}`);
}

await main().catch((error) => {
  process.stderr.write(`Failed to run the benchmark: ${error.message}\n`);
  process.exitCode = 1;
});
process.exit();
