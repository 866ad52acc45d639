import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startMomoMock } from '../../src/index.ts';
import { control } from '../support/client.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

it('shows no key that is in the value of a setting', async () => {
  const fixturesDir = join(temporaryFolder(), 'sekret_key-fixtures');
  mkdirSync(fixturesDir);
  const mock = await startMomoMock({
    fixturesDir,
    apiKeys: ['sekret_key'],
    control: { token: 'sekret_token' },
  });
  onTestFinished(() => mock.close());
  const headers = { authorization: 'Bearer sekret_token' };
  const { text } = await control(mock, 'GET /', { headers });
  expect(text).not.toContain('sekret');
  const { settings } = JSON.parse(text);
  expect(settings).toContainEqual({
    name: 'MOMO_MOCK_FIXTURES_DIR',
    value: expect.stringMatching(/\/\[redacted\]-fixtures$/),
  });
  expect(settings).toContainEqual({ name: 'MOMO_MOCK_CONTROL_TOKEN', value: '[redacted]' });
});
