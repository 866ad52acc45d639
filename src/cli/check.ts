import { advice } from '../mock/closest-name.ts';
import { parameterNames, variantNames } from '../mock/operations/operation.ts';
import { type CheckOptions, checksOf } from '../shape/check.ts';
import {
  type Checked,
  checkText,
  exitCodeOf,
  findingLines,
  reportJson,
  resultOf,
} from '../shape/report.ts';
import { type Command, type CommandLine, inFlags, isOn, usageError } from './command-line.ts';
import { type JunitCase, junitReport } from './junit.ts';
import {
  keyMissing,
  REAL_FLAGS,
  type RealSettings,
  readOperation,
  readRealSettings,
} from './real-settings.ts';
import { writeReport } from './report-file.ts';
import { painter } from './terminal-log.ts';

const CLEAR_LINE = '\r\x1b[2K';

export const check: Command = {
  usage: 'momo-mock check --real-url URL [flags]',
  about: `Compares the real service with the contract and, with a key, with the shapes of your fixtures.
The key is MOMO_MOCK_REAL_KEY or --real-key-file. It sends only GET requests, and prints no value of
the service. Exit codes: 0 the same, 1 different, 2 wrong usage, 3 could not check.`,
  examples: [
    'momo-mock check --real-url https://api.example.com',
    'printenv MY_KEY | momo-mock check --real-url https://api.example.com --real-key-file -',
  ],
  options: {
    ...REAL_FLAGS,
    variant: { value: 'NAME', about: 'compare with this variant of each operation that has it' },
    strict: { about: 'also exit with 1 for new members' },
    report: { value: 'FILE', about: 'write a JUnit report' },
  },
  failure: 3,
  run: checkRealService,
};

async function checkRealService(line: CommandLine): Promise<number> {
  const settings = await readRealSettings(line);
  const { key, redactor } = settings;
  const options = readOptions(line, settings);
  const isStrict = isOn(line, 'strict');
  const isJson = isOn(line, 'json');
  const { stdout } = process;
  const paint = painter(stdout);
  const shown = (text: string) => redactor.redact(inFlags(text, line.flags));
  const print = (text: string) => stdout.write(shown(text));

  const isProgress = stdout.isTTY && !isJson;
  const checks: Checked[] = [];
  for (const { name, run } of checksOf(options)) {
    if (isProgress) print(`… ${name}`);
    const outcome = await run();
    const checked: Checked = { name, result: resultOf(outcome, isStrict), outcome };
    checks.push(checked);
    if (isProgress) print(CLEAR_LINE);
    if (!isJson) print(`${checkText(checked, paint)}\n`);
    if ('failed' in outcome) process.stderr.write(shown(`${outcome.failed}\n`));
  }
  if (isJson) print(reportJson(checks));
  const report = line.options.report?.at(-1);
  if (report !== undefined) {
    await writeReport(report, shown(junitReport('momo-mock check', checks.map(junitCase))));
  }

  // Without a key, only the statements of the contract are requested.
  const requested =
    key === undefined ? checks : checks.filter(({ name }) => name.startsWith('GET '));
  const isNothing = requested.every(({ result }) => result === 'skipped');
  if (isNothing) {
    process.stderr.write('Failed to check: no operation was compared. The lines above say why.\n');
  }
  return exitCodeOf(checks, isNothing);
}

function junitCase({ name, result, outcome }: Checked): JunitCase {
  const text = findingLines(outcome).join('\n');
  if ('failed' in outcome) return { name, result: 'error', message: outcome.failed };
  if ('skipped' in outcome) return { name, result: 'skipped', message: outcome.skipped };
  const isDrift = result === 'drift';
  if (isDrift) return { name, result: 'failure', message: 'The real service differs.', text };
  return { name, result: 'success', text };
}

function readOptions({ options }: CommandLine, settings: RealSettings): CheckOptions {
  const { tree, service, key, params, query } = settings;
  const name = options.operation?.at(-1);
  const variant = options.variant?.at(-1);
  const target = name === undefined ? undefined : readOperation(settings, name);
  const operations = tree.operations.filter(({ method }) => method === 'GET');
  if (target && !target.operation) {
    const names = operations.map((operation) => operation.name);
    const fix = advice(name ?? '', names, `The operations: ${names.join(', ')}.`);
    throw usageError(`--operation has no fixture file. ${fix}`);
  }
  if (target && key === undefined) throw keyMissing();
  const selected = target?.operation ? [target.operation] : operations;
  const variants = variantNames(selected);
  if (variant !== undefined && !variants.includes(variant)) {
    const all = variants.join(', ') || 'none';
    const fix = advice(variant, variants, `The variants: ${all}.`);
    throw usageError(`--variant has no fixture file. ${fix}`);
  }
  const known = new Set(selected.flatMap(({ segments }) => parameterNames(segments)));
  if (params.some(([param]) => !known.has(param))) {
    const all = [...known].join(', ') || 'none';
    throw usageError(`no operation has the parameter in --param. The parameters: ${all}.`);
  }
  return { tree, service, key, operation: target?.operation, variant, params, query };
}
