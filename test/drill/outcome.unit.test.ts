import { describe, expect, it } from 'vitest';
import { readOutcome } from '../../src/cli/drill/outcome.ts';

const CALL = { url: 'http://127.0.0.1:1/' };
const FIELD = { ...CALL, field: 'status' };

describe('an outcome', () => {
  it.each([
    ['paid', CALL, { state: 'paid' }],
    ['"PAID"\n', CALL, { state: 'paid' }],
    ['{"status":"failed"}', FIELD, { state: 'failed' }],
    ['{"status":"Pending"}', FIELD, { state: 'pending' }],
    ['{"a":{"b":["x","done"]}}', { ...CALL, field: 'a.b.1', paid: ['done'] }, { state: 'paid' }],
    ['{"status":3}', { ...FIELD, failed: ['3'] }, { state: 'failed' }],
    [
      '{"status":"paid","sent":[1,2]}',
      { ...FIELD, fulfilled: 'sent' },
      { state: 'paid', fulfilled: 2 },
    ],
    [
      '{"status":"paid","sent":0}',
      { ...FIELD, fulfilled: 'sent' },
      { state: 'paid', fulfilled: 0 },
    ],
  ])('%j is read', (text, call, outcome) => {
    expect(readOutcome(text, call)).toEqual(outcome);
  });

  it.each([
    [
      '{"status":"cancelled"}',
      { ...FIELD, paid: ['paid', 'complete'] },
      'Its status "cancelled" counts as pending: it is neither in paid (paid, complete) nor in failed (failed).',
    ],
    [
      '{"order":{"state":null}}',
      { ...CALL, field: 'order.state' },
      'Its order.state null counts as pending: it is neither in paid (paid) nor in failed (failed).',
    ],
    [
      'on hold',
      CALL,
      'Its outcome "on hold" counts as pending: it is neither in paid (paid) nor in failed (failed).',
    ],
    ['{"status":""}', FIELD, 'Its status "" counts as pending: '],
    [
      `{"status":"${'x'.repeat(200)}"}`,
      FIELD,
      `Its status "${'x'.repeat(99)}… counts as pending: `,
    ],
  ])('%j is in no list, so it is pending, with a note', (text, call, note) => {
    const read = readOutcome(text, call);
    expect(read.state).toBe('pending');
    expect(read.note?.startsWith(note)).toBe(true);
  });

  it.each([
    ['<html>', CALL, 'is not one word. Set outcome.field to the path of the state in the JSON.'],
    ['<html>', FIELD, 'is not JSON.'],
    ['{"statuss":"paid"}', FIELD, 'has no member status. Did you mean "statuss"?'],
    [
      '{"order":{"state":"paid"}}',
      { ...CALL, field: 'ordr.state' },
      'has no member ordr.state. Did you mean "order.state"?',
    ],
    [
      '{"order":{"stat":"paid","id":1}}',
      { ...CALL, field: 'order.status' },
      'has no member order.status. Did you mean "order.stat"?',
    ],
    [
      '{"order":{"paid":true,"id":1}}',
      { ...CALL, field: 'order.status' },
      'has no member order.status. It has order.paid, order.id.',
    ],
    ['{}', FIELD, 'has no member status.'],
    ['"paid"', FIELD, 'has no member status.'],
    ['{"toString":{}}', { ...CALL, field: 'valueOf' }, 'has no member valueOf. It has toString.'],
    [
      JSON.stringify(Object.fromEntries('abcdefghijkl'.split('').map((name) => [name, 1]))),
      FIELD,
      'has no member status. It has a, b, c, d, e, f, g, h, i, j, ….',
    ],
    ['{"status":[]}', FIELD, 'has no text at status, but a list.'],
    [
      '{"status":"paid","shipments":1}',
      { ...FIELD, fulfilled: 'shipmentz' },
      'has no member shipmentz. Did you mean "shipments"?',
    ],
    [
      '{"status":"paid","sent":"1"}',
      { ...FIELD, fulfilled: 'sent' },
      'has neither a whole number nor a list at sent.',
    ],
  ])('%j can not be read, with a reason', (text, call, reason) => {
    expect(() => readOutcome(text, call)).toThrow(new Error(reason));
  });
});
