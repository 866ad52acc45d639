import { describe, expect, it } from 'vitest';
import { ACCOUNT_SCHEMA } from '../../src/control/accounts.ts';
import { STATUSES } from '../../src/control/refusal.ts';
import { FILTER_SCHEMA } from '../../src/control/request-schema.ts';
import { RESPONSE_SCHEMA } from '../../src/control/response-schema.ts';
import { FAULTS } from '../../src/core/fault.ts';
import { TLS_MODES } from '../../src/tls/mode.ts';
import { controlApp } from '../control/control-app.ts';
import { blocksOf, codeOf, readDocument, rowsBelow } from './documents.ts';
import { has, openShell, type Ready } from './shell.ts';

const CONTROL = readDocument('docs/control.md');

interface Section {
  readonly title: string;
  readonly text: string;
}

const SECTIONS: Section[] = CONTROL.split(/^## /m)
  .slice(1)
  .map((text) => ({ title: text.slice(0, text.indexOf('\n')), text }));

/** A command that a document shows, and what it shows that it writes. */
interface Example {
  readonly command: string;
  readonly output: string;
}

function examplesOf(text: string): Example[] {
  const shown = blocksOf(text).filter(({ info }) => info === 'console');
  const lines = shown.flatMap((block) => block.text.split(/^\$ /m).slice(1));
  return lines.map((line) => {
    const [, command = '', output = ''] = /^((?:.*\\\n)*.*)\n([\s\S]*)$/.exec(line) ?? [];
    return { command, output: output.trim() };
  });
}

/** The ports of a double that runs, in place of the default ones. */
function at(ready: Ready, text: string): string {
  return text
    .replaceAll('https://localhost:8443', ready.url)
    .replaceAll('http://localhost:8480', ready.controlUrl);
}

/** What is shown, with anything where it has `…`. */
function matching(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}

const examples = SECTIONS.filter(({ text }) => examplesOf(text).length > 0);

describe('the examples', () => {
  it.for(examples)('$title: each does what it shows', async ({ text }, { skip }) => {
    skip(!has('curl'), 'there is no curl on this machine');
    const [start = 'momo-mock'] = blocksOf(text)
      .filter(({ info }) => info === 'sh')
      .map((block) => block.text.trim());
    const shell = openShell();
    const ready = await shell.start(start);
    for (const { command, output } of examplesOf(text)) {
      const said = shell.run(at(ready, command)).trim();
      expect(said, command).toMatch(matching(at(ready, output)));
    }
  });
});

it('shows every route in its table, and an example of each', async () => {
  const { send } = await controlApp();
  const { error } = (await send('GET /')).json as { error: { message: string } };
  const [, all = ''] = /There is: (.*)\.$/.exec(error.message) ?? [];
  const [head = ''] = CONTROL.split(/^## /m);
  const listed = rowsBelow(head, 'The control API').flatMap(([cell = '']) =>
    cell.replaceAll('`', '').split(', '),
  );
  expect(listed).toEqual(all.split(', '));
  const shown = SECTIONS.flatMap(({ text }) => examplesOf(text)).flatMap(({ command }) => {
    const path = /http:\/\/localhost:8480(\/[a-z.]+)/.exec(command)?.[1];
    const method = /-X ([A-Z]+)/.exec(command)?.[1] ?? 'GET';
    return path === undefined ? [] : [`${method} ${path}`];
  });
  expect([...new Set(shown)].sort()).toEqual([...listed].sort());
});

it.each<[heading: string, names: readonly string[]]>([
  ['Responses', Object.keys(RESPONSE_SCHEMA.properties)],
  ['Faults', FAULTS],
  ['Requests', Object.keys(FILTER_SCHEMA.properties)],
  ['TLS', TLS_MODES],
])('%s: names all that there is', (heading, names) => {
  const named = rowsBelow(CONTROL, heading).map(([cell = '']) => cell.replaceAll('`', ''));
  expect(named).toEqual(names);
});

it('Accounts: names all that one is made with', () => {
  const { text = '' } = SECTIONS.find(({ title }) => title === 'Accounts') ?? {};
  const [prose = ''] = text.split('```');
  expect(codeOf(prose)).toEqual(Object.keys(ACCOUNT_SCHEMA.properties));
});

it('Errors: names each code with its status', () => {
  const rows = rowsBelow(CONTROL, 'Errors').map(([code = '', status = '']) => [
    code.replaceAll('`', ''),
    Number(status),
  ]);
  expect(rows).toEqual(Object.entries(STATUSES));
});
