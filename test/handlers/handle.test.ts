import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { startMock, startRemote } from '../support/mock.ts';
import type { MomoHandler, MomoOperation } from '../support/momo-mock.ts';

const says =
  (body: unknown): MomoHandler =>
  () => ({ body });

describe('handle', () => {
  it('responds to an operation without a file, and to one with a file', async () => {
    const mock = await startMock();
    await mock.handle('GET /momo/status/:reference', ({ params }) => ({ body: params }));
    await mock.handle('GET /momo/balance', says({ balance: 7 }));
    expect((await ask(mock, '/momo/status/7f')).json).toEqual({ reference: '7f' });
    expect((await ask(mock)).json).toEqual({ balance: 7 });
    expect((await ask({ ...mock, apiKey: 'wrong' })).status).toBe(401);
  });

  it('a handler comes after a balance that was set, and a reset removes it', async () => {
    const mock = await startMock();
    await mock.handle('GET /momo/balance', says('handled'));
    await mock.setBalance('set');
    expect((await ask(mock)).text).toBe('"set"');
    await mock.clearBalance();
    expect((await ask(mock)).text).toBe('handled');
    await mock.reset();
    expect((await ask(mock)).text).not.toBe('handled');
  });

  it('gives each account its own handler, and others what they had', async () => {
    const mock = await startMock();
    const [ada, bob, eve] = await Promise.all([1, 2, 3].map(() => mock.createAccount()));
    const textsOf = async (path?: string) => {
      const replies = await Promise.all([ada, bob, eve, mock].map((one) => ask(one ?? mock, path)));
      return replies.map(({ status, text }) => (status === 200 ? text : status));
    };
    const before = await textsOf();
    await Promise.all([
      ada?.handle('GET /momo/balance', says('of ada')),
      bob?.handle('GET /momo/balance', says('of bob')),
    ]);
    expect(await textsOf()).toEqual(['of ada', 'of bob', before[2], before[3]]);
    await mock.handle('GET /momo/balance', says('of all'));
    expect(await textsOf()).toEqual(['of ada', 'of bob', 'of all', 'of all']);
    await ada?.reset();
    expect(await textsOf()).toEqual(['of all', 'of bob', 'of all', 'of all']);
  });

  it('adds an operation only for the account that has its handler', async () => {
    const mock = await startMock({ 'momo/[id].get.json': '"file"', 'momo/pay.post.json': {} });
    const ada = await mock.createAccount();
    const bob = await mock.createAccount();
    const listed = async () => {
      const expected = { operation: 'GET /new', times: 0 } as const;
      return await bob.verify(expected).then(
        () => true,
        ({ code }) => code,
      );
    };
    await ada.handle('GET /new', says('new'));
    await ada.handle('GET /momo/pay', says('pay'));
    expect((await ask(ada, '/new')).text).toBe('new');
    expect((await ask(ada, '/momo/pay')).text).toBe('pay');
    expect(await listed()).toBe(true);
    // As if nobody had added anything.
    expect((await ask(bob, '/new')).status).toBe(404);
    expect((await ask(bob, '/new', { method: 'POST' })).status).toBe(404);
    expect((await ask(bob, '/momo/pay')).text).toBe('"file"');
    expect((await ask({ ...bob, apiKey: 'wrong' }, '/new')).status).toBe(401);
    const wrong = await ask(ada, '/new', { method: 'POST' });
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD']);
    const [last] = await bob.requests({ path: '/new', limit: 1 });
    expect(last).toMatchObject({ reason: 'unknown-path', operation: null });
    await bob.handle('GET /new', says('too'));
    await ada.reset();
    expect((await ask(ada, '/new')).status).toBe(404);
    expect((await ask(ada, '/momo/pay')).text).toBe('"file"');
    expect((await ask(bob, '/new')).text).toBe('too');
    await mock.reset();
    expect(await listed()).toBe('MOMO_MOCK_ACCOUNT_UNKNOWN');
    expect(await mock.verify({ operation: 'GET /new' }).catch(({ code }) => code)).toBe(
      'MOMO_MOCK_OPERATION_UNKNOWN',
    );
  });

  it('gets path parameters by its own names', async () => {
    const mock = await startMock({ 'pay/[reference]/[part].get.json': {} });
    const ada = await mock.createAccount();
    const params: MomoHandler = (request) => ({ body: request.params });
    await mock.handle('GET /pay/:id/:what', params);
    await ada.handle('GET /pay/:a/:b', params);
    expect((await ask(mock, '/pay/1/2')).json).toEqual({ id: '1', what: '2' });
    expect((await ask(ada, '/pay/1/2')).json).toEqual({ a: '1', b: '2' });
  });

  it('stays when a snapshot is restored, which has no handlers', async () => {
    const mock = await startMock();
    const ada = await mock.createAccount();
    const [ofAda, ofAll] = [await ada.snapshot(), await mock.snapshot()];
    await ada.handle('GET /momo/balance', says('of ada'));
    await mock.handle('GET /momo/balance', says('of all'));
    expect(JSON.stringify(await mock.snapshot())).not.toContain('handle');
    await ada.restore(ofAda);
    expect((await ask(ada)).text).toBe('of ada');
    const apiKey = 'created-after-the-snapshot';
    await (await mock.createAccount({ apiKey })).handle('GET /momo/balance', says('removed'));
    await mock.restore(ofAll);
    expect((await ask(await mock.createAccount({ apiKey }))).text).toBe('of all');
    expect([(await ask(ada)).text, (await ask(mock)).text]).toEqual(['of ada', 'of all']);
  });

  it('is refused with a sentence where the mock runs elsewhere', async () => {
    const mock = await startRemote();
    for (const scope of [mock, await mock.createAccount()]) {
      await expect(scope.handle('GET /momo/balance', says(1))).rejects.toMatchObject({
        code: 'MOMO_MOCK_REQUEST_INVALID',
        message: expect.stringMatching(/^Failed to set a handler: this mock runs elsewhere/),
      });
    }
  });

  it('is refused for an account that was removed', async () => {
    const mock = await startMock();
    const ada = await mock.createAccount();
    await ada.remove();
    const refused = expect.objectContaining({ code: 'MOMO_MOCK_ACCOUNT_UNKNOWN' });
    await expect(ada.handle('GET /momo/balance', says(1))).rejects.toEqual(refused);
  });

  it('replaces the handler of the same method and path, whatever the names of the parameters and, without strict paths, letter case', async () => {
    const files = { 'momo/fees.get.json': '"file"' };
    const [mock, strict] = [await startMock(files), await startMock(files, { strictPaths: true })];
    for (const one of [mock, strict]) {
      const operations = ['GET /Momo/Fees', 'POST /pay/:a', 'GET /Pay/:a', 'GET /pay/:b'] as const;
      await Promise.all(operations.map((operation) => one.handle(operation, says(operation))));
      expect((await ask(one, '/pay/1', { method: 'POST' })).text).toBe('POST /pay/:a');
    }
    const textsOf = async (one: typeof mock) => {
      const paths = ['/momo/fees', '/Pay/1', '/pay/1'];
      return (await Promise.all(paths.map((path) => ask(one, path)))).map(({ text }) => text);
    };
    expect(await textsOf(mock)).toEqual(['GET /Momo/Fees', 'GET /pay/:b', 'GET /pay/:b']);
    expect(await textsOf(strict)).toEqual(['"file"', 'GET /Pay/:a', 'GET /pay/:b']);
    await mock.verify({ operation: 'GET /momo/fees' });
    const refused = { code: 'MOMO_MOCK_OPERATION_UNKNOWN' };
    await expect(mock.verify({ operation: 'GET /Momo/Fees' })).rejects.toMatchObject(refused);
  });

  it('a literal segment takes precedence over a parameter, whoever has it', async () => {
    const mock = await startMock({ 'pay/fees.get.json': '"file"' });
    const ada = await mock.createAccount();
    await mock.handle('GET /pay/one', says('of all'));
    await ada.handle('GET /pay/:id', says('of ada'));
    const texts = ['fees', 'one', 'two'].map(async (id) => (await ask(ada, `/pay/${id}`)).text);
    expect(await Promise.all(texts)).toEqual(['"file"', 'of all', 'of ada']);
  });

  it('survives a change of the fixtures', async () => {
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
  ])('refuses the operation %j, and a value that is not a function', async (name) => {
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

  it.each<{ name: string; files: object; isHandled: boolean; path: string; all: number[] }>([
    {
      name: 'a file',
      files: { 'pay.post.js': LENGTH },
      isHandled: false,
      path: '/pay',
      all: [200, 413],
    },
    {
      name: 'one variant of several',
      files: { 'pay.post.json': {}, 'pay.post.a.json': {}, 'pay.post.own.js': LENGTH },
      isHandled: false,
      path: '/pay',
      all: [200, 413],
    },
    { name: 'a function', files: {}, isHandled: true, path: '/pay', all: [200, 413] },
    {
      name: 'a function in place of a file',
      files: { 'pay.post.json': {} },
      isHandled: true,
      path: '/pay',
      all: [200, 413],
    },
    {
      name: 'nothing',
      files: { 'pay.post.json': {} },
      isHandled: false,
      path: '/pay',
      all: [200, 200],
    },
    { name: 'no operation', files: {}, isHandled: false, path: '/nowhere', all: [404, 404] },
  ])(
    'that $name handles may have 1 MiB, and a body that no handler gets may have more',
    async ({ files, isHandled, path, all }) => {
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
    },
  );
});

describe('a handler', () => {
  it('has a scripted delay added to its own delay', async () => {
    const mock = await startMock();
    await mock.handle('GET /momo/ping', () => ({ delay: 30 }));
    await mock.respondWith({ operation: 'GET /momo/ping', delay: 30 });
    await ask(mock, '/momo/ping');
    const [entry] = await mock.requests();
    expect(entry?.duration).toBeGreaterThan(57);
  });
});
