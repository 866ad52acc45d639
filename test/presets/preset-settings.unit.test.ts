import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startMomoMock } from '../../src/index.ts';
import { loadConfig } from '../../src/settings/load.ts';
import { ask } from '../support/client.ts';
import { run } from '../support/command-in-process.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { startMock } from '../support/mock.ts';

// The presets of the package are facts of providers. This one has a known name, and other facts.
const { presetsFolder } = vi.hoisted(() => ({ presetsFolder: { path: '' } }));
vi.mock('../../src/shipped/folders.ts', async (original) => ({
  ...(await original<object>()),
  get presetsFolder() {
    return presetsFolder.path;
  },
}));

/** A preset with the name `chipdeals`, whose key is in the header `X-Subscription`. */
function preset(facts: object): 'chipdeals' {
  presetsFolder.path = temporaryFolder();
  writeFiles(join(presetsFolder.path, 'chipdeals'), {
    'preset.json': JSON.stringify({ hosts: [], ...facts }),
    'fixtures/ping.get.json': '{"pong":true}',
    'fixtures/errors/401.json': '{"refused":true}',
  });
  return 'chipdeals';
}

const FACTS = { keyIn: 'header:X-Subscription', notSecret: ['Key', 'Pass'], base: 'none' };
const KEY = { 'x-subscription': 'momo_test_key' };

it('a preset says where the key is, and that its service has nothing else', async () => {
  const mock = await startMock({}, { preset: preset(FACTS) });
  expect(await ask({ ...mock, apiKey: '' }, '/ping', { headers: KEY })).toMatchObject({
    status: 200,
    json: { pong: true },
  });
  expect(await ask(mock, '/ping')).toMatchObject({ status: 401, json: { refused: true } });
  expect(await ask(mock, '/momo/balance', { headers: KEY })).toMatchObject({
    status: 404,
    text: '',
  });
});

it("a user's settings override a preset's", async () => {
  const own = { keyIn: 'query:apikey', base: 'shipped' } as const;
  const mock = await startMock(
    { 'errors/401.json': '{"code":"UNAUTHORIZED"}' },
    { preset: preset(FACTS), ...own },
  );
  expect((await ask(mock, '/ping')).status).toBe(200);
  expect((await ask(mock)).status).toBe(200);
  expect((await ask({ ...mock, apiKey: '' }, '/ping', { headers: KEY })).status).toBe(401);
});

it('with the key where the contract states it, a preset needs the stated code, too', async () => {
  const started = startMomoMock({ preset: preset({ base: 'none' }) });
  await expect(started).rejects.toThrow('it does not contain the code UNAUTHORIZED');
});

it('the command reads the settings of a preset below flags, variables and .env', async () => {
  const PRESET = preset(FACTS);
  const load = (flags: object, env = {}, dotenv = {}) =>
    loadConfig({ flags: { PRESET, ...flags }, env, dotenv });
  expect(await load({})).toMatchObject({
    KEY_IN: FACTS.keyIn,
    NOT_SECRET: ['Key', 'Pass'],
    BASE: 'none',
  });
  expect(await load({}, { MOMO_MOCK_NOT_SECRET: 'a, b' })).toMatchObject({
    NOT_SECRET: ['a', 'b'],
  });
  expect(await load({ BASE: 'shipped' })).toMatchObject({ BASE: 'shipped', KEY_IN: FACTS.keyIn });
  expect(await load({}, { MOMO_MOCK_KEY_IN: 'bearer' })).toMatchObject({ KEY_IN: 'bearer' });
  expect(await load({}, {}, { MOMO_MOCK_KEY_IN: 'basic' })).toMatchObject({ KEY_IN: 'basic' });
  await expect(load({ PRESET: 'none' })).resolves.toMatchObject({ BASE: 'shipped' });
});

it('the overview shows what is in force', async () => {
  const mock = await startMock({}, { preset: preset(FACTS), control: true });
  const { settings } = (await (await fetch(`${mock.controlUrl}`)).json()) as {
    settings: { name: string; value: string }[];
  };
  expect(settings).toContainEqual({ name: 'MOMO_MOCK_KEY_IN', value: FACTS.keyIn });
  expect(settings).toContainEqual({ name: 'MOMO_MOCK_NOT_SECRET', value: 'Key,Pass' });
  expect(settings).toContainEqual({ name: 'MOMO_MOCK_BASE', value: 'none' });
});

it('init copies a preset of an empty service without a file of the balance', async () => {
  const folder = temporaryFolder();
  const { stdout } = await run(['init', '--preset', preset(FACTS), join(folder, 'own')]);
  expect(stdout).toContain('own/ping.get.json\n');
  expect(stdout).not.toContain('balance');
  expect(stdout).toContain(`momo-mock --preset chipdeals --fixtures-dir ${join(folder, 'own')}\n`);
});
