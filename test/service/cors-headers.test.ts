import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

const ORIGIN = 'https://shop.example';
const FILES = {
  'momo/own.get.js': `export default () => ({
    status: 202,
    headers: { 'access-control-allow-origin': 'https://own.example' },
    body: {},
  });`,
};
const SETTINGS = {
  everyone: '*',
  'one origin': [ORIGIN],
  'another origin': ['https://other.example'],
  nobody: 'off',
} as const;

/** What each kind of answer is made by. */
const PATHS = ['/momo/balance', '/momo/own', '/momo/none', '/momo/balance?apikey=twice', '/%zz'];

it.each<[keyof typeof SETTINGS, object]>([
  ['everyone', { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' }],
  [
    'one origin',
    {
      'access-control-allow-origin': ORIGIN,
      'access-control-expose-headers': '*',
      vary: 'Origin',
    },
  ],
  ['another origin', { vary: 'Origin' }],
])('lets pages of %s read all answers and their headers', async (setting, expected) => {
  const mock = await startMock(FILES, { corsOrigin: SETTINGS[setting] });
  for (const path of PATHS) {
    const { headers } = await ask(mock, path, { headers: { origin: ORIGIN } });
    const shown = Object.entries(headers).filter(([name]) => /^(access-control|vary)/.test(name));
    // A handler's own header counts only where the setting has none.
    const own = path === '/momo/own' && setting === 'another origin';
    const more = own ? { 'access-control-allow-origin': 'https://own.example' } : {};
    expect([path, Object.fromEntries(shown)]).toEqual([path, { ...more, ...expected }]);
  }
});

it('leaves the headers of CORS to handlers and scripts where it is off', async () => {
  const mock = await startMock(FILES, { corsOrigin: SETTINGS.nobody });
  const { headers } = await ask(mock, '/momo/own', { headers: { origin: ORIGIN } });
  expect(headers).toMatchObject({ 'access-control-allow-origin': 'https://own.example' });
  await mock.respondWith({ headers: { 'access-control-allow-origin': 'https://script.example' } });
  const scripted = await ask(mock, '/momo/balance', { headers: { origin: ORIGIN } });
  expect(scripted.headers['access-control-allow-origin']).toBe('https://script.example');
});
