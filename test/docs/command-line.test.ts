import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needs, needsEnvProxy, needsHostsFile } from '../support/machine.ts';
import { PLACEHOLDERS } from '../support/program.ts';
import { blockOf, blocksOf, readDocument, rowsBelow } from './documents.ts';
import { examplesOf } from './examples.ts';
import { openShell, type Shell } from './shell.ts';

const DOCUMENT = readDocument('docs/command-line.md');
const LINES = blocksOf(DOCUMENT).flatMap(({ info, text }) => (info === 'sh' ? [text.trim()] : []));

/** A shell with a project whose test asks for the balance, and in which no name is looked up. */
function openProject(): { shell: Shell; env: Record<string, string> } {
  const shell = openShell();
  const test = `const { MOMO_MOCK_URL, MOMO_MOCK_APIKEY, MOMO_BASE_URL = MOMO_MOCK_URL, MOMO_KEY = MOMO_MOCK_APIKEY } = process.env;
    fetch(process.env.MOMO_MOCK_REDIRECT ? 'https://api.example.com/momo/balance?apikey=momo_test_key' : MOMO_BASE_URL + '/momo/balance?apikey=' + MOMO_KEY).then((r) => r.text()).then(console.log);`;
  writeFileSync(join(shell.folder, 'test.js'), test);
  writeFileSync(join(shell.folder, 'package.json'), '{"scripts":{"test":"node test.js"}}');
  writeFileSync(
    join(shell.folder, 'dns.cjs'),
    `require('node:dns').promises.lookup = async () => ({ address: '192.0.2.1' });`,
  );
  return { shell, env: { NODE_OPTIONS: `--require=${join(shell.folder, 'dns.cjs')}` } };
}

it('docs/command-line.md shows the lines that this test runs', () => {
  expect(LINES.map((line) => line.replace(/ -- .*/, ''))).toEqual([
    'momo-mock run',
    'momo-mock run --expect-requests',
    'momo-mock run --set MOMO_BASE_URL={url} --set MOMO_KEY={apiKey}',
    'momo-mock run --redirect api.example.com',
  ]);
});

it.for(LINES)('the line "%s" gets the balance', (line, context) => {
  if (line.includes('curl')) needs(context, 'curl');
  const { shell, env } = openProject();
  expect(shell.run(line, env)).toContain('"amount": 2000');
});

it('docs/command-line.md shows what a run prints when it ends', (context) => {
  needs(context, 'curl');
  const { shell } = openProject();
  const examples = examplesOf(DOCUMENT);
  expect(examples).toHaveLength(4);
  for (const { command, output } of examples) {
    expect(shell.run(`${command} 2>&1`).trim()).toBe(output);
  }
  expect(readFileSync(join(shell.folder, 'balance.json'), 'utf8')).toContain('XOF');
});

it('docs/command-line.md names all variables that are set, and all placeholders', () => {
  const { shell } = openProject();
  const rows = rowsBelow(DOCUMENT, 'Variables').map(([name = '']) => name);
  const namesIn = (text: string): string[] => text.match(/^\w+(?==)/gm) ?? [];
  const set = namesIn(shell.run('momo-mock run -- env'));
  const before = namesIn(shell.run('env'));
  const made = set.filter((name) => !before.includes(name));
  const shown = rows.map((name) => name.replaceAll('`', ''));
  expect(made.filter((name) => !shown.includes(name))).toEqual([]);
  expect(shown.filter((name) => !set.includes(name))).toEqual([]);
  const [, , ofSet] = rowsBelow(DOCUMENT, 'Flags of commands').find(
    ([, flag]) => flag === '`--set NAME=TEMPLATE`',
  ) ?? ['', '', ''];
  const named = ofSet?.match(/(?<=`\{)\w+/g);
  expect([...(named ?? [])].sort()).toEqual([...PLACEHOLDERS].sort());
});

it('the proxy of a mock that was started in another way carries the host', async (context) => {
  needs(context, 'curl');
  const { shell } = openProject();
  const ready = await shell.start('momo-mock --tls-hosts api.example.com');
  const line = blockOf(DOCUMENT, 'sh proxy').replace('http://localhost:8480', ready.controlUrl);
  expect(shell.run(line)).toContain('"amount": 2000');
});

it('the proxy carries fetch of Node with the variables of the page', async (context) => {
  needsEnvProxy(context);
  const { shell } = openProject();
  const ready = await shell.start('momo-mock --tls-hosts api.example.com');
  const url = 'https://api.example.com/momo/balance?apikey=momo_test_key';
  const program = `console.log(await (await fetch('${url}')).text());`;
  writeFileSync(join(shell.folder, 'app.mjs'), program);
  const line = blockOf(DOCUMENT, 'sh node').replace('http://localhost:8480', ready.controlUrl);
  expect(shell.run(line)).toContain('"amount": 2000');
});

it('a hosts entry leads to port 443', (context) => {
  needs(context, 'curl');
  needsHostsFile(context);
  const { shell } = openProject();
  writeFileSync(join(shell.folder, 'hosts'), blockOf(DOCUMENT, ' hosts'));
  const line = blockOf(DOCUMENT, 'sh hosts').replace('momo-mock', join(shell.folder, 'momo-mock'));
  writeFileSync(join(shell.folder, 'line.sh'), `mount --bind hosts /etc/hosts\n${line}`);
  expect(shell.run('unshare --mount sh -e line.sh')).toContain('"amount": 2000');
});
