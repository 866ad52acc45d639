import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder, FREE_PORTS, runCommand } from '../support/command.ts';
import { runTree } from './run-tree.ts';

const LONG = JSON.stringify('x'.repeat(1_048_575));
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const names = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, at])));

const MISTAKES: [what: string, json: string, ...problems: RegExp[]][] = [
  [
    'a value over 1 MiB',
    `{ "a": 1,\n  "b/c": ${LONG} }`,
    /state\.json:2:10: this value has 1048577 bytes as JSON, more than the limit of 1048576 \(1 MiB\)\. Divide/,
  ],
  [
    'a value of too many levels',
    `{\n"a": ${deep(100)}}`,
    /state\.json:2:105: it has more than 100 levels/,
  ],
  ['too many names', names(10_001), /state\.json:1:1: it has 10,001 names\. Use 10,000 at most/],
  [
    'several mistakes',
    `{"": 1,\n"a": ${LONG},\n"${'n'.repeat(513)}": 2}`,
    /state\.json:1:6: the name of this value has 0 characters/,
    /state\.json:2:6: this value has/,
    /state\.json:3:518: the name of this value has 513 characters/,
  ],
];

it.each(MISTAKES)('%s in state.json ends the start', async (_what, json, ...problems) => {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, 'fixtures/momo'), { recursive: true });
  await writeFile(join(cwd, 'fixtures/state.json'), json);
  const { code, stderr, stdout } = await runCommand(FREE_PORTS, { cwd });
  expect(code).toBe(1);
  for (const problem of problems) expect(stderr + stdout).toMatch(problem);
});

it.each(MISTAKES)('%s in state.json keeps the last good tree, and is logged', async (...given) => {
  const [, json, ...problems] = given;
  const mock = await runTree({ 'state.json': { a: 'before' } });
  mock.write({ 'state.json': json, 'momo/new.get.json': {} });
  const logged = () => mock.records.map(({ msg }) => msg).join('\n');
  await expect.poll(logged, { timeout: 10_000 }).toContain('still served');
  for (const problem of problems) expect(logged()).toMatch(problem);
  expect(await mock.controller.state(undefined).list()).toEqual([['a', 'before']]);
  expect((await mock.get('/momo/new?apikey=good')).status).toBe(404);
  mock.write({ 'state.json': { a: 'after' } });
  await expect
    .poll(() => mock.controller.state(undefined).get('a'), { timeout: 10_000 })
    .toBe('after');
});

it('takes the longest value, the deepest one and the most names', async () => {
  const many = JSON.parse(names(9_998)) as Record<string, unknown>;
  const longest = 'x'.repeat(1_048_574);
  const state = { ...many, longest, deepest: JSON.parse(deep(99)) };
  const mock = await runTree({ 'state.json': state });
  const shown = await fetch(`${mock.controlUrl}/state`);
  expect(await shown.json()).toEqual(state);
});
