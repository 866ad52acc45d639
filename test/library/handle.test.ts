import { describe, expect, it, onTestFinished } from 'vitest';
import { startMomoMock } from '../support/momo-mock.ts';
import { get } from './client.ts';

async function start() {
  const mock = await startMomoMock();
  onTestFinished(() => mock.close());
  return mock;
}

describe('handle', () => {
  it('answers an operation that has no file, and one that has', async () => {
    const mock = await start();
    await mock.handle('GET /momo/status/:reference', ({ params }) => ({ body: params }));
    await mock.handle('GET /momo/balance', () => ({ body: { balance: 7 } }));
    const at = (path: string) => get(mock, path);
    expect((await at('/momo/status/7f')).text).toBe('{"reference":"7f"}');
    expect((await at('/momo/balance')).text).toBe('{"balance":7}');
    expect((await get({ ...mock, apikey: 'wrong' })).status).toBe(401);
  });

  it('comes after a balance that was set, and stays after a reset', async () => {
    const mock = await start();
    await mock.handle('GET /momo/balance', () => ({ body: 'handled' }));
    await mock.setBalance('set');
    expect((await get(mock)).text).toBe('"set"');
    await mock.reset();
    expect((await get(mock)).text).toBe('handled');
  });

  it('replaces the handler of the same path, whatever its parameters are called', async () => {
    const mock = await start();
    await mock.handle('GET /momo/status/:a', () => ({ body: 'first' }));
    await mock.handle('GET /momo/status/:b', () => ({ body: 'second' }));
    expect((await get(mock, '/momo/status/1')).text).toBe('second');
  });

  it('leaves alone another method of the path', async () => {
    const mock = await start();
    await mock.handle('GET /momo/pay', () => ({ body: 'GET' }));
    await mock.handle('POST /momo/pay', () => ({ body: 'POST' }));
    expect((await get(mock, '/momo/pay')).text).toBe('GET');
  });

  it('can be called for many operations at once', async () => {
    const mock = await start();
    const names = ['one', 'two', 'three', 'four'];
    await Promise.all(names.map((name) => mock.handle(`GET /${name}`, () => ({ body: name }))));
    const texts = await Promise.all(names.map(async (name) => (await get(mock, `/${name}`)).text));
    expect(texts).toEqual(names);
  });

  it.each([
    'momo/pay',
    'POST momo/pay',
    'post /momo/pay',
    'HEAD /momo/pay',
    'CONNECT /momo/pay',
    'NONE /momo/pay',
    'GET /momo/:1',
    'GET /momo/:a-b',
    'GET /momo/:-:a',
    'GET /momo/pay ',
    'GET /momo//pay',
    'GET /momo?x',
    1 as never,
  ])('refuses the operation %j', async (name) => {
    const mock = await start();
    const handled = mock.handle(name, () => ({}));
    await expect(handled).rejects.toMatchObject({
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: expect.stringContaining(
        'the operation: must be a method and a path, such as POST /momo/deposit/:reference',
      ),
    });
  });

  it('refuses what is no function', async () => {
    const mock = await start();
    const handled = mock.handle('GET /momo/pay', { status: 200 } as never);
    await expect(handled).rejects.toMatchObject({
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: expect.stringContaining('the handler: must be a function'),
    });
  });
});
