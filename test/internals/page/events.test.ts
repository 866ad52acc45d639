import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventParser } from '../../../src/page/events.ts';
import { runs } from '../../endurance/scale.ts';

const STREAM = [
  ':\nid: a-1\n\n',
  'event: request\ndata: {"path":"/a: b\u2028c"}\n\n',
  'event: change\ndata: {"what":"tls"}\n\nid: a-2\n\n',
].join('');

it('events are read in whatever pieces they come, and the last id also where no event has it', () => {
  const check = (places: number[]) => {
    const parser = new EventParser();
    const ends = [...places.sort((one, two) => one - two), STREAM.length];
    const pieces = ends.map((end, at) => STREAM.slice(ends[at - 1] ?? 0, end));
    expect(pieces.flatMap((piece) => parser.push(piece))).toEqual([
      { name: 'request', content: { path: '/a: b\u2028c' } },
      { name: 'change', content: { what: 'tls' } },
    ]);
    expect(parser.lastId).toBe('a-2');
  };
  const places = fc.array(fc.nat(STREAM.length), { maxLength: 20 });
  fc.assert(fc.property(places, check), runs(20_000, 100));
});
