// What is measured, and what it has to reach.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from './server.mjs';
import { constantHandler, manyAccounts, manyOperations, momoMock, ROOT, run } from './sides.mjs';
import { median } from './statistics.mjs';

async function withServer(side, measure) {
  const server = await startServer(side);
  try {
    return await measure(server);
  } finally {
    await server.stop();
  }
}

/** The median of some starts, until the first answer. */
async function timeStarts(side, times) {
  const starts = [];
  for (let i = 0; i < times; i++) starts.push(await withServer(side, ({ first }) => first));
  const middle = (of) => median(starts.map((start) => start[of]));
  return { value: middle('value'), cpu: middle('cpu') };
}

/** Measures a load after a warm-up. */
async function warm(send, { warmUp, duration }) {
  await send({ duration: warmUp });
  return await send({ duration });
}

const figure = (key, title, unit) => (base, targets, sides) => {
  return { key, title, unit, base, targets, sides };
};
const started = figure('start', 'Spawn to first answer', 'ms');
const asked = figure('load', 'Kept-alive requests', 'a second');
const connected = figure('load', 'New TLS connections', 'a second');
/** Near 100 %, the ratio of the servers' CPU says more than that of their requests a second. */
const generatorOf = figure('generator', 'Load generator', '% of a core');
const generator = generatorOf('bare');

/** Each part has its sides, what is measured of a side in a round, and its figures. */
export const PARTS = {
  start: ({ workshop, bare, fastify, momo, peers, sizes }) => ({
    sides: [
      ...[bare, fastify, momo],
      momoMock(workshop, { name: 'momo-mock, very first', isFirst: true }),
      ...peers,
    ],
    measure: async (side) => ({ start: await timeStarts(side, side.isPeer ? 1 : sizes.starts) }),
    figures: [
      started('bare', {
        'momo-mock': { atMost: 1.5 },
        'momo-mock, very first': { atMost: 2.8 },
      }),
      started('fastify', { 'momo-mock': { atMost: 1 } }, ['fastify', 'momo-mock']),
    ],
  }),

  requests: ({ workshop, bare, fastify, momo, peers, sizes }) => ({
    sides: [
      ...[bare, fastify, momo],
      momoMock(workshop, { name: 'momo-mock, warn', flags: ['--log-level', 'warn'] }),
      ...peers,
    ],
    measure: (side) => withServer(side, ({ load }) => warm(load, sizes.load)),
    figures: [
      asked('bare', { 'momo-mock': { atLeast: 0.65 }, 'momo-mock, warn': { atLeast: 0.75 } }),
      generator,
    ],
  }),

  connections: ({ bare, momo, sizes }) => ({
    sides: [bare, momo],
    measure: (side) => withServer(side, ({ connections }) => warm(connections, sizes.load)),
    figures: [connected('bare', { 'momo-mock': { atLeast: 0.95 } }), generator],
  }),

  memory: ({ bare, momo, peers, sizes: { few, many } }) => ({
    sides: [bare, momo, ...peers],
    measure: (side) =>
      withServer(side, async ({ load, memory }) => {
        const start = await memory();
        if (side.isPeer) return { start };
        await load({ amount: few });
        const afterFew = await memory();
        await load({ amount: many - few });
        return { start, afterFew, afterMany: await memory() };
      }),
    figures: [
      figure('start', 'Memory after start', 'MB')('bare', { 'momo-mock': { atMost: 1.4 } }),
      figure('afterFew', `Memory after ${few.toLocaleString('en')} requests`, 'MB')('bare'),
      figure('afterMany', `Memory after ${many.toLocaleString('en')} requests`, 'MB')('bare'),
    ],
  }),

  'in-process': ({ workshop: { folder, installed, cert, key } }) => {
    const library = join(installed, 'node_modules/momo-mock/dist/index.js');
    const args = [join(ROOT, 'bench/in-process.mjs'), library, cert, key];
    const rounds = [];
    const ended = figure('start', 'Start and close, hundredth time', 'ms');
    return {
      sides: [{ name: 'bare' }, { name: 'momo-mock' }],
      // Both take turns in one process.
      measure: async ({ name }, round) => {
        rounds[round] ??= JSON.parse(await run(process.execPath, args, { cwd: folder }));
        return { start: rounds[round][name] };
      },
      figures: [ended('bare', { 'momo-mock': { atMost: 2 } })],
    };
  },

  installed: ({ workshop, peers }) => ({
    sides: [{ name: 'momo-mock', fetch: () => workshop.packed }, ...peers],
    rounds: 1,
    measure: async ({ fetch }) => {
      const modules = join(await fetch(), 'node_modules');
      const [bytes] = (await run('du', ['-sb', modules])).split('\t');
      const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
      return { size: { value: bytes / 1e6 }, packages: { value: Object.keys(packages).length } };
    },
    figures: [
      figure('size', 'Installed size', 'MB')('momo-mock'),
      figure('packages', 'Installed packages', '')('momo-mock'),
    ],
  }),

  growth: ({ workshop, sizes }) => {
    const accounts = (name, count) =>
      momoMock(workshop, { name, ...manyAccounts(workshop, count) });
    const operations = (name, count) =>
      momoMock(workshop, { name, ...manyOperations(workshop, count) });
    const journal = (name, size) => momoMock(workshop, { name, flags: ['--journal-size', size] });
    return {
      sides: [
        ...[accounts('1 account', 1), accounts('10,000 accounts', 10_000)],
        ...[operations('1 operation', 1), operations('1,000 operations', 1000)],
        ...[journal('journal of 1', 1), journal('full journal of 10,000', 10_000)],
      ],
      measure: async (side) => {
        const start = await timeStarts(side, sizes.starts);
        return await withServer(side, async ({ load }) => {
          await load({ amount: 10_000 });
          return { start, ...(await warm(load, sizes.load)) };
        });
      },
      figures: [
        started('1 account', { '10,000 accounts': { atMost: 1.2 } }, [
          '1 account',
          '10,000 accounts',
        ]),
        asked('1 account', {}, ['1 account', '10,000 accounts']),
        started('1 operation', { '1,000 operations': { atMost: 2 } }, [
          '1 operation',
          '1,000 operations',
        ]),
        asked('1 operation', {}, ['1 operation', '1,000 operations']),
        asked('journal of 1', {}, ['journal of 1', 'full journal of 10,000']),
      ],
    };
  },

  handlers: ({ workshop, sizes }) => {
    const payments = join(ROOT, 'examples/payments/fixtures');
    return {
      sides: [
        momoMock(workshop, { name: 'file' }),
        momoMock(workshop, { name: 'handler', flags: constantHandler(workshop) }),
        momoMock(workshop, { name: 'examples/payments', flags: ['--fixtures-dir', payments] }),
      ],
      measure: async (side) => {
        const start = await timeStarts(side, sizes.starts);
        return { start, ...(await withServer(side, ({ load }) => warm(load, sizes.load))) };
      },
      figures: [
        started('file', {}),
        asked('file', { handler: { atLeast: 0.77 } }, ['file', 'handler']),
        generatorOf('file'),
      ],
    };
  },
};
