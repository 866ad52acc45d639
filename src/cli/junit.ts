export interface JunitCase {
  readonly name: string;
  readonly result: 'success' | 'failure' | 'error' | 'skipped';
  readonly message?: string;
  /** More about the result; the output of a success. */
  readonly text?: string | undefined;
  /** In ms. */
  readonly duration?: number;
}

export function junitReport(suite: string, cases: readonly JunitCase[]): string {
  const count = (result: JunitCase['result']) =>
    cases.filter((one) => one.result === result).length;
  const lines = cases.map(({ name, result, message = '', text = '', duration }) => {
    const time = duration === undefined ? '' : ` time="${(duration / 1000).toFixed(3)}"`;
    const output = text === '' ? '' : `<system-out>${escaped(text)}</system-out>`;
    const element = `<${result} message="${escaped(message)}">${escaped(text)}</${result}>`;
    const inner = result === 'success' ? output : element;
    return `    <testcase classname="${suite}" name="${escaped(name)}"${time}>${inner}</testcase>\n`;
  });
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="${suite}" ${counts}>
${lines.join('')}  </testsuite>
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
