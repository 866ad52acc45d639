import { expect, test } from 'vitest';
import { runNode } from './node-command.ts';

test('--set wins over the variables that run sets itself, and over the environment', async () => {
  const set = ['MOMO_MOCK_URL={url}/v1', 'NODE_EXTRA_CA_CERTS=', 'SHOP_KEY={apikey}'];
  const { stdout } = await runNode(
    'const { MOMO_MOCK_URL, NODE_EXTRA_CA_CERTS, SHOP_KEY } = process.env; console.log(JSON.stringify([MOMO_MOCK_URL, NODE_EXTRA_CA_CERTS, SHOP_KEY]))',
    set.flatMap((one) => ['--set', one]),
    { env: { SHOP_KEY: 'from outside' } },
  );
  expect(JSON.parse(stdout)).toEqual([
    expect.stringMatching(/^https:\/\/localhost:\d+\/v1$/),
    '',
    'momo_test_key',
  ]);
});
