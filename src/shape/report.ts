import type { Outcome } from './check.ts';
import { findingText } from './finding.ts';

const RESULTS = {
  same: { color: 'green', label: 'same' },
  drift: { color: 'red', label: 'DRIFT' },
  failed: { color: 'yellow', label: 'could not be checked' },
  skipped: { color: 'gray', label: 'not checked' },
} as const;

export type Result = keyof typeof RESULTS;

export interface Checked {
  readonly name: string;
  readonly result: Result;
  readonly outcome: Outcome;
}

export function resultOf(outcome: Outcome, isStrict: boolean): Result {
  if ('failed' in outcome) return 'failed';
  if ('skipped' in outcome) return 'skipped';
  const isDrift = outcome.findings.some(
    ({ kind }) => kind === 'breaking' || (isStrict && kind === 'additive'),
  );
  return isDrift ? 'drift' : 'same';
}

/** @returns 0 the same, 1 drift, 3 not checked */
export function exitCodeOf(checks: readonly Checked[], isNothingCompared: boolean): 0 | 1 | 3 {
  if (checks.some(({ result }) => result === 'drift')) return 1;
  return isNothingCompared || checks.some(({ result }) => result === 'failed') ? 3 : 0;
}

export function checkText(
  { name, result, outcome }: Checked,
  paint: (color: (typeof RESULTS)[Result]['color'], text: string) => string,
): string {
  const why = 'skipped' in outcome ? `: ${outcome.skipped}` : '';
  const lines = findingLines(outcome).map((line) => `  ${line}`);
  const { color, label } = RESULTS[result];
  return [`${name}: ${paint(color, label + why)}`, ...lines].join('\n');
}

export function findingLines(outcome: Outcome): string[] {
  if (!('findings' in outcome)) return [];
  return outcome.findings.map((finding) => `${finding.kind}  ${findingText(finding)}`);
}

export function reportJson(checks: readonly Checked[]): string {
  const results = checks.map(({ name, result, outcome }) => ({ name, result, ...outcome }));
  return `${JSON.stringify({ checks: results }, null, 2)}\n`;
}
