// 3: new TLS connections a second, with one request on each.
import { inRounds } from '../rounds.mjs';
import { startServer } from '../server.mjs';
import { BARE } from '../sides.mjs';
import { figureOf } from '../statistics.mjs';

export async function connections({ sides, sizes, rounds, note }) {
  const measure = async (side) => {
    const server = await startServer(side);
    try {
      const { perSecond, cpu, clientBusy } = await server.load('connections', sizes.connections);
      return { perSecond: { value: perSecond, cpu }, clientBusy: { value: clientBusy * 100 } };
    } finally {
      await server.stop();
    }
  };
  const own = sides.filter((side) => side.own);
  const { samples, notRun } = await inRounds({ rounds, sides: own, measure, note });
  const facts = { samples, base: BARE };
  return {
    notRun,
    figures: [
      figureOf({
        ...facts,
        id: 'connections',
        title: 'New TLS connections, a request on each',
        unit: 'a second',
        better: 'more',
        key: 'perSecond',
      }),
      figureOf({
        ...facts,
        id: 'connections-client-busy',
        title: 'The load meanwhile',
        unit: '% of a core',
        better: 'neither',
        key: 'clientBusy',
      }),
    ],
  };
}
