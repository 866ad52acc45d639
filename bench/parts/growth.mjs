// 7: how the first answer, requests and connections stand with many accounts, many operations or a
// full journal, over the same with one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRounds } from '../rounds.mjs';
import { startServer } from '../server.mjs';
import { MOMO_MOCK, TARGET } from '../sides.mjs';
import { NO_LOAD } from '../sizes.mjs';
import { figureOf } from '../statistics.mjs';
import { timeStarts } from './first-answer.mjs';

const JOURNAL = 10_000;

/** Settings and targets for so many accounts; all are asked, one after the other. */
function accounts({ newFolder }, count) {
  const keys = Array.from({ length: count }, (_, i) => `bench_key_${`${i}`.padStart(5, '0')}`);
  const file = join(newFolder(), 'keys');
  writeFileSync(file, keys.join('\n'));
  return {
    settings: ['--api-keys-file', file],
    targets: keys.map((key) => `/momo/balance?apikey=${key}`).reverse(),
  };
}

/** Settings and targets for so many operations; all are asked, one after the other. */
export function operations({ newFolder, body }, count) {
  const tree = newFolder();
  mkdirSync(join(tree, 'bench'));
  const names = Array.from({ length: count }, (_, i) => `${i}`.padStart(4, '0'));
  for (const name of names) writeFileSync(join(tree, `bench/${name}.get.json`), body);
  return {
    settings: ['--fixtures-dir', tree],
    targets: names.map((name) => TARGET.replace('/momo/balance', `/bench/${name}`)),
  };
}

/** A journal that was filled before it is measured; a start has none to be full. */
function journal(size) {
  return { settings: ['--journal-size', `${size}`], before: JOURNAL };
}

/** What is compared with what, by its name. */
function variantsOf(workshop) {
  return {
    '1 account': accounts(workshop, 1),
    '100 accounts': { ...accounts(workshop, 100), base: '1 account' },
    '10,000 accounts': { ...accounts(workshop, 10_000), base: '1 account' },
    '1 operation': operations(workshop, 1),
    '1,000 operations': { ...operations(workshop, 1000), base: '1 operation' },
    'journal of 1': journal(1),
    'full journal': { ...journal(JOURNAL), base: 'journal of 1' },
  };
}

export async function growth({ sides, sizes, rounds, note, workshop }) {
  const momoMock = sides.find(({ name }) => name === MOMO_MOCK);
  const variants = variantsOf(workshop);
  const measure = async ({ name }) => {
    const { settings, targets, before } = variants[name];
    const options = { settings, targets };
    const started = before ? undefined : await timeStarts(momoMock, sizes.starts, options);
    const server = await startServer(momoMock, options);
    try {
      const fill = { count: before ?? 0, seconds: 60, warmUp: NO_LOAD };
      if (before) await server.load('kept-alive', fill);
      const asked = await server.load('kept-alive', sizes.keptAlive);
      const connected = await server.load('connections', sizes.connections);
      return {
        started,
        asked: { value: asked.perSecond, cpu: asked.cpu },
        connected: { value: connected.perSecond, cpu: connected.cpu },
      };
    } finally {
      await server.stop();
    }
  };
  const named = Object.keys(variants).map((name) => ({ name, own: true }));
  const { samples } = await inRounds({ rounds, sides: named, measure, note });
  const figures = Object.entries(variants).flatMap(([name, { base }]) => {
    if (base === undefined) return [];
    const own = { samples: { [base]: samples[base], [name]: samples[name] }, base, over: name };
    return [
      { key: 'started', title: 'first answer', unit: 'ms', better: 'less' },
      { key: 'asked', title: 'kept-alive requests', unit: 'a second', better: 'more' },
      { key: 'connected', title: 'new connections', unit: 'a second', better: 'more' },
    ]
      .filter(({ key }) => key !== 'started' || name !== 'full journal')
      .map(({ key, title, ...facts }) =>
        figureOf({
          ...own,
          ...facts,
          id: `growth-${key}-${name}`,
          title: `${name}: ${title}`,
          key,
        }),
      );
  });
  return { notRun: {}, figures };
}
