// 4: resident memory after start, and after many requests.
import { inRounds } from '../rounds.mjs';
import { startServer } from '../server.mjs';
import { BARE } from '../sides.mjs';
import { figureOf, median } from '../statistics.mjs';

/** What was there for a moment only is not what it takes: the middle of some looks, in MB. */
async function settled(server) {
  const looks = [];
  for (let i = 0; i < 10; i++) {
    looks.push(server.memory());
    await new Promise((done) => setTimeout(done, 100));
  }
  return median(looks);
}

export async function memory({ sides, sizes, rounds, note }) {
  const measure = async (side, round) => {
    const server = await startServer(side);
    const load = (job) => server.load('kept-alive', { ...job, warmUp: { count: 0, seconds: 0 } });
    try {
      const start = { value: await settled(server) };
      if (!side.own) return { start };
      await load(sizes.few);
      const few = { value: await settled(server) };
      if (round >= sizes.manyRounds) return { start, few };
      const { answered } = await load({
        ...sizes.many,
        count: sizes.many.count - sizes.few.count,
      });
      note(`${side.name}: ${answered + sizes.few.count} requests`);
      const many = { value: await settled(server) };
      return { start, few, many, growth: { value: many.value / few.value } };
    } finally {
      await server.stop();
    }
  };
  const { samples, notRun } = await inRounds({ rounds, sides, measure, note });
  const facts = { samples, base: BARE, unit: 'MB', better: 'less' };
  const count = (number) => number.toLocaleString('en');
  const [few, many] = [sizes.few.count, sizes.many.count].map(count);
  const figure = (id, title, key) => figureOf({ ...facts, id, title, key });
  return {
    notRun,
    figures: [
      figure('memory-start', 'Memory after start', 'start'),
      figure('memory-few', `Memory after ${few} requests`, 'few'),
      figure('memory-many', `Memory after ${many} requests`, 'many'),
      {
        ...figure(
          'memory-growth',
          `Memory after ${many} requests over that after ${few}`,
          'growth',
        ),
        unit: 'x',
      },
    ],
  };
}
