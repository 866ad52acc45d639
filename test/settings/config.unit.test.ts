import { describe, expect, test } from 'vitest';
import { checkVariants, describeWrong } from '../../src/settings/config.ts';
import { loadConfig } from '../../src/settings/load.ts';

describe('configured variants', () => {
  async function check(env: Record<string, string>): Promise<void> {
    const readKeysFile = async () => '';
    checkVariants(await loadConfig({ flags: {}, env, dotenv: {}, readKeysFile }), ['empty', 'one']);
  }

  test('may be omitted, and are accepted if each has a file', async () => {
    await check({ MOMO_MOCK_API_KEYS: 'a,b=empty', MOMO_MOCK_VARIANT: 'one' });
    await check({});
  });

  test('without a file are reported together, and the variant of a key is not shown', async () => {
    const env = { MOMO_MOCK_API_KEYS: 'a=empty,b=sekret', MOMO_MOCK_VARIANT: 'two' };
    const fix = 'Add a file such as momo/balance.get.NAME.json, or use one of empty, one.';
    await expect(check(env)).rejects.toMatchObject({
      code: 'MOMO_MOCK_SETTINGS_INVALID',
      message: [
        `Failed to read MOMO_MOCK_VARIANT: the variant "two" has no fixture file. ${fix}`,
        `Failed to read API key 2: the variant after its = has no fixture file. ${fix}`,
      ].join('\n'),
    });
  });
});

describe('the sentence for a wrong value', () => {
  test.each<[value: unknown, shown: string]>([
    ['x', '"x"'],
    [['x', 'y'], '["x","y"]'],
    [1.5, '1.5'],
    [true, 'true'],
    [null, 'null'],
    [{ secret: 1 }, 'the value'],
    [['x', { secret: 1 }], 'the value'],
  ])('shows %j as %s', (value, shown) => {
    const sentence = describeWrong('port', value, { allowed: 'a port' });
    expect(sentence).toBe(`Failed to read port: ${shown} is not allowed. Use a port.`);
  });

  test('never shows a secret', () => {
    expect(describeWrong('token', 'x', { allowed: 'a token', secret: true })).toBe(
      'Failed to read token: the value is not allowed. Use a token.',
    );
  });
});
