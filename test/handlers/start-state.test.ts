import { expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { startLogged, startMock } from '../support/mock.ts';

const LONG = JSON.stringify('x'.repeat(1_048_575));
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const names = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, at])));

const MANY: readonly [what: string, json: string, ...problems: RegExp[]] = [
  'several mistakes',
  `{"": 1,\n"a": ${LONG},\n"${'n'.repeat(513)}": 2}`,
  /state\.json:1:6: the name of this value has 0 characters\. Use 1 to 512\./,
  /state\.json:2:6: this value has 1048577 bytes as JSON, more than the limit of 1048576 \(1 MiB\)\./,
  /state\.json:3:518: the name of this value has 513 characters\. Use 1 to 512\./,
];

it.each<typeof MANY>([
  ['a list', '[]', /state\.json:1:1: it is not an object\. Write an object of names and values/],
  ['half an object', '{', /state\.json:1:2: it is not JSON/],
  ['too many levels', `{\n"a": ${deep(100)}}`, /state\.json:2:105: it has more than 100 levels/],
  ['too many names', names(10_001), /state\.json:1:1: it has 10,001 names\. Use at most 10,000/],
  MANY,
])('state.json stops the startup with %s', async (_what, json, ...problems) => {
  const error = await startMock({ 'state.json': json }).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'MOMO_MOCK_FIXTURE_INVALID' });
  for (const problem of problems) expect(error.message).toMatch(problem);
});

it('a mistake in a changed state.json is logged, and the last good tree is kept', async () => {
  const mock = await startLogged({ 'state.json': { a: 'before' } });
  const account = await mock.createAccount();
  const [, json, ...problems] = MANY;
  writeFiles(mock.folder, { 'state.json': json, 'momo/new.get.json': {} });
  await expect.poll(mock.logged).toContain('still served');
  for (const problem of problems) expect(mock.logged()).toMatch(problem);
  expect(await account.state.list()).toEqual({ a: 'before' });
  expect((await ask(mock, '/momo/new')).status).toBe(404);
  writeFiles(mock.folder, { 'state.json': { a: 'after' } });
  const read = async () => (await mock.createAccount()).state.get('a');
  await expect.poll(read).toBe('after');
});

it('state.json may have the longest value, the longest name, the deepest value and the most names', async () => {
  const many = JSON.parse(names(9_997)) as Record<string, unknown>;
  const longest = 'x'.repeat(1_048_574);
  const state = { ...many, longest, ['a'.repeat(512)]: 1, deepest: JSON.parse(deep(99)) };
  const mock = await startMock({ 'state.json': state }, { control: true });
  expect((await control(mock, 'GET /state')).json).toEqual(state);
});

it('state.json sets the state only in the root folder', async () => {
  const starts = startMock({ 'momo/state.json': {} });
  await expect(starts).rejects.toThrow('its name contains no HTTP method');
});
