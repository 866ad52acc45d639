import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { timeByPurpose } from '../../bench/profile.mjs';

const folder = mkdtempSync(join(tmpdir(), 'momo-mock-profile-'));
const program = join(folder, 'program.cjs');
writeFileSync(program, 'start\n// src/core/mock.ts\na\nb\n// node_modules/pino/lib/tools.js\nc\n');

/** A profile in which each function was seen once, for 1 ms. */
function profileOf(...frames: [functionName: string, url: string, lineNumber: number][]): string {
  const file = join(folder, 'profile');
  const nodes = frames.map(([functionName, url, lineNumber], at) => {
    return { id: at + 1, callFrame: { functionName, url, lineNumber } };
  });
  const samples = nodes.map(({ id }) => id);
  const timeDeltas = nodes.map(() => 1000);
  writeFileSync(file, JSON.stringify({ nodes, samples, timeDeltas }));
  return file;
}

it('tells what a function is there for by the module that it is in', () => {
  const file = profileOf(
    ['answer', program, 2],
    ['refuse', `file://${program}`, 3],
    ['log', program, 5],
    ['main', program, 0],
    ['emit', 'node:events', 1],
    ['end', 'node:_http_outgoing', 1],
    ['writev', '', -1],
    ['(garbage collector)', '', -1],
    ['(idle)', '', -1],
  );
  expect(timeByPurpose(file)).toEqual({
    'momo-mock: core': 2,
    pino: 1,
    'the program itself': 1,
    'Node: the rest': 1,
    'Node: HTTP': 1,
    'writing: TLS and the system': 1,
    'garbage collection': 1,
  });
});

it('leaves out what came before', () => {
  const file = profileOf(['a', program, 2], ['b', program, 2], ['c', program, 5]);
  expect(timeByPurpose(file, 1.5)).toEqual({ 'momo-mock: core': 1, pino: 1 });
});
