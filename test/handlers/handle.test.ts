import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { startMock } from '../support/mock.ts';
import type { MomoHandler, MomoOperation } from '../support/momo-mock.ts';

const says =
  (body: unknown): MomoHandler =>
  () => ({ body });

describe('handle', () => {
  it('answers an operation that has no file, and one that has', async () => {
    const mock = await startMock();
    await mock.handle('GET /momo/status/:reference', ({ params }) => ({ body: params }));
    await mock.handle('GET /momo/balance', says({ balance: 7 }));
    expect((await ask(mock, '/momo/status/7f')).json).toEqual({ reference: '7f' });
    expect((await ask(mock)).json).toEqual({ balance: 7 });
    expect((await ask({ ...mock, apiKey: 'wrong' })).status).toBe(401);
  });

  it('comes after a balance that was set, and stays after a reset', async () => {
    const mock = await startMock();
    await mock.handle('GET /momo/balance', says('handled'));
    await mock.setBalance('set');
    expect((await ask(mock)).text).toBe('"set"');
    await mock.reset();
    expect((await ask(mock)).text).toBe('handled');
  });

  it('replaces the handler of the same method and path, whatever its parameters are called', async () => {
    const mock = await startMock();
    for (const operation of ['GET /status/:a', 'POST /status/:a', 'GET /status/:b'] as const) {
      await mock.handle(operation, says(operation));
    }
    expect((await ask(mock, '/status/1')).text).toBe('GET /status/:b');
    expect((await ask(mock, '/status/1', { method: 'POST' })).text).toBe('POST /status/:a');
  });

  it('can be called for many operations at once', async () => {
    const mock = await startMock();
    const names = ['one', 'two', 'three', 'four'];
    await Promise.all(names.map((name) => mock.handle(`GET /${name}`, says(name))));
    const texts = await Promise.all(names.map(async (name) => (await ask(mock, `/${name}`)).text));
    expect(texts).toEqual(names);
  });

  it('stays when the fixtures change', async () => {
    const mock = await startMock({ 'momo/fees.get.json': { fee: 1 } }, { watch: true });
    await mock.handle('GET /momo/fees', says('handled'));
    await mock.handle('GET /momo/added/:name', says('handled'));
    writeFiles(mock.folder, { 'momo/new.get.json': {}, 'momo/fees.get.json': { fee: 2 } });
    await expect.poll(async () => (await ask(mock, '/momo/new')).status).toBe(200);
    for (const path of ['/momo/fees', '/momo/added/one']) {
      expect(await ask(mock, path)).toMatchObject({ status: 200, text: 'handled' });
    }
  });

  it.each([
    ...['momo/pay', 'POST momo/pay', 'post /momo/pay', 'HEAD /momo/pay', 'CONNECT /momo/pay'],
    ...['NONE /momo/pay', 'GET /momo/:1', 'GET /momo/:a-b', 'GET /momo/:-:a', 'GET /momo/pay '],
    ...['GET /momo//pay', 'GET /momo?x', 1 as never],
  ])('refuses the operation %j, and what is no function', async (name) => {
    const mock = await startMock();
    const refused = (text: string) => ({
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: expect.stringContaining(text),
    });
    const words =
      'the operation: must be a method and a path, such as POST /momo/deposit/:reference';
    await expect(mock.handle(name as MomoOperation, says(1))).rejects.toMatchObject(refused(words));
    const other = mock.handle('GET /momo/pay', { status: 200 } as never);
    await expect(other).rejects.toMatchObject(refused('the handler: must be a function'));
  });
});

describe('a body', () => {
  const LENGTH = 'export default ({ rawBody }) => ({ body: { length: rawBody.length } });';
  const MIB = 1_048_576;

  it.each<[what: string, files: object, isHandled: boolean, path: string, statuses: number[]]>([
    ['a file', { 'pay.post.js': LENGTH }, false, '/pay', [200, 413]],
    [
      'one variant of several',
      { 'pay.post.json': {}, 'pay.post.a.json': {}, 'pay.post.own.js': LENGTH },
      false,
      '/pay',
      [200, 413],
    ],
    ['a function', {}, true, '/pay', [200, 413]],
    ['a function in place of a file', { 'pay.post.json': {} }, true, '/pay', [200, 413]],
    ['nothing', { 'pay.post.json': {} }, false, '/pay', [200, 200]],
    ['no operation', {}, false, '/nowhere', [404, 404]],
  ])('that %s handles may be 1 MiB long, or more', async (_what, files, isHandled, path, all) => {
    const mock = await startMock({ ...files, 'momo/balance.get.own.json': {} });
    const account = await mock.createAccount({ variant: 'own' });
    if (isHandled) {
      await mock.handle('POST /pay', ({ rawBody }) => ({ body: { length: rawBody.length } }));
    }
    const send = (length: number) =>
      ask(account, path, { method: 'POST', body: 'x'.repeat(length) });
    const whole = await send(MIB);
    expect([whole.status, (await send(MIB + 1)).status]).toEqual(all);
    if (all[1] === 413) expect(whole.json).toEqual({ length: MIB });
  });
});

describe('a handler', () => {
  it('has the delay of a script added to its own', async () => {
    const mock = await startMock();
    await mock.handle('GET /momo/ping', () => ({ delay: 30 }));
    await mock.respondWith({ operation: 'GET /momo/ping', delay: 30 });
    await ask(mock, '/momo/ping');
    const [entry] = await mock.requests();
    expect(entry?.duration).toBeGreaterThan(57);
  });
});
