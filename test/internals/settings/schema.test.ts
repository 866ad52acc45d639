import { describe, expect, test } from 'vitest';
import { isAllowed, type Schema } from '../../../src/settings/schema.ts';

const port: Schema = { type: 'integer', minimum: 1, maximum: 9 };
const text: Schema = { type: 'string', minLength: 1 };
const hosts: Schema = { type: 'array', items: { type: 'string', format: 'host' } };

describe('a value as it is', () => {
  test.each<[schema: Schema, value: unknown]>([
    [port, 1],
    [port, 9],
    [text, 'x'],
    [hosts, ['a.example', '::1']],
    [{ type: 'boolean' }, false],
    [{ anyOf: [port, { type: 'string', enum: ['off'] }] }, 'off'],
  ])('%j allows %j', (schema, value) => {
    expect(isAllowed(schema, value)).toBe(true);
  });

  test.each<[schema: Schema, value: unknown]>([
    [port, 0],
    [port, 10],
    [port, 1.5],
    [port, '1'],
    [text, ''],
    [text, 1],
    [hosts, ['a b']],
    [hosts, 'a.example'],
    [{ type: 'boolean' }, 'false'],
    [{ anyOf: [port, { type: 'string', enum: ['off'] }] }, 'on'],
  ])('%j does not allow %j', (schema, value) => {
    expect(isAllowed(schema, value)).toBe(false);
  });
});

test.each([
  ['redis://localhost', true],
  ['REDISS://:p%25q@[::1]:6380/15', true],
  ['valkeys://user:pass@store.example/', true],
  ['redis:foo', false],
  ['redis://', false],
  ['redis://:%zz@localhost', false],
  ['redis://localhost/name', false],
  ['http://localhost', false],
])('whether %s is the URL of a store: %j', (url, isOne) => {
  expect(isAllowed({ type: 'string', format: 'store' }, url)).toBe(isOne);
});
