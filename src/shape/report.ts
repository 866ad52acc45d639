import type { Outcome } from './check.ts';
import { type Finding, findingText } from './finding.ts';

export interface Checked {
  readonly name: string;
  readonly outcome: Outcome;
}

export type Result = 'same' | 'drift' | 'failed' | 'skipped';

/** Whether findings fail: breaking ones do, additive ones only if `isStrict`. */
function isDrift(findings: readonly Finding[], isStrict: boolean): boolean {
  return findings.some(({ kind }) => kind === 'breaking' || (isStrict && kind === 'additive'));
}

export function resultOf({ outcome }: Checked, isStrict: boolean): Result {
  if ('failed' in outcome) return 'failed';
  if ('skipped' in outcome) return 'skipped';
  return isDrift(outcome.findings, isStrict) ? 'drift' : 'same';
}

/**
 * 0 the same, 1 drift, 3 not checked.
 *
 * @param isNothingCompared whether no requested operation was compared
 */
export function exitCodeOf(results: readonly Result[], isNothingCompared: boolean): 0 | 1 | 3 {
  if (results.includes('drift')) return 1;
  return isNothingCompared || results.includes('failed') ? 3 : 0;
}

const COLORS = { same: 'green', drift: 'red', failed: 'yellow', skipped: 'gray' } as const;
const LABELS = {
  same: 'same',
  drift: 'DRIFT',
  failed: 'could not be checked',
  skipped: 'not checked',
} as const;

/** @param paint colors text, if the terminal has colors */
export function checkText(
  checked: Checked,
  isStrict: boolean,
  paint: (color: (typeof COLORS)[Result], text: string) => string,
): string {
  const { name, outcome } = checked;
  const result = resultOf(checked, isStrict);
  const why = 'skipped' in outcome ? `: ${outcome.skipped}` : '';
  const findings = 'findings' in outcome ? outcome.findings : [];
  const lines = findings.map((finding) => `  ${finding.kind}  ${findingText(finding)}`);
  return [`${name}: ${paint(COLORS[result], LABELS[result] + why)}`, ...lines].join('\n');
}

export function reportJson(checks: readonly Checked[], isStrict: boolean): string {
  const results = checks.map((checked) => {
    return { name: checked.name, result: resultOf(checked, isStrict), ...checked.outcome };
  });
  return `${JSON.stringify({ checks: results }, null, 2)}\n`;
}

/** A JUnit report. Drift is a failure, and a check that could not run is an error. */
export function reportJunit(checks: readonly Checked[], isStrict: boolean): string {
  const results = checks.map((checked) => resultOf(checked, isStrict));
  const count = (result: Result) => results.filter((other) => other === result).length;
  const cases = checks.map(({ name, outcome }, index) => {
    const text = (tag: string, message: string, body = '') =>
      `<${tag} message="${escaped(message)}">${escaped(body)}</${tag}>`;
    let inner = '';
    if ('failed' in outcome) inner = text('error', outcome.failed);
    else if ('skipped' in outcome) inner = text('skipped', outcome.skipped);
    else {
      const body = outcome.findings
        .map((finding) => `${finding.kind}  ${findingText(finding)}`)
        .join('\n');
      if (results[index] === 'drift') inner = text('failure', 'The real service differs.', body);
      else if (body !== '') inner = `<system-out>${escaped(body)}</system-out>`;
    }
    return `    <testcase classname="momo-mock check" name="${escaped(name)}">${inner}</testcase>\n`;
  });
  const counts = `tests="${checks.length}" failures="${count('drift')}" errors="${count('failed')}" skipped="${count('skipped')}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="momo-mock check" ${counts}>
${cases.join('')}  </testsuite>
</testsuites>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Escapes text for XML, which allows no control characters. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
    .replace(/[^\P{C}\n]/gu, '\uFFFD');
}
