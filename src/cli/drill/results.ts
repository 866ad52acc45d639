import type { DrillReport, DrillResult } from '../../drill/drill.ts';
import { junitReport } from '../junit.ts';
import type { painter } from '../terminal-log.ts';

type Verdict = DrillResult['verdict'];

const MARKS = {
  survived: { color: 'green', mark: '✓' },
  failed: { color: 'red', mark: '✗' },
  error: { color: 'red', mark: '!' },
  'not-applicable': { color: 'gray', mark: '–' },
} as const satisfies Record<Verdict, object>;

const WIDTH = 'webhook-other-order'.length + 2;

/** A line for a result, and one below it for the advice. */
export function resultText(
  { name, verdict, sentence, advice, duration }: DrillResult,
  [index, total]: readonly [index: number, total: number],
  paint: ReturnType<typeof painter>,
): string {
  const { color, mark } = MARKS[verdict];
  const count = `${index}/${total}`.padStart(2 * `${total}`.length + 1);
  const indent = ' '.repeat(count.length + 3 + WIDTH);
  const time = verdict === 'not-applicable' ? '' : `(${(duration / 1000).toFixed(1)} s)`;
  const first = `${paint('gray', count)} ${paint(color, `${mark} ${name.padEnd(WIDTH)}`)}`;
  const lines = `${sentence} ${paint('gray', time)}`.trimEnd().split('\n');
  return `${first}${[...lines, ...(advice?.split('\n') ?? [])].join(`\n${indent}`)}`;
}

export function summaryText(report: DrillReport): string {
  const { survived, failed, errors, notApplicable } = report;
  const counts = [
    `${survived} survived`,
    `${failed} failed`,
    ...(errors > 0 ? [`${errors} did not happen`] : []),
    ...(notApplicable > 0 ? [`${notApplicable} not applicable`] : []),
  ];
  return counts.join(', ');
}

/** The formats of reports, by extension. */
export const REPORTS: Readonly<Record<string, (report: DrillReport) => string>> = {
  '.xml': junit,
  '.md': markdown,
  '.json': json,
};

function json({ survived, failed, notApplicable, failures }: DrillReport): string {
  const results = failures.map(({ name, verdict, sentence, charges, outcome, duration }) => {
    return { name, verdict, sentence, charges, outcome, duration };
  });
  const report = { survived, failed, notApplicable, failures: results };
  return `${JSON.stringify(report, null, 2)}\n`;
}

const JUNIT_RESULTS = {
  survived: 'success',
  failed: 'failure',
  error: 'error',
  'not-applicable': 'skipped',
} as const satisfies Record<Verdict, string>;

function junit({ failures }: DrillReport): string {
  const cases = failures.map(({ name, verdict, sentence, advice, duration }) => {
    const result = JUNIT_RESULTS[verdict];
    return {
      name,
      result,
      message: sentence,
      text: result === 'success' ? sentence : advice,
      duration,
    };
  });
  return junitReport('momo-mock drill', cases);
}

function markdown(report: DrillReport): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, '<br>');
  const rows = report.failures.map(({ name, verdict, sentence, advice }) => {
    const all = [sentence, advice ?? ''].filter((text) => text !== '').join('\n');
    return `| ${MARKS[verdict].mark} | \`${name}\` | ${verdict} | ${cell(all)} |`;
  });
  return `# momo-mock drill

${summaryText(report)}

| | failure | verdict | the money |
|---|---|---|---|
${rows.join('\n')}
`;
}
