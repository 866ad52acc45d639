import { expect, it } from 'vitest';
import { fillIn, readAssignment } from '../../src/cli/run/assignment.ts';

const FACTS = { url: 'https://localhost:1', apikey: 'a$&b', port: '1' };

it.each([
  ['BASE={url}', 'BASE', 'https://localhost:1'],
  ['BASE={url}/v1', 'BASE', 'https://localhost:1/v1'],
  ['_Both2={port}:{port}', '_Both2', '1:1'],
  ['KEY={apikey}', 'KEY', 'a$&b'],
  ['NO_PLACE=1', 'NO_PLACE', '1'],
  ['EMPTY=', 'EMPTY', ''],
  ['JSON={"url":"{url}"}', 'JSON', '{"url":"https://localhost:1"}'],
  ['EQUALS=a=b', 'EQUALS', 'a=b'],
])('%s sets %s to %s', (text, name, value) => {
  const read = readAssignment(text);
  if (typeof read === 'string') throw new Error(read);
  expect([read.name, fillIn(read, FACTS)]).toEqual([name, value]);
});

it('is undefined where the mock lacks what is asked for', () => {
  expect(fillIn({ name: 'X', template: '{controlUrl}' }, FACTS)).toBeUndefined();
});

it.each(['', '=x', 'a b=x', 'sekret', '1A=sekret', 'A={sekret}', 'A=sekret{url}{none}'])(
  'is a sentence for %s, which repeats nothing of the value',
  (text) => {
    const read = readAssignment(text);
    expect(read).toMatch(/^Failed to read --set.*: .+\. .+\.$/);
    expect(read).not.toContain('sekret');
  },
);
