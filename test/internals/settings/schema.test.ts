import { expect, test } from 'vitest';
import { FORMATS } from '../../../src/settings/schema.ts';

test.each([
  ['redis://localhost', true],
  ['REDISS://:p%25q@[::1]:6380/15', true],
  ['valkeys://user:pass@store.example/', true],
  ['redis:foo', false],
  ['redis://', false],
  ['redis://:%zz@localhost', false],
  ['redis://localhost/name', false],
  ['http://localhost', false],
])('whether %s is the URL of a store: %j', (url, isStore) => {
  expect(FORMATS.store(url)).toBe(isStore);
});
