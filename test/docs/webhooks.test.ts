import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needsPython } from '../support/machine.ts';
import { SIGNATURE, WEBHOOK } from '../support/program.ts';
import { PROVIDERS } from '../support/providers.ts';
import { blockOf, codeOf, readDocument, rowsBelow } from './documents.ts';
import { openShell } from './shell.ts';

const PAGE = readDocument('docs/webhooks.md');

it('docs/webhooks.md shows how each provider signs, as a test verifies', () => {
  const shown = rowsBelow(PAGE, 'Sign webhooks').flatMap(([name = '', code = '']) => {
    const [json = ''] = codeOf(code);
    return json.startsWith('{"secret":"…"') ? [[name, JSON.parse(json)]] : [];
  });
  const tested = PROVIDERS.map(([name, sign]) => [name, { ...sign, secret: '…' }]);
  expect(shown).toEqual(tested);
});

it.each([
  ['Send a webhook', WEBHOOK],
  ['Sign webhooks', SIGNATURE],
])('docs/webhooks.md names all fields below %s', (heading, definition) => {
  const codes = rowsBelow(PAGE, heading).flatMap(([cell = '']) => codeOf(cell));
  // The others are placeholders.
  const named = codes.filter((code) => !code.startsWith('{'));
  const { properties } = definition as unknown as { properties: object };
  expect(named.toSorted()).toEqual(Object.keys(properties).toSorted());
});

it('docs/webhooks.md shows a test in Python that passes', async (context) => {
  needsPython(context, 'requests');
  const shell = openShell();
  const { controlUrl } = await shell.start('momo-mock');
  writeFileSync(join(shell.folder, 'main.py'), blockOf(PAGE, 'python run'));
  expect(shell.run('python3 main.py', { CONTROL: controlUrl })).toBe('200 401\n');
});
