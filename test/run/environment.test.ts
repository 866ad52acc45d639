import { expect, it } from 'vitest';
import { fillIn, readAssignments } from '../../src/cli/run/environment.ts';

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
  const read = readAssignments([text]);
  expect(read.map((one) => [one.name, fillIn(one, FACTS)])).toEqual([[name, value]]);
});

it('is wrong usage where the mock lacks what is asked for', () => {
  expect(() => fillIn({ name: 'X', template: '{controlUrl}' }, FACTS)).toThrow(
    /^Failed to fill in --set X: the control API is off\. /,
  );
});

it.each(['', '=x', 'a b=x', 'sekret', '1A=sekret', 'A={sekret}', 'A=sekret{url}{none}'])(
  '%s is wrong usage, and the sentence repeats nothing of the value',
  (text) => {
    expect(() => readAssignments([text])).toThrow(
      expect.objectContaining({
        code: 'MOMO_MOCK_USAGE',
        message: expect.stringMatching(/^Failed to read --set(?!.*sekret).*: .+\. .+\.$/),
      }),
    );
  },
);

it('has a sentence for each that is wrong', () => {
  expect(() => readAssignments(['A={a}', 'OK=1', 'B={b}'])).toThrow(
    /^Failed to read --set A: .+\nFailed to read --set B: .+$/,
  );
});
