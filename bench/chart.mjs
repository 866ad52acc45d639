// The chart: a group of bars for each figure, a bar for each side, by its ratio to the bare server.
import { BARE, MOMO_MOCK } from './sides.mjs';
import { shown, shownRatio } from './table.mjs';

const FIGURES = ['first-answer', 'very-first-answer', 'kept-alive', 'p99', 'connections'];
const MORE_FIGURES = ['memory-start', 'memory-many', 'in-process'];
const WIDTH = 760;
const LEFT = 130;
const BAR = 14;
const ROW = 20;
const LONGEST = 420;

/** Colours for light and for dark pages, as the page that shows the chart is. */
const STYLE = `
    text { font: 12px system-ui, sans-serif; fill: #24292f; }
    .title { font-weight: 600; }
    .side { text-anchor: end; }
    .bar { fill: #8c959f; }
    .own { fill: #0969da; }
    .bare { fill: #57606a; }
    .one { stroke: #57606a; stroke-dasharray: 3 3; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .bar { fill: #6e7681; }
      .own { fill: #58a6ff; }
      .bare { fill: #adbac7; }
      .one { stroke: #adbac7; }
    }`;

const KIND = { [MOMO_MOCK]: 'bar own', [BARE]: 'bar bare' };

function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('`', '');
}

/** One figure, from `top` on. The longest bar has all the width. */
function group({ title, unit, better, entries }, top) {
  const sides = Object.entries(entries).filter(([, { ratio }]) => ratio !== undefined);
  const most = Math.max(1, ...sides.map(([, { ratio }]) => ratio));
  const length = (ratio) => Math.max(1, (ratio / most) * LONGEST).toFixed(1);
  const bottom = top + 8 + sides.length * ROW;
  const bars = sides.map(([side, { ratio, value }], index) => {
    const y = top + 10 + index * ROW;
    const end = LEFT + Number(length(ratio)) + 6;
    return `  <text class="side" x="${LEFT - 8}" y="${y + 11}">${escaped(side)}</text>
  <rect class="${KIND[side] ?? 'bar'}" x="${LEFT}" y="${y}" width="${length(ratio)}" height="${BAR}"/>
  <text x="${end}" y="${y + 11}">${shownRatio(ratio)} (${shown(value)} ${unit})</text>`;
  });
  const one = LEFT + Number(length(1));
  const heading = `${escaped(title)}: ${better} is better`;
  return {
    bottom,
    svg: `  <text class="title" x="${LEFT}" y="${top}">${heading}</text>
  <line class="one" x1="${one}" y1="${top + 6}" x2="${one}" y2="${bottom}"/>
${bars.join('\n')}`,
  };
}

/** The chart as SVG, of all figures that there are. */
export function chartOf(results) {
  const figures = Object.values(results.parts).flatMap((part) => part.figures);
  const groups = [];
  let top = 24;
  for (const id of [...FIGURES, ...MORE_FIGURES]) {
    const figure = figures.find((one) => one.id === id);
    if (figure === undefined) continue;
    const { svg, bottom } = group(figure, top);
    groups.push(svg);
    top = bottom + 30;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" role="img" aria-label="Ratio to the bare server, for each side">
  <style>${STYLE}
  </style>
${groups.join('\n')}
</svg>
`;
}
