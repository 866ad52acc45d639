// docs/performance.md, made of the results.
import { MOMO_MOCK } from './sides.mjs';
import { markdownTable, shown, shownRatio } from './table.mjs';
import { verdictOf } from './targets.mjs';

/** The heading of each part, and what the reader must know of its figures. */
const PARTS = {
  'first-answer': [
    'First answer',
    'From spawn until the first 200 over verified HTTPS. The very first start makes the certificate and has no compiled code; the bare server is given its certificate, so its value is that of any start.',
  ],
  'kept-alive': [
    'Kept-alive requests',
    'On 32 connections, by a client in a process of its own on the same machine. Each answer is checked for its status and its length. Before it is measured, each side has answered 8,000 requests, or as many as it could in 3 s. CPU is that of the server for one answer.',
  ],
  connections: [
    'New connections',
    'Each is a whole TLS handshake, since the client resumes no session, with one request on it; 8 are under way at once. The client does not verify, which would make it the slower side. The bare server has `noDelay`: without it, each of its new connections waits for a delayed ACK, and it would look slow. With two cores neither server is busy all the time, so that the ratio of CPU is what counts here. CPU is that of the server for one of them.',
  ],
  memory: ['Memory', 'Resident, of all processes that a side is made of.'],
  'in-process': [
    'In process',
    'Until it is ready, and closed again. The first is that of a process of its own. The hundredth is the middle of the 91st to the 110th, with mock and bare server in turn.',
  ],
  installed: ['Installed', 'What `npm install` of it puts on disk, all that it pulls in counted.'],
  growth: [
    'Growth',
    'momo-mock with many, over itself with one. All accounts and all operations are asked, in turn. Each journal has received 10,000 requests before.',
  ],
  profile: [
    'Profiles',
    "What V8's profiler finds the process at, so that it can be seen why a figure is what it is. The profiler itself slows all, a start about twofold: it is the shares that count. The memory is without it. Beside the libraries, a name is the folder or the file of `src` that takes the time itself.",
  ],
};

/** Whose value is compared with the target. */
const sideOf = (figure) => figure.over ?? MOMO_MOCK;

/** Everything that has a target. */
function targetRows(results) {
  const figures = Object.values(results.parts).flatMap((part) => part.figures);
  return figures.flatMap((figure) => {
    const verdict = verdictOf(figure, sideOf(figure));
    if (verdict === undefined) return [];
    const { value, ratio, cpu, cpuRatio } = figure.entries[sideOf(figure)];
    const own = `${shown(value)} ${figure.unit}`;
    const met = verdict.met ? 'met' : '**not met**';
    const cells = [figure.title, own, shownRatio(ratio), shown(cpu), shownRatio(cpuRatio)];
    return [[...cells, verdict.target, met]];
  });
}

/** All sides of a part, a row for each figure and side. */
function partRows({ figures, notRun = {} }) {
  const rows = figures.flatMap((figure) =>
    Object.entries(figure.entries).map(([side, { value, ratio, cpu, cpuRatio, rounds }]) => [
      figure.title,
      side,
      `${shown(value)} ${figure.unit}`,
      side === figure.base ? '1' : shownRatio(ratio),
      shown(cpu),
      side === figure.base ? '' : shownRatio(cpuRatio),
      rounds,
    ]),
  );
  const left = Object.entries(notRun).map(([side, why]) => ['', side, `not run: ${why}`]);
  return [...rows, ...left.map((cells) => [...cells, '', '', '', ''])];
}

/** How many rows a profile has at most; the rest is one row more. */
const MOST = 14;

/** What was spent on what, the most first. */
function profileTable([title, { unit, spent }]) {
  const sides = Object.keys(spent);
  const own = spent[sides.at(-1)];
  const purposes = [...new Set(sides.flatMap((side) => Object.keys(spent[side])))];
  purposes.sort((a, b) => (own[b] ?? 0) - (own[a] ?? 0));
  const sum = (side, names) => names.reduce((all, name) => all + (spent[side][name] ?? 0), 0);
  const row = (name, names) => [name, ...sides.map((side) => sum(side, names).toFixed(1))];
  const rows = purposes.slice(0, MOST).map((name) => row(name, [name]));
  const rest = [row('the rest', purposes.slice(MOST)), row('**all**', purposes)];
  return `#### ${title}\n\n${markdownTable([unit, ...sides], [...rows, ...rest])}`;
}

/** The peers, and what is other with them. */
function peerRows({ peers }) {
  return Object.entries(peers).map(([name, { version, how }]) => [name, version, how]);
}

/** The runs that the figures are of, each once, with its parts. */
function runRows(results) {
  const runs = new Map();
  for (const [name, { run }] of Object.entries(results.parts)) {
    const key = JSON.stringify(run);
    runs.set(key, { run, parts: [...(runs.get(key)?.parts ?? []), name] });
  }
  return [...runs.values()].map(({ run, parts }) => [
    parts.join(', '),
    `${run.cpu}, ${run.cores} cores, ${run.memory}`,
    run.system,
    run.node,
    run.commit,
    run.date.slice(0, 16).replace('T', ' '),
    run.load.join(' '),
    `${run.rounds}${run.quick ? ' (quick)' : ''}`,
  ]);
}

/** @param chart the path of the chart from the page */
export function performancePage(results, chart) {
  const measured = ['median', 'ratio', 'CPU, ms', 'CPU ratio'];
  const parts = Object.entries(results.parts).map(([name, part]) => {
    const [heading, text] = PARTS[name];
    const table = part.profiles
      ? Object.entries(part.profiles).map(profileTable).join('\n\n')
      : markdownTable(['figure', 'side', ...measured, 'rounds'], partRows(part));
    return `### ${heading}\n\n${text}\n\n${table}`;
  });
  return `# Performance

<!-- Written by \`npm run bench\`. Nothing here is changed by hand. -->

momo-mock as it is shipped, with its journal on and its log at the default level going to a file, beside a bare \`node:https\` server with the same certificate and the same answer, and beside other mock servers. Sides are measured in turn, round by round. A value is the median of the rounds, and a ratio the median of each round's ratio to the bare server (1). On a machine that does other things, too, the ratio of CPU times says more than that of times.

    npm run bench                             all of it
    npm run bench -- kept-alive connections   some parts: ${Object.keys(PARTS).join(', ')}
    npm run bench -- --quick                  to see that it works; nothing here is changed

![Ratio to the bare server, for each side](${chart})

## Where it must stand

${markdownTable(['figure', ...measured, 'target', ''], targetRows(results))}

## All figures

${parts.join('\n\n')}

## Peers

In the versions that the benchmark fetches from npm, each with the same certificate and the same answer, behind the same key. They are measured where the figure means something for them.

${markdownTable(['peer', 'version', ''], peerRows(results))}

## Measured on

${markdownTable(['parts', 'machine', 'system', 'Node', 'commit', 'date, UTC', 'load at start', 'rounds'], runRows(results))}
`;
}
