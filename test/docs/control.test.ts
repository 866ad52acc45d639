import { describe, expect, it } from 'vitest';
import { needs } from '../support/machine.ts';
import { readDocument, rowsBelow } from './documents.ts';
import { examplesOf, sectionsOf, tryExamples } from './examples.ts';
import { REQUESTS } from './openapi.ts';

const REFERENCE = sectionsOf(readDocument('docs/control-reference.md'));

const GUIDE = sectionsOf(readDocument('docs/control.md'));

const examples = [...GUIDE, ...REFERENCE].filter(({ text }) => examplesOf(text).length > 0);

describe('the examples', () => {
  it.for(examples)('$title: each does what it shows', async ({ text }, context) => {
    needs(context, 'curl');
    await tryExamples(text);
  });
});

it('the reference shows an example of each call', () => {
  const shown = REFERENCE.flatMap(({ text }) => examplesOf(text)).flatMap(({ command }) => {
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
    '/prompts/': '{id}',
    '/requests/': '{id}',
    '/responses/': '{position}',
    '/operations/': '{name}',
    '/state/': '{name}',
  };
  return parameters[path.slice(0, at) as keyof typeof parameters] ?? end;
}

it('Events: names all that there are', () => {
  // The tables of tables.test.ts come after it.
  const [own = ''] = (REFERENCE.find(({ title }) => title === 'Events')?.text ?? '').split('<!--');
  const named = rowsBelow(`# ${own}`, 'Events').map(([cell = '']) => cell.replaceAll('`', ''));
  expect(named).toEqual(['request', 'webhook', 'change', 'dropped']);
});
