import { BALANCE, exampleOf } from '../mock/contract.ts';
import { record as recordShape } from '../shape/record.ts';
import { type Command, type CommandLine, isOn, usageError } from './command-line.ts';
import { DEFAULT_FIXTURES } from './configure.ts';
import { keyMissing, REAL_FLAGS, readOperation, readRealSettings } from './real-settings.ts';

export const record: Command = {
  usage: 'momo-mock record --real-url URL [flags]',
  about: `Sends one GET request to the real service, and writes the response's shape as a JSON Schema. If
there is no fixture, it also writes a sample. It never writes or prints a value of the service. The
key is MOMO_MOCK_REAL_KEY or --real-key-file. Exit codes: 0 recorded, 1 refused, 2 wrong usage, 3
could not record.`,
  examples: [
    'printenv MY_KEY | momo-mock record --real-url https://api.example.com --real-key-file -',
  ],
  options: {
    ...REAL_FLAGS,
    variant: { value: 'NAME', about: 'write the fixture as this variant' },
    force: { about: 'overwrite the schema and the fixture' },
  },
  failure: 3,
  run: recordRealService,
};

async function recordRealService(line: CommandLine): Promise<number> {
  const settings = await readRealSettings(line, true);
  const { key, redactor, warning, folder = DEFAULT_FIXTURES } = settings;
  // The folder may belong to another tool.
  if (warning !== undefined) throw usageError(warning);
  const { operation = [], variant = [] } = line.options;
  const names: readonly string[] = settings.tree.operations.map(({ name }) => name);
  const name = operation.at(-1) ?? names.find((name) => name === BALANCE);
  if (name === undefined) {
    const example = exampleOf(names) ?? 'GET /PATH';
    throw usageError(
      `the service has no ${BALANCE}. Name another operation: --operation '${example}'.`,
    );
  }
  const target = readOperation(settings, name);
  if (key === undefined) throw keyMissing();
  const recorded = await recordShape({
    ...settings,
    key,
    folder,
    target,
    variant: variant.at(-1),
    isForced: isOn(line, 'force'),
  });
  const { refused, differences, files, unknown } = recorded;
  const print = (text: string) => process.stdout.write(redactor.redact(text));
  if (isOn(line, 'json')) print(`${JSON.stringify(recorded, null, 2)}\n`);
  else {
    for (const difference of differences) print(`  ${difference}\n`);
    for (const { state, path } of files) print(`${state.padEnd(7)}  ${path}\n`);
    for (const path of unknown) {
      print(`unknown  ${path}: its list is empty. Record it again with --force when it is not.\n`);
    }
  }
  if (refused === undefined) return 0;
  process.stderr.write(redactor.redact(`${refused}\n`));
  return 1;
}
