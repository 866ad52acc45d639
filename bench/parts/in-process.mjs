// 5: startMomoMock() to ready and close(), against a bare server that listens and closes.
import { fileURLToPath } from 'node:url';
import { runChild } from '../children.mjs';
import { inRounds } from '../rounds.mjs';
import { BARE } from '../sides.mjs';
import { figureOf, median } from '../statistics.mjs';

const STARTER = fileURLToPath(new URL('../load/in-process.mjs', import.meta.url));
/** The hundredth is the middle of these. */
const [FROM, TO] = [91, 110];

export async function inProcess({ sides, sizes, rounds, note, workshop }) {
  const { library, cert, key, folder } = workshop;
  const run = async (times, names) => {
    const args = [STARTER, library, cert, key, times, ...names];
    return JSON.parse(await runChild(process.execPath, args, { cwd: folder, seconds: 300 }));
  };
  const own = sides.filter((side) => side.own);
  const names = own.map(({ name }) => name);
  let together;
  const measure = async ({ name }, round) => {
    // Alone, since who is first pays for what Node loads for both.
    const alone = await run(1, [name]);
    if (together?.round !== round) {
      together = {
        round,
        took: await run(sizes.inProcess, round % 2 ? names : names.toReversed()),
      };
    }
    const late = together.took[name].slice(FROM - 1, TO);
    const middle = (fact) => median(late.map((one) => one[fact]));
    return { first: alone[name][0], hundredth: { value: middle('value'), cpu: middle('cpu') } };
  };
  const { samples, notRun } = await inRounds({ rounds, sides: own, measure, note });
  const facts = { samples, base: BARE, unit: 'ms', better: 'less' };
  const title = '`startMomoMock()` and `close()`';
  return {
    notRun,
    figures: [
      figureOf({ ...facts, id: 'in-process-first', title: `${title}, first time`, key: 'first' }),
      figureOf({ ...facts, id: 'in-process', title: `${title}, hundredth time`, key: 'hundredth' }),
    ],
  };
}
