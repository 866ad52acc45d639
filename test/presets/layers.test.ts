import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { type Files, temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { startMock, startServer } from '../support/mock.ts';
import { startMomoMock } from '../support/momo-mock.ts';

const PRESET = { preset: 'chipdeals' };
const PRESETS = readdirSync('presets').sort().join(', ');
const BALANCE = 'momo/balance.get.js';
const STATUS = '/momo/status/1';

/** A handler that responds with a JavaScript expression. */
const handlerOf = (code: string) => `export default async (_, { state, fixture }) =>
  ({ body: ${code} });`;

async function start(files: Files) {
  return await startMock(files, PRESET);
}

it('a preset is named by each folder of presets', async () => {
  const problem = `Use one of: ${PRESETS}.`;
  await expect(startMock({}, { preset: 'none' })).rejects.toThrow(problem);
});

it('without a preset, only the balance is there', async () => {
  const mock = await startMock();
  expect((await ask(mock, STATUS)).json).toMatchObject({ code: 'NOT_FOUND' });
  expect(await mock.state.list()).toEqual({});
});

it('the user replaces any file of the preset, and adds others', async () => {
  const mock = await start({
    'momo/balance.get.json': '{"mine":1}',
    'momo/fees.get.json': '{"mine":2}',
    'errors/404.json': '{"mine":3}',
  });
  expect((await ask(mock)).json).toEqual({ mine: 1 });
  expect((await ask(mock, '/momo/fees')).json).toEqual({ mine: 2 });
  expect((await ask(mock, '/momo/none')).json).toEqual({ mine: 3 });
  expect((await ask(mock, STATUS)).json).toMatchObject({ errorCode: '404-100' });
});

it('the user replaces values of the state by name', async () => {
  const mock = await start({
    'state.json': { $schema: 'x', rates: { XOF: 1 }, more: 1 },
    'state.schema.json': {
      properties: { more: {} },
    },
  });
  expect(await mock.state.get('rates')).toEqual({ XOF: 1 });
  expect(await mock.state.get('more')).toBe(1);
  expect(await mock.state.get('countries/229')).toMatchObject({ code: 'BJ' });
});

it('fixture() finds files of the user, and of the preset', async () => {
  const mock = await start({
    '_data.json': '1',
    'momo/data.get.js': handlerOf("[await fixture('_data.json'), await fixture('state.json')]"),
  });
  expect((await ask(mock, '/momo/data')).json).toMatchObject([1, { rates: { XOF: 1 } }]);
});

it("a reload applies the files that the user adds, and restores files of the preset that the user's files replaced", async () => {
  const dir = temporaryFolder();
  const put = (files: Files) => writeFiles(dir, files);
  put({ 'momo/own.get.js': handlerOf('1') });
  const mock = await startServer({}, { FIXTURES_DIR: dir, PRESET: 'chipdeals' });
  const body = async () => (await ask(mock)).json;
  const logged = () => mock.records.flatMap(({ changed }) => (changed as string[]) ?? []);
  expect(await body()).toHaveProperty('balances');
  put({
    [BALANCE]: handlerOf("(await state.get('rates')).XOF"),
    'state.json': '{"rates":{"XOF":5}}',
  });
  await expect.poll(body).toBe(5);
  rmSync(join(dir, BALANCE));
  await expect.poll(body).toHaveProperty('balances');
  const changed = [BALANCE, 'state.json'].map((name) => join(dir, name));
  expect(new Set(logged())).toEqual(new Set(changed));
});

const LISTED = `Use one of: ${PRESETS}.`;

it.each([
  ['Chipdeals', 'Did you mean "chipdeals"?'],
  ['mpesa', 'Did you mean "mpesa-daraja"?'],
  ['mtn', 'Did you mean "mtn-momo"?'],
  ...['../chipdeals', 'chipdeals/fixtures', '.', '__proto__'].map((name) => [name, LISTED]),
])('the preset %s is an error that names the closest one, or all', async (preset, fix) => {
  const text = `Failed to find the preset "${preset}": there is no preset with this name. ${fix}`;
  const error = { code: 'MOMO_MOCK_SETTINGS_INVALID', message: text };
  await expect(startMomoMock({ preset })).rejects.toMatchObject(error);
});

it('the option preset must be text that is not empty', async () => {
  const started = startMomoMock({ preset: '' });
  await expect(started).rejects.toThrow('Failed to read preset: "" is not allowed. Use the name');
});
