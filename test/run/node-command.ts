import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type CommandOptions, type Ended, runCommand } from '../support/command.ts';
import * as here from '../support/command-in-process.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

/** What a command of `run` said, beside what `run` itself wrote. */
export interface Said extends here.Ended {
  /** What its script gave to `say`; `undefined` where it was not run. */
  readonly said: unknown;
}

/**
 * Runs a script in Node by `momo-mock run` in this process. In the script, `say` hands out a value,
 * `env` is its environment, and `ask(apikey)` asks for the balance.
 */
export async function runHere(
  script: string,
  flags: readonly string[] = [],
  call: here.Call = {},
): Promise<Said> {
  const folder = temporaryFolder();
  const file = join(folder, 'said.json');
  const words = `const { env } = process;
    const say = (value) => require('node:fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify(value));
    const ask = (apikey = env.MOMO_MOCK_APIKEY) => fetch(env.MOMO_MOCK_URL + '/momo/balance?apikey=' + apikey);
    const control = (method, path, body) => fetch(env.MOMO_MOCK_CONTROL_URL + path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });`;
  const node = [process.execPath, '-e', `${words} (async () => { ${script} })()`];
  const env = { TMPDIR: folder, ...call.env };
  const ended = await here.run(['run', ...flags, '--', ...node], { ...call, env });
  // The folder of the run is gone.
  expect(readdirSync(folder).filter((name) => name !== 'said.json')).toEqual([]);
  return { ...ended, said: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined };
}

/** Runs a script by the built command, to its end. */
export function runNode(
  script: string,
  flags: readonly string[] = [],
  options: CommandOptions = {},
): Promise<Ended> {
  const type = script.includes('await') ? ['--input-type=module'] : [];
  return runCommand(['run', ...flags, '--', process.execPath, ...type, '-e', script], options);
}
