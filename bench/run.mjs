// Measures momo-mock beside a bare server and its peers, and writes bench/performance.md:
// `npm run bench`, or `npm run bench -- start requests` for some parts. `--quick` tries it and writes
// nothing. `npm run bench -- compare COMMIT` measures it beside an earlier commit, and writes nothing.
// Needs Linux, which tells the CPU time and memory of a process.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { median, tableOf, verdicts } from './figures.mjs';
import { startServer } from './server.mjs';
import {
  builtFrom,
  installed,
  momoMock,
  openWorkshop,
  peerSides,
  ROOT,
  reference,
  run,
} from './sides.mjs';

const PAGE = join(ROOT, 'bench/performance.md');
const HEAD = `# Performance

<!-- \`npm run bench\` writes this page. Do not edit it. -->

momo-mock as shipped, with its journal on and its log in a file, beside a bare \`node:https\` server with the same certificate and body, and beside other mock servers, which are set up as their documentation shows. Each round measures all of them in turn. A value is the median of the rounds, and a ratio is the median of the ratios of each round. On a machine that does other work too, CPU says more than time.

    npm run bench                     all parts
    npm run bench -- start requests   some parts: start, requests, connections, memory, in-process, installed
    npm run bench -- compare COMMIT   beside an earlier commit, without writing this page
    npm run bench -- --quick          try it, without writing this page

`;

/** How much is measured in a round: starts, seconds of load, requests before memory is measured. */
const SIZES = { rounds: 5, starts: 3, load: { warmUp: 2, duration: 4 }, requests: 100_000 };
const QUICK = { rounds: 2, starts: 1, load: { warmUp: 1, duration: 1 }, requests: 5000 };

/** What each part measures of a side in a round, and what it has to reach. */
const PARTS = {
  start: ({ workshop, bare, fastify, momo, peers, sizes }) => ({
    about:
      'From spawn until the first 200 over verified HTTPS. The very first start of momo-mock makes a certificate and has no compiled code. The Fastify app has one route and is loaded from `node_modules`.',
    sides: [
      ...[bare, fastify, momo],
      momoMock(workshop, { name: 'momo-mock, very first', isFirst: true }),
      ...peers,
    ],
    figures: { ms: 'first response, ms', cpu: 'CPU, ms' },
    targets: [
      { key: 'ms', atMost: 1.5 },
      { side: 'momo-mock, very first', key: 'ms', atMost: 2.8 },
    ],
    async measure(side) {
      const starts = [];
      for (let i = 0; i < (side.isPeer ? 1 : sizes.starts); i++)
        starts.push(await withServer(side, ({ first }) => first));
      const middle = (of) => median(starts.map((start) => start[of]));
      return { ms: middle('ms'), cpu: middle('cpu') };
    },
  }),

  requests: ({ bare, fastify, momo, peers, sizes, autocannon }) => ({
    about:
      'On 32 kept-alive connections, sent by autocannon on the same machine after a warm-up. momo-mock logs each request. CPU is that of the server alone. Where the load generator takes most of a core, the server waits for it, so the requests a second say less.',
    sides: [bare, fastify, momo, ...peers],
    figures: {
      cpu: 'CPU a request, ms',
      rate: 'requests a second',
      generator: 'load generator, % of a core',
    },
    targets: [
      { key: 'cpu', atMost: 1.8 },
      { key: 'rate', atLeast: 0.6 },
    ],
    measure: (side) =>
      withServer(side, async ({ load }) => {
        await load(autocannon, { duration: sizes.load.warmUp });
        return await load(autocannon, { duration: sizes.load.duration });
      }),
  }),

  connections: ({ bare, momo, sizes }) => ({
    about: 'Each connection is a full TLS handshake with one request, 8 at a time.',
    sides: [bare, momo],
    figures: {
      cpu: 'CPU a connection, ms',
      rate: 'connections a second',
      generator: 'load generator, % of a core',
    },
    targets: [{ key: 'rate', atLeast: 0.95 }],
    measure: (side) =>
      withServer(side, async ({ connections }) => {
        await connections({ duration: sizes.load.warmUp });
        return await connections({ duration: sizes.load.duration });
      }),
  }),

  memory: ({ bare, momo, peers, sizes, autocannon }) => ({
    about: 'Resident memory of the process.',
    sides: [bare, momo, ...peers],
    figures: {
      start: 'after start, MB',
      used: `after ${sizes.requests.toLocaleString('en')} requests, MB`,
    },
    targets: [{ key: 'start', atMost: 1.4 }],
    measure: (side) =>
      withServer(side, async ({ load, memory }) => {
        const start = await memory();
        if (side.isPeer) return { start };
        await load(autocannon, { amount: sizes.requests });
        return { start, used: await memory() };
      }),
  }),

  'in-process': ({ workshop: { used, cert, key } }) => ({
    about:
      '`startMomoMock()` and `close()`, beside a bare server that listens and closes in the same process. The hundredth time is the median of the 91st to the 110th.',
    sides: [{ name: 'bare' }, { name: 'momo-mock' }],
    figures: { ms: 'start and close, hundredth time, ms', cpu: 'CPU, ms' },
    targets: [{ key: 'ms', atMost: 2 }],
    async measureAll() {
      const library = join(used, 'node_modules/momo-mock/dist/index.js');
      const args = [join(ROOT, 'bench/in-process.mjs'), library, cert, key];
      return JSON.parse(await run(process.execPath, args, { cwd: used }));
    },
  }),

  installed: ({ workshop, peers }) => ({
    about: 'What `npm install` puts on disk, with all dependencies.',
    base: 'momo-mock',
    sides: [{ name: 'momo-mock' }, ...peers],
    figures: { size: 'MB', packages: 'packages' },
    async measure({ name, isPeer }) {
      const modules = isPeer ? await installed(name) : join(workshop.packed, 'node_modules');
      const [bytes] = (await run('du', ['-sb', modules])).split('\t');
      const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
      return { size: bytes / 1e6, packages: Object.keys(packages).length };
    },
  }),
};

const titleOf = (name) => `${name[0].toUpperCase()}${name.slice(1)}`;

async function withServer(side, measure) {
  const server = await startServer(side);
  try {
    return await measure(server);
  } finally {
    await server.stop();
  }
}

/**
 * Measures the sides of a part in turn, round by round. Each round begins with another side, so that
 * what else the machine does slows all alike. A peer that fails is left out from then on.
 */
async function inRounds(name, { sides, measure, measureAll }, rounds) {
  const samples = Object.fromEntries(sides.map((side) => [side.name, []]));
  const notRun = {};
  for (let round = 0; round < rounds; round++) {
    const all = await measureAll?.();
    for (let turn = 0; turn < sides.length; turn++) {
      const side = sides[(turn + round) % sides.length];
      if (side.name in notRun) continue;
      process.stdout.write(`${name}: round ${round + 1} of ${rounds}, ${side.name}\n`);
      try {
        samples[side.name][round] = all?.[side.name] ?? (await measure(side));
      } catch (error) {
        if (!side.isPeer) throw new Error(`${side.name}: ${error.message}`);
        notRun[side.name] = error.message;
      }
    }
  }
  return { samples, notRun };
}

/** The section of a part: its table, its targets, and when and where it was measured. */
function sectionOf(name, part, { samples, notRun }, { rounds, commit }) {
  const about = { base: 'bare', ...part };
  const failed = Object.entries(notRun).map(([side, why]) => `Not run: ${side} (${why}).\n\n`);
  const targets = verdicts(samples, about);
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const machine = `${cpus().length} cores of ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)}`;
  const where = `${date} UTC at ${commit}, Node ${process.version}, ${machine}, rounds: ${rounds}`;
  const parts = [part.about, '\n\n', tableOf(samples, about), '\n', targets && `${targets}\n`];
  return `## ${titleOf(name)}\n\n${[...parts, ...failed].join('')}Measured on ${where}.\n`;
}

/** Puts a section into the page, in the place of the one that it has. */
function writePage(name, section) {
  const sections = readFileSync(PAGE, 'utf8')
    .split(/^(?=## )/m)
    .slice(1);
  const byName = new Map(sections.map((text) => [/^## (.+)/.exec(text)?.[1], text.trimEnd()]));
  byName.set(titleOf(name), section.trimEnd());
  const kept = Object.keys(PARTS).flatMap((known) => byName.get(titleOf(known)) ?? []);
  writeFileSync(PAGE, `${HEAD}${kept.join('\n\n')}\n`);
}

/** How much of an earlier commit's each figure may be. */
const REQUESTS_COMPARED = 20_000;
const LIMITS = { requests: ['cpu', 1], memory: ['used', 1.05], start: ['ms', 1.03] };

/** Measures momo-mock beside a clean build of an earlier commit. */
async function compare(commit, { workshop, sizes, rounds, autocannon }) {
  const base = await run('git', ['rev-parse', '--short', commit], { cwd: ROOT });
  const earlier = await openWorkshop(await builtFrom(base));
  const sides = [momoMock(earlier, { name: base }), momoMock(workshop)];
  const [bare, momo] = sides;
  const options = { workshop, bare, momo, peers: [], autocannon };
  for (const [name, [key, atMost]] of Object.entries(LIMITS)) {
    const part = PARTS[name]({ ...options, sizes: { ...sizes, requests: REQUESTS_COMPARED } });
    const compared = { ...part, base, sides, targets: [{ key, atMost }] };
    const { samples } = await inRounds(name, compared, rounds);
    process.stdout.write(`\n${tableOf(samples, compared)}\n${verdicts(samples, compared)}\n`);
  }
}

async function measure(names, { workshop, sizes, rounds, autocannon, isWritten }) {
  const commit = await run('git', ['describe', '--always', '--dirty'], { cwd: ROOT });
  const [bare, fastify] = ['bare', 'fastify'].map((name) => reference(name, workshop));
  const sides = { bare, fastify, momo: momoMock(workshop), peers: peerSides(workshop) };
  for (const name of names) {
    const part = PARTS[name]({ workshop, ...sides, sizes, autocannon });
    const measured = await inRounds(name, part, rounds);
    const section = sectionOf(name, part, measured, { rounds, commit });
    process.stdout.write(`\n${section}\n`);
    // Written after each part, so that a later failure loses nothing.
    if (isWritten) writePage(name, section);
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: 'string' }, quick: { type: 'boolean' } },
  });
  const isCompared = positionals[0] === 'compare';
  const names = positionals.length > 0 ? positionals : Object.keys(PARTS);
  const unknown = names.find((name) => !(name in PARTS));
  if (unknown && !isCompared)
    throw new Error(`no part is ${unknown}. Use ${Object.keys(PARTS).join(', ')}, or compare.`);
  if (isCompared && positionals.length !== 2)
    throw new Error('compare needs one commit. Use compare COMMIT.');
  const sizes = values.quick ? QUICK : SIZES;
  const rounds = Number(values.rounds ?? sizes.rounds);
  if (!(Number.isInteger(rounds) && rounds > 0)) throw new Error('--rounds must be 1 or more.');

  const workshop = await openWorkshop();
  const generator = join(await installed('autocannon@9.0.0'), 'autocannon/autocannon.js');
  const { default: autocannon } = await import(pathToFileURL(generator).href);
  const options = { workshop, sizes, rounds, autocannon, isWritten: !values.quick };
  await (isCompared ? compare(positionals[1], options) : measure(names, options));
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
try {
  await main();
} catch (error) {
  process.stderr.write(`Failed to run the benchmark: ${error.message}\n`);
  process.exitCode = 1;
}
process.exit();
