import { rates } from './journals.ts';
import { now } from './mock.ts';
import type { Bar } from './rates.ts';
import { durationText } from './words.ts';

const WIDTH = 180;
const HEIGHT = 32;
export function RateChart() {
  const { rate, p50, p95, bars } = rates.summary(now.value);
  const highest = Math.max(...bars.map((bar) => bar.rate)) || 1;
  const width = WIDTH / bars.length;
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img">
        <title>Bars: requests a second. Line: p50 of the durations; dashed: p95.</title>
        {bars.map((bar, at) => {
          const height = (bar.rate / highest) * (HEIGHT - 2);
          const box = { x: at * width, y: HEIGHT - height, width: width - 0.6, height };
          return <rect key={at} class="rate" {...box} />;
        })}
        <path class="p95" d={lineOf(bars, 'p95')} />
        <path class="p50" d={lineOf(bars, 'p50')} />
      </svg>
      <figcaption>
        <span>{rateText(rate)}/s</span>
        <span>p50 {durationText(p50) || '–'}</span>
        <span>p95 {durationText(p95) || '–'}</span>
      </figcaption>
    </figure>
  );
}

/** A line of durations, with a gap where no request ended. */
function lineOf(bars: readonly Bar[], which: 'p50' | 'p95'): string {
  const width = WIDTH / bars.length;
  const highest = Math.max(...bars.map(({ p95 }) => p95 ?? 0)) || 1;
  const path = bars.map((bar, at) => {
    const value = bar[which];
    if (value === null) return '';
    const join = bars[at - 1]?.[which] == null ? 'M' : 'L';
    const y = HEIGHT - 1 - (value / highest) * (HEIGHT - 4);
    return `${join}${at * width},${y.toFixed(1)}H${(at + 1) * width}`;
  });
  return path.join('');
}

function rateText(rate: number): string {
  return rate >= 10 || rate === 0 ? `${Math.round(rate)}` : rate.toFixed(1);
}
