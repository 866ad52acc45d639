// 2: requests a second on kept-alive connections, and how long an answer takes at a fixed rate.
import { inRounds } from '../rounds.mjs';
import { startServer } from '../server.mjs';
import { BARE } from '../sides.mjs';
import { figureOf } from '../statistics.mjs';

export async function keptAlive({ sides, sizes, rounds, note }) {
  const measure = async (side) => {
    const server = await startServer(side);
    try {
      const { perSecond, cpu, clientBusy, serverBusy } = await server.load(
        'kept-alive',
        sizes.keptAlive,
      );
      const { p50, p99 } = await server.load('rate', sizes.rate);
      return {
        perSecond: { value: perSecond, cpu },
        p50: { value: p50 },
        p99: { value: p99 },
        clientBusy: { value: clientBusy * 100 },
        serverBusy: { value: serverBusy * 100 },
      };
    } finally {
      await server.stop();
    }
  };
  const { samples, notRun } = await inRounds({ rounds, sides, measure, note });
  const { rate } = sizes.rate;
  const facts = { samples, base: BARE };
  const slower = { ...facts, unit: 'ms', better: 'less' };
  const busy = { ...facts, unit: '% of a core', better: 'neither' };
  return {
    notRun,
    figures: [
      figureOf({
        ...facts,
        id: 'kept-alive',
        title: 'Requests on 32 kept-alive connections',
        unit: 'a second',
        better: 'more',
        key: 'perSecond',
      }),
      figureOf({ ...slower, id: 'p50', title: `Median at ${rate} requests a second`, key: 'p50' }),
      figureOf({
        ...slower,
        id: 'p99',
        title: `99th percentile at ${rate} requests a second`,
        key: 'p99',
      }),
      figureOf({ ...busy, id: 'server-busy', title: 'The server meanwhile', key: 'serverBusy' }),
      figureOf({ ...busy, id: 'client-busy', title: 'The load meanwhile', key: 'clientBusy' }),
    ],
  };
}
