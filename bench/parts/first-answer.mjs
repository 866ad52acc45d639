// 1: from spawn to the first 200 over verified HTTPS.
import { inRounds } from '../rounds.mjs';
import { startServer } from '../server.mjs';
import { BARE, MOMO_MOCK } from '../sides.mjs';
import { figureOf, median } from '../statistics.mjs';

/** Starts a side so often. Gives the median by the clock and in CPU time, in ms. */
export async function timeStarts(side, times, options) {
  const firsts = [];
  for (let i = 0; i < times; i++) {
    const server = await startServer(side, options);
    firsts.push(server.first);
    await server.stop();
  }
  const middle = (key) => median(firsts.map((first) => first[key]));
  return { value: middle('value'), cpu: middle('cpu') };
}

export async function firstAnswer({ sides, sizes, rounds, note, workshop }) {
  // The first connections of this process are slower than any later.
  for (const side of sides.filter(({ own }) => own)) await timeStarts(side, 3);
  const measure = async (side) => {
    const made = await timeStarts(side, side.own ? sizes.starts : 1);
    if (side.name !== MOMO_MOCK) return { made, fresh: side.name === BARE ? made : undefined };
    const fresh = await timeStarts(side, sizes.starts, { firstStart: true });
    await workshop.compile();
    return { made, fresh };
  };
  const { samples, notRun } = await inRounds({ rounds, sides, measure, note });
  const facts = { samples, base: BARE, unit: 'ms', better: 'less' };
  return {
    notRun,
    figures: [
      figureOf({ ...facts, id: 'first-answer', title: 'Spawn to first answer', key: 'made' }),
      figureOf({
        ...facts,
        id: 'very-first-answer',
        title: 'The same, very first start',
        key: 'fresh',
      }),
    ],
  };
}
