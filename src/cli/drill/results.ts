import type { DrillReport, DrillResult } from '../../drill/result.ts';
import { redactedEntry } from '../../mock/ledger/ledger.ts';
import type { Redactor } from '../../mock/redaction/redaction.ts';
import { type JunitCase, junitReport } from '../junit.ts';
import type { painter } from '../terminal-log.ts';

/** What the drill wrote down, and why it stopped, if it did. */
export interface WrittenReport extends DrillReport {
  readonly stopped?: { readonly failure: string; readonly sentence: string };
}

/** What stands for a verdict at a terminal and in JUnit's reports. */
const MARKS = {
  survived: { color: 'green', mark: '✓', junit: 'success' },
  failed: { color: 'red', mark: '✗', junit: 'failure' },
  inconclusive: { color: 'red', mark: '!', junit: 'error' },
  'not-applicable': { color: 'gray', mark: '–', junit: 'skipped' },
} as const satisfies Record<DrillResult['verdict'], object>;

const WIDTH = 'webhook-other-order'.length + 2;

/**
 * Redacts what people and providers wrote. All else is from closed lists, or a number, where a key that is a
 * word should change nothing.
 */
export function redactedResult(
  result: DrillResult,
  redactor: Pick<Redactor, 'redact' | 'redactJson'>,
): DrillResult {
  const { sentence, advice, entries } = result;
  return {
    ...result,
    sentence: redactor.redact(sentence),
    ...(advice !== undefined && { advice: redactor.redact(advice) }),
    entries: entries.map((entry) => redactedEntry(entry, redactor)),
  };
}

/** A line for a result, and lines below it for the advice. */
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
  const { survived, failed, inconclusive, notApplicable } = report;
  const counts = [
    `${survived} survived`,
    `${failed} failed`,
    ...(inconclusive > 0 ? [`${inconclusive} inconclusive`] : []),
    ...(notApplicable > 0 ? [`${notApplicable} not applicable`] : []),
  ];
  return counts.join(', ');
}

/** The formats of reports, by extension. */
export const REPORTS: Readonly<Record<string, (report: WrittenReport) => string>> = {
  '.xml': junit,
  '.md': markdown,
  '.json': ({ failures, stopped, ...counts }) =>
    `${JSON.stringify({ ...counts, stopped, failures }, null, 2)}\n`,
};

function junit({ failures, stopped }: WrittenReport): string {
  const cases = failures.map(({ name, verdict, sentence, advice, duration }): JunitCase => {
    const result = MARKS[verdict].junit;
    const text = result === 'success' ? sentence : advice;
    return { name, result, message: sentence, text, duration };
  });
  // What was judged before may all be right.
  const end: JunitCase[] = stopped
    ? [{ name: stopped.failure, result: 'error', message: stopped.sentence }]
    : [];
  return junitReport('momo-mock drill', [...cases, ...end]);
}

function markdown(report: WrittenReport): string {
  const rows = report.failures.map(({ name, verdict, sentence, advice }) => {
    const all = [sentence, advice ?? ''].filter((text) => text !== '').join('\n');
    return `| ${MARKS[verdict].mark} | \`${name}\` | ${verdict} | ${inMarkdown(all)} |`;
  });
  const { stopped } = report;
  const end =
    stopped && `\nThe drill stopped in \`${stopped.failure}\`: ${inMarkdown(stopped.sentence)}\n`;
  return `# momo-mock drill

${summaryText(report)}
${end ?? ''}
| sign | failure | verdict | the money |
|---|---|---|---|
${rows.join('\n')}
`;
}

/** On one line, and as it is: a response of the application may contain HTML. */
function inMarkdown(text: string): string {
  return text
    .replace(/[\\`*|]/g, '\\$&')
    .replace(/&(?=#?\w+;)/g, '&amp;')
    .replaceAll('<', '&lt;')
    .trim()
    .replace(/\s*\n\s*/g, '<br>');
}
