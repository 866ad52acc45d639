import { describe, expect, it } from 'vitest';
import { needs } from '../support/machine.ts';
import { readDocument, rowsBelow } from './documents.ts';
import { examplesOf, sectionsOf, tryExamples } from './examples.ts';
import { REQUESTS } from './tables.ts';

const CONTROL = readDocument('docs/control.md');

const SECTIONS = sectionsOf(CONTROL);

const examples = SECTIONS.filter(({ text }) => examplesOf(text).length > 0);

describe('the examples', () => {
  it.for(examples)('below $title do what they show', async ({ text }, context) => {
    needs(context, 'curl');
    await tryExamples(text);
  });
});

it('docs/control.md shows an example of each request', () => {
  const shown = SECTIONS.flatMap(({ text }) => examplesOf(text)).flatMap(({ command }) => {
    const path = /http:\/\/localhost:8480(\/[^\s?']*)/.exec(command)?.[1];
    const method = /-X ([A-Z]+)/.exec(command)?.[1] ?? 'GET';
    return path === undefined ? [] : [`${method} ${path.replace(/(?<=\w\/).+$/, parameterOf)}`];
  });
  expect([...new Set(shown)].sort()).toEqual(REQUESTS.map(([name]) => name).sort());
});

/** The parameter in the place of the end of a path, such as `{id}` for `1` in `/requests/1`. */
function parameterOf(end: string, at: number, path: string): string {
  const parameters = {
    '/webhooks/': end === 'script' ? end : '{id}/send',
    '/requests/': '{id}',
    '/responses/': '{position}',
    '/operations/': '{name}',
    '/state/': '{name}',
  };
  return parameters[path.slice(0, at) as keyof typeof parameters] ?? end;
}

it('docs/control.md names all events', () => {
  // The tables of tables.test.ts come after it.
  const [own = ''] = (SECTIONS.find(({ title }) => title === 'Events')?.text ?? '').split('<!--');
  const named = rowsBelow(`# ${own}`, 'Events').map(([cell = '']) => cell.replaceAll('`', ''));
  expect(named).toEqual(['request', 'webhook', 'change', 'dropped']);
});
