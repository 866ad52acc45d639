import { describe, expect, it } from 'vitest';
import { control } from '../support/client.ts';
import { needs } from '../support/machine.ts';
import {
  ACCOUNT,
  CALLBACK_HINTS,
  CALLBACKS_OPTIONS,
  FAULTS,
  REQUESTS_OPTIONS,
  RESPONSE,
  SCRIPTED_CALLBACK,
  STATUSES,
  TLS_MODES,
} from '../support/program.ts';
import { runMock } from '../support/running-mock.ts';
import { codeOf, readDocument, rowsBelow } from './documents.ts';
import { examplesOf, sectionsOf, tryExamples } from './examples.ts';

const CONTROL = readDocument('docs/control.md');

const SECTIONS = sectionsOf(CONTROL);

const fieldsOf = (definition: object) =>
  Object.keys((definition as { properties: object }).properties);

const examples = SECTIONS.filter(({ text }) => examplesOf(text).length > 0);

describe('the examples', () => {
  it.for(examples)('$title: each does what it shows', async ({ text }, context) => {
    needs(context, 'curl');
    await tryExamples(text);
  });
});

it('shows every route in its table, and an example of each', async () => {
  const { json } = await control(await runMock(), 'GET /no-such-path');
  const { error } = json as { error: { message: string } };
  const [, all = ''] = /Use one of: (.*)\.$/.exec(error.message) ?? [];
  const [head = ''] = CONTROL.split(/^## /m);
  const listed = rowsBelow(head, 'The control API').flatMap(([cell = '']) =>
    cell.replaceAll('`', '').split(', '),
  );
  expect(listed).toEqual(all.split(', '));
  const shown = SECTIONS.flatMap(({ text }) => examplesOf(text)).flatMap(({ command }) => {
    const path = /http:\/\/localhost:8480(\/[^\s?']*)/.exec(command)?.[1];
    const method = /-X ([A-Z]+)/.exec(command)?.[1] ?? 'GET';
    return path === undefined ? [] : [`${method} ${path.replace(/(?<=\w\/).+$/, parameterOf)}`];
  });
  expect([...new Set(shown)].sort()).toEqual([...listed].sort());
});

/** The parameter in the place of the end of a path, such as `{id}` for `1` in `/requests/1`. */
function parameterOf(end: string, at: number, path: string): string {
  const parameters = {
    '/callbacks/': end === 'script' ? end : '{id}/send',
    '/requests/': '{id}',
    '/responses/': '{position}',
    '/operations/': '{name}',
    '/state/': '{name}',
  };
  return parameters[path.slice(0, at) as keyof typeof parameters] ?? end;
}

it.each<[heading: string, names: readonly string[]]>([
  ['Responses', fieldsOf(RESPONSE)],
  ['Faults', Object.keys(FAULTS)],
  ['Requests', fieldsOf(REQUESTS_OPTIONS)],
  ['TLS', TLS_MODES],
  [
    'Callbacks',
    [
      ...fieldsOf(CALLBACKS_OPTIONS),
      ...Object.keys(CALLBACK_HINTS),
      ...fieldsOf(SCRIPTED_CALLBACK),
    ],
  ],
  ['Events', ['request', 'callback', 'change', 'dropped']],
])('%s: names all that there is', (heading, names) => {
  const named = rowsBelow(CONTROL, heading).map(([cell = '']) => cell.replaceAll('`', ''));
  expect(named).toEqual(names);
});

it('Accounts: names all that one is made with', () => {
  const { text = '' } = SECTIONS.find(({ title }) => title === 'Accounts') ?? {};
  const [prose = ''] = text.split('```');
  expect(codeOf(prose)).toEqual(fieldsOf(ACCOUNT));
});

it('Errors: names each code with its status', () => {
  const rows = rowsBelow(CONTROL, 'Errors').map(([code = '', status = '']) => [
    code.replaceAll('`', ''),
    Number(status),
  ]);
  expect(rows).toEqual(Object.entries(STATUSES));
});
