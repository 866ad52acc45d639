// docs/internals/performance.md, made of the results.

const HEAD = `# Performance

<!-- \`npm run bench\` writes this page. Do not edit it. -->

momo-mock as shipped, with its journal on and its log in a file, compared with a bare \`node:https\` server with the same certificate and body, and with other mock servers. Each round measures all of them in turn. A value is the median of the rounds, and a ratio is the median of the ratios of each round. If the machine also does other work, the CPU ratio says more than the time ratio.

    npm run bench                     all parts
    npm run bench -- start requests   some parts: start, requests, connections, memory, in-process, installed, growth, handlers, profile
    npm run bench -- --quick          try it; results go to bench/quick

Peers are set up as their documentation shows, with three exceptions: mockttp makes its certificate with a CA, mountebank is configured to keep connections alive, and json-server has neither HTTPS nor a key check.
`;

/** The heading of each part, and what a reader has to know of its figures. */
const PARTS = {
  start: `Start

From spawn until the first 200 over verified HTTPS. The very first start of momo-mock makes a certificate and has no compiled code. The Fastify app has one route and is loaded from \`node_modules\`.`,
  requests: `Requests

On 32 kept-alive connections, sent by autocannon on the same machine after a warm-up. By default momo-mock logs each request; at \`warn\` it logs none. CPU is the server's CPU time for one request.`,
  connections: `New connections

Each connection is a full TLS handshake with one request, 8 at a time. The client needs as much CPU as the server, so the CPU ratio says more than the ratio of connections a second.`,
  memory: `Memory

Resident memory of the process.`,
  'in-process': `In process

\`startMomoMock()\` and \`close()\`, compared with a bare server that listens and closes in the same process. The hundredth time is the median of the 91st to the 110th.`,
  installed: `Installed

What \`npm install\` puts on disk, with all dependencies.`,
  growth: `Growth

momo-mock with many accounts, operations or journal entries, compared with momo-mock with one. Requests go to all accounts and all operations in turn.`,
  handlers: `Handlers

A balance that is a file, one that a handler always returns, and the one that a handler of examples/payments works out. A handler that needs at most 1.3 times what a file does answers 0.77 times as many requests. Node 20 runs the hooks that load handlers in a thread, whose start is most of what a start with handlers takes longer; from Node 22.15 on there is none.`,
  profile: `Profile

Where momo-mock spends its time: first by package, part of \`src\` or module of Node, then by function. Each is one run under V8's profiler, which slows it.`,
};

/** A number with three significant digits. */
export function shown(number) {
  if (number === undefined) return '';
  if (Math.abs(number) >= 100) return Math.round(number).toLocaleString('en');
  return `${Number(number.toPrecision(3))}`;
}

/** The target of a ratio, and whether the ratio reaches it. */
function verdict({ atMost, atLeast }, ratio) {
  const isMet = atMost === undefined ? ratio >= atLeast : ratio <= atMost;
  const target = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
  return `${target}: ${isMet ? 'met' : '**not met**'}`;
}

function figureTable({ title, unit, base, targets = {}, entries }) {
  const rows = Object.entries(entries).map(([side, { value, ratio, cpu, cpuRatio }]) => ({
    [title]: side,
    median: `${shown(value)} ${unit}`.trim(),
    [`ratio to ${base}`]: ratio?.toFixed(2) ?? '',
    'CPU, ms': shown(cpu),
    'CPU ratio': cpuRatio?.toFixed(2) ?? '',
    target: targets[side] ? verdict(targets[side], ratio) : '',
  }));
  const head = Object.keys(rows[0]).filter((column) => rows.some((row) => row[column] !== ''));
  const lines = [head, head.map(() => '---'), ...rows.map((row) => head.map((name) => row[name]))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function section(name, { figures = [], profiles = {}, measured, notRun = {} }) {
  const lists = Object.entries(profiles).map(
    ([title, list]) => `### ${title}\n\n${list.trimEnd().replace(/^(?=.)/gm, '    ')}`,
  );
  const failed = Object.entries(notRun).map(([side, why]) => `Not run: ${side} (${why}).`);
  const paragraphs = [...figures.map(figureTable), ...lists, ...failed, `Measured on ${measured}.`];
  return `## ${PARTS[name]}\n\n${paragraphs.join('\n\n')}\n`;
}

/** @param results what `bench/results.json` holds */
export function performancePage(results) {
  const known = Object.keys(PARTS).filter((name) => name in results);
  return `${HEAD}\n${known.map((name) => section(name, results[name])).join('\n')}`;
}
