import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from '../support/machine.ts';
import { COMMANDS, type CommandName, help, readArguments, SETTINGS } from '../support/program.ts';
import { openShell } from './shell.ts';

/** The lines of a help text that can be typed as they stand. */
async function examplesOf(name: CommandName | undefined): Promise<string[]> {
  const command = name && (await readArguments([name, '--help'])).command;
  const [, examples = ''] = help(command).split('Examples:');
  const lines = examples.split('\n').map((line) => line.trim());
  return lines.filter(Boolean);
}

const NAMES = [undefined, ...COMMANDS];
const TEXTS = await Promise.all(
  NAMES.map(async (name) => ({ name, examples: await examplesOf(name) })),
);
const EXAMPLES = [...new Set(TEXTS.flatMap(({ examples }) => examples))];

it.each(TEXTS)('the help of $name ends with its examples', ({ examples }) => {
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) expect(example).toMatch(/(^|\| |=\S+ )momo-mock\b/);
});

it('the overview names each command in a line', () => {
  const named = help(undefined).matchAll(/^ {2}momo-mock \[?(\w+)\]?(?: COMMAND)? {2,}\S/gm);
  expect([...named].map(([, name]) => name)).toEqual([...COMMANDS, 'help']);
});

it('momo-mock settings lists each setting with the allowed values', () => {
  const text = openShell().run('momo-mock settings');
  for (const [name, { allowed }] of Object.entries(SETTINGS)) {
    const [, row = ''] = text.split(`  MOMO_MOCK_${name}\n`);
    expect(row.split('\n')[1]).toContain(`allowed: ${allowed}`);
  }
});

/** Stands for the tests of a user: asks the mock, with the trust that it was given. */
const USERS_TESTS = `#!/bin/sh
exec curl -sSf "\${MOMO_BASE_URL:-$MOMO_MOCK_URL}/momo/balance?apikey=$MOMO_MOCK_APIKEY"
`;

describe('the examples of the help work', () => {
  it.for(EXAMPLES)('%s', async (example, context) => {
    if (example.includes(' -- ')) needs(context, 'curl');
    const shell = openShell();
    for (const command of ['npm', 'pytest']) {
      writeFileSync(join(shell.folder, command), USERS_TESTS);
      chmodSync(join(shell.folder, command), 0o755);
    }
    for (const call of example.split(' && ')) {
      const name = COMMANDS.find((command) => call.includes(`momo-mock ${command}`)) ?? 'serve';
      if (name === 'serve') {
        expect(await shell.start(call, { MY_KEY: 'test_key' })).toHaveProperty('url');
      } else if (name === 'drill') {
        // A whole drill takes a minute.
        expect(shell.run(`${call} --list`)).toMatch(/^success {2}/m);
      } else if (name === 'health') {
        const { controlUrl } = await shell.start('momo-mock');
        const { port } = new URL(controlUrl);
        const env = { MOMO_MOCK_CONTROL_PORT: port };
        expect(shell.run(call.replace('8480', port), env)).toBe('ready\n');
      } else if (name === 'check' || name === 'record') {
        const { url, certificate } = await shell.start('momo-mock');
        const env = { MOMO_MOCK_REAL_CA_FILE: certificate, MY_KEY: 'momo_test_key' };
        const printed = shell.run(call.replace('https://api.example.com', url), env);
        expect(printed).toContain(name === 'check' ? 'no plain HTTP: same' : 'written');
      } else {
        const expected = {
          run: '"success": true',
          cert: 'SHA-256',
          init: 'balance.get.json',
          settings: '--journal-size',
        };
        expect(shell.run(call)).toContain(
          call.includes('empty') ? '"balance": []' : expected[name],
        );
      }
    }
  });
});

it.each([
  ['momo-mock health', 1],
  ['momo-mock --no-such-flag', 2],
])('the line "%s" exits with %i', (line, status) => {
  const unused = { MOMO_MOCK_CONTROL_PORT: '1' };
  expect(() => openShell().run(line, unused)).toThrow(expect.objectContaining({ status }));
});
