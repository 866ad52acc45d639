import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { startMock } from '../support/mock.ts';

it('goes on answering by the handlers of a test after the fixtures were changed', async () => {
  const mock = await startMock({ 'momo/fees.get.json': { fee: 1 } }, { watch: true });
  const handled = { body: { from: 'test' } };
  await mock.handle('GET /momo/fees', () => handled);
  await mock.handle('GET /momo/added/:name', () => handled);
  writeFiles(mock.folder, { 'momo/new.get.json': { new: true }, 'momo/fees.get.json': { fee: 2 } });
  await expect.poll(async () => (await ask(mock, '/momo/new')).status).toBe(200);
  for (const path of ['/momo/fees', '/momo/added/one']) {
    expect(await ask(mock, path)).toMatchObject({ status: 200, text: '{"from":"test"}' });
  }
});
