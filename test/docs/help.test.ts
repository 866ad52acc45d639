import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { help } from '../../src/cli/help.ts';
import { COMMANDS, type CommandName, readArguments } from '../../src/cli/main.ts';
import { needs } from '../machine.ts';
import { openShell } from './shell.ts';

/** The lines of a help text that can be typed as they stand, above its table of settings. */
async function examplesOf(name: CommandName | undefined): Promise<string[]> {
  const command = name && (await readArguments([name, '--help'])).command;
  const [own = ''] = help(command).split('\n\nSettings');
  const [, examples = ''] = own.split(command === undefined ? 'Examples:' : '\n\n  ');
  const lines = examples.split('\n').map((line) => line.trim());
  return lines.filter(Boolean);
}

const NAMES = [undefined, ...COMMANDS];
const TEXTS = await Promise.all(
  NAMES.map(async (name) => ({ name, examples: await examplesOf(name) })),
);
const EXAMPLES = [...new Set(TEXTS.flatMap(({ examples }) => examples))];

it.each(TEXTS)('the help of $name has examples, and only such', ({ examples }) => {
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) expect(example).toMatch(/(^|\| |=\S+ )momo-mock\b/);
});

it('the overview names each command in a line', () => {
  const named = help(undefined).matchAll(/^ {2}momo-mock \[?(\w+)\]? {2,}\S/gm);
  expect([...named].map(([, name]) => name)).toEqual(COMMANDS);
});

/** Stands for the tests of a user: asks the mock, with the trust that it was given. */
const USERS_TESTS = `#!/bin/sh
exec curl -sSf "\${MOMO_BASE_URL:-$MOMO_MOCK_URL}/momo/balance?apikey=$MOMO_MOCK_APIKEY"
`;

describe('each example does what it is there for', () => {
  it.for(EXAMPLES)('%s', async (example, context) => {
    if (example.includes(' -- ')) needs(context, 'curl');
    const shell = openShell();
    for (const command of ['npm', 'pytest']) {
      writeFileSync(join(shell.folder, command), USERS_TESTS);
      chmodSync(join(shell.folder, command), 0o755);
    }
    for (const call of example.split(' && ')) {
      const name = COMMANDS.find((command) => call.startsWith(`momo-mock ${command}`)) ?? 'serve';
      if (name === 'serve') {
        expect(await shell.start(call, { MY_KEY: 'test_key' })).toHaveProperty('url');
      } else if (name === 'health') {
        const { controlUrl } = await shell.start('momo-mock');
        expect(shell.run(call.replace('8480', new URL(controlUrl).port))).toBe('ready\n');
      } else {
        const expected = { run: '"success": true', cert: 'SHA-256', init: 'balance.get.json' };
        expect(shell.run(call)).toContain(
          call.includes('empty') ? '"balance": []' : expected[name],
        );
      }
    }
  });
});
