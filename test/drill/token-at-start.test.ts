import { resolve } from 'node:path';
import { expect, it, vi } from 'vitest';
import { drill } from './drill-command.ts';

// The outage lasts 20 s, and the application is watched after it.
vi.setConfig({ testTimeout: 180_000 });

it('a shop that ends without the token that it gets at its start survives an outage', async () => {
  const given = ['apiUser', 'apiUserKey', 'targetEnvironment'];
  const credentials = given.map((name) => `{credentials.${name}}`).join(' ');
  const file = resolve('test/drill/shop-with-token.mjs');
  const url = 'http://127.0.0.1:{port}';
  const config = {
    preset: 'mtn-momo',
    start: `exec node "${file}" {port} {url} {apiKey} ${credentials}`,
    pay: {
      url: `${url}/`,
      body: { id: '{order}', amount: '{amount}', currency: '{currency}', phone: '{phone}' },
    },
    outcome: { url: `${url}/{order}`, field: 'state', paid: ['SUCCESSFUL'], failed: ['FAILED'] },
  };
  const { code, stderr, verdicts } = await drill(config, { only: ['down'] });
  expect({ code, stderr, verdicts }).toEqual({
    code: 0,
    stderr: '',
    verdicts: { success: 'survived', down: 'survived' },
  });
});
