import { expect, it } from 'vitest';
import { banner } from '../../src/cli/banner.ts';
import { PRESETS } from '../../src/shipped/presets.ts';
import { send } from '../support/client.ts';
import { startServer } from '../support/mock.ts';

it.each([true, false])(
  'the banner says that a folder named fixtures is ignored, if it is: %s',
  async (isIgnored) => {
    const mock = await startServer();
    const shown = banner(mock, { isDefaultKey: true } as never, isIgnored);
    expect(shown.includes('the folder fixtures is ignored\n')).toBe(isIgnored);
  },
);

it.each([
  {
    files: { 'pay.post.json': '{}', 'pay/[id].get.json': '{}' },
    tries: 'curl --cacert ',
    path: '/pay/:id',
  },
  { files: { 'a/[id].get.json': '{}', 'b.get.json': '{}' }, tries: 'curl --cacert ', path: '/b' },
  { files: { 'pay.post.json': '{}' }, tries: 'curl -X POST --cacert ', path: '/pay' },
  { files: {}, tries: undefined, path: '' },
])(
  'the banner names the operation that is easiest to request: $path',
  async ({ files, tries, path }) => {
    const mock = await startServer(files, { BASE: 'none' });
    const text = banner(mock, { isDefaultKey: true } as never, false);
    expect(text).toContain(`  service      ${mock.url}\n`);
    if (tries === undefined) expect(text).not.toContain('try it');
    else expect(text).toContain(`  try it       ${tries}`);
    if (tries !== undefined) expect(text).toContain(` "${mock.url}${path}?apikey=momo_test_key"\n`);
    expect(mock.warnings.join()).toMatch(
      tries === undefined ? /^The service has no operations/ : /^$/,
    );
  },
);

it.each(PRESETS)('the request that the banner shows for %s succeeds', async (PRESET) => {
  const mock = await startServer({}, { PRESET, API_KEYS: 'momo_test_key' });
  const text = banner(mock, { isDefaultKey: true, PRESET } as never, false);
  const [, options = '', url = ''] = /try it +curl --cacert \S+ ?(.*) "(.*)"\n/.exec(text) ?? [];
  const [, name = '', value = ''] = /-H "(.*): (.*)"/.exec(options) ?? [];
  const [, user = ''] = /-u "(.*)"/.exec(options) ?? [];
  const headers = {
    ...(name && { [name]: value }),
    ...(user && { authorization: `Basic ${btoa(user)}` }),
  };
  const { status } = await send(mock, url.slice(mock.url.length), { headers });
  expect(status).toBe(200);
  expect(text).toContain(`  preset       ${PRESET}\n`);
});
