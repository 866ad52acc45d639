import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventParser } from '../../../src/page/events.ts';
import { runs } from '../../endurance/scale.ts';

const STREAM =
  ':\nid: a-1\n\nevent: request\ndata: {"id":1}\n\ndata: one\ndata: two\n\nid: a-2\n\n';
const EVENTS = [
  { name: 'request', data: '{"id":1}' },
  { name: 'message', data: 'one\ntwo' },
];

it('reads events, and the last id also where no event has it', () => {
  const parser = new EventParser();
  expect(parser.push(STREAM)).toEqual(EVENTS);
  expect(parser.lastId).toBe('a-2');
});

it('reads the same in whatever pieces it comes, with any line break', () => {
  const breaks = fc.constantFrom('\n', '\r\n', '\r');
  const cuts = fc.array(fc.nat(STREAM.length * 2), { maxLength: 20 });
  fc.assert(
    fc.property(breaks, cuts, (lineBreak, places) => {
      // The line feed behind it shows that a carriage return at the end is no half of one.
      const text = `${STREAM.replaceAll('\n', lineBreak)}\n`;
      const parser = new EventParser();
      const ends = [...places.sort((a, b) => a - b), text.length];
      const pieces = ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end));
      expect(pieces.flatMap((piece) => parser.push(piece))).toEqual(EVENTS);
      expect(parser.lastId).toBe('a-2');
    }),
    runs(20_000, 100),
  );
});

it('keeps an event back until it is complete', () => {
  const parser = new EventParser();
  expect(parser.push('event: change\ndata: {"what":"tls"}\n')).toEqual([]);
  expect(parser.push('\n')).toEqual([{ name: 'change', data: '{"what":"tls"}' }]);
});

it.each([
  ['no space after the colon', 'data:x\n\n', 'x'],
  ['only one space removed', 'data:  x\n\n', ' x'],
  ['a colon in the data', 'data: a: b\n\n', 'a: b'],
  ['a field without a colon', 'data\n\n', ''],
])('reads %s', (_what, text, data) => {
  expect(new EventParser().push(text)).toEqual([{ name: 'message', data }]);
});

it('leaves out events without data, comments and unknown fields', () => {
  expect(new EventParser().push('event: x\n\n: hello\nretry: 5\n\n')).toEqual([]);
});
