import { expect, test } from 'vitest';
import { EMPTY_TREE } from './empty-tree.ts';
import { mockOf } from './mock-of.ts';

test('what is decided says where it comes from: a file, a variant, an override, a script', () => {
  const { controller, ask } = mockOf();
  expect(ask('a')).toMatchObject({ source: 'fixture', file: 'default.json' });
  expect(ask('a').variant).toBeUndefined();
  expect(ask('b')).toMatchObject({ source: 'fixture', file: 'empty.json', variant: 'empty' });
  controller.setBalance(undefined, Buffer.from('1'));
  const override = ask('b');
  expect(override).toMatchObject({ source: 'override' });
  expect([override.file, override.variant]).toEqual([undefined, undefined]);
  controller.script('a', [{ delay: 7, fault: 'hang' }, {}], 'append');
  expect(ask('a')).toMatchObject({ source: 'script', delay: 7, fault: { type: 'hang' } });
  const plain = ask('a');
  expect(plain).toMatchObject({ source: 'script', delay: 0 });
  expect(plain.fault).toBeUndefined();
});

test('another tree is served immediately; an error without a file has no body', () => {
  const { mock } = mockOf();
  expect(String(mock.error(401).body)).toBe('e401');
  mock.tree = EMPTY_TREE;
  expect(mock.operations).toEqual([]);
  expect(mock.error(401)).toEqual({ status: 401, headers: {}, body: Buffer.alloc(0) });
});
