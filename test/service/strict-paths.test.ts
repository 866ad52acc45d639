import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

it.each([
  [false, 200],
  [true, 404],
])(
  'answers paths with a slash at the end or another letter case, strictPaths %s: %i',
  async (strictPaths, status) => {
    const files = { 'momo/Fees/[Name].get.json': { fee: 1 } };
    const mock = await startMock(files, { strictPaths });
    for (const path of ['/momo/balance', '/momo/Fees/Any']) {
      expect((await ask(mock, path)).status).toBe(200);
    }
    for (const path of ['/momo/balance/', '/Momo/BALANCE', '/momo/fees/Any', '/momo/Fees/Any/']) {
      expect([path, (await ask(mock, path)).status]).toEqual([path, status]);
    }
  },
);

it('takes files whose names differ in letter case for one operation, unless paths are strict', async () => {
  const files = { 'momo/fees.get.json': { fee: 1 }, 'momo/Fees.get.json': { fee: 2 } };
  await expect(startMock(files)).rejects.toThrow('momo/');
  const mock = await startMock(files, { strictPaths: true });
  expect((await ask(mock, '/momo/fees')).text).toBe('{"fee":1}');
  expect((await ask(mock, '/momo/Fees')).text).toBe('{"fee":2}');
});
